package domains

import "fmt"

// Refusal is a failure in the reference's own words, as it goes over the wire behind "Error: ". It is a type of its
// own so that such texts, which keep the reference's capitals and full stops, are told from errors of the program.
type Refusal string

// Error returns the text.
func (r Refusal) Error() string { return string(r) }

// Refuse formats a Refusal.
func Refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }
