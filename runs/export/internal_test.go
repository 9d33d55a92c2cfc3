package export

// InspectBy is Inspect with so many scores in memory.
var InspectBy = inspect
