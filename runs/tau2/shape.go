package tau2

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shapeError is a file that is something other than conversations to be read.
type shapeError struct{ text string }

func (e *shapeError) Error() string { return e.text }

// isShape reports whether a file is undamaged but no result.
func isShape(err error) bool {
	var shape *shapeError
	return errors.As(err, &shape)
}

// Shapes that are not conversations, or not whole ones.
var (
	errCamel = &shapeError{"this is a summary for a dashboard (keys like taskId and terminationReason): its messages have no call ids and " +
		"may be cut, so it cannot be replayed\nhint: use the results.json that it was made from"}
	errVoice = &shapeError{"this is a voice run (full duplex, with ticks), and only text runs can be read\nhint: use runs of mode half_duplex"}
	errIndex = &shapeError{"this is an index of tasks with their rewards, without conversations\nhint: use the files that it lists, " +
		"or the folder that they are in"}
	errFirst = &shapeError{"this is a result of τ-bench, the first version (task_id, reward, traj): its tasks and tools are others than τ²-bench's\n" +
		"hint: run the agent on τ²-bench, and use that result"}
	errTasks = &shapeError{"this is a file of tasks, without conversations\nhint: name a result file"}
)

// notResult says what a JSON object without simulations is, by its keys and, where it has one, its index of simulations.
func notResult(keys, index map[string]bool) error {
	switch {
	case keys["submitting_organization"] || keys["trajectories_available"]:
		return &shapeError{"this is the description of a leaderboard submission\nhint: use the files in its folder trajectories"}
	case keys["termination_reason"] && keys["steps"] && keys["version"]:
		return &shapeError{"this is a record of a run of this program\nhint: name the run's folder"}
	case keys["traj"]:
		return errFirst
	case index != nil:
		return &shapeError{fmt.Sprintf("the simulations are missing: it has an index of %d of them, and no folder simulations beside it", len(index))}
	case keys["tasks"] && !keys["info"]:
		return &shapeError{"this is a list of tasks without simulations\nhint: name a result file"}
	}
	return &shapeError{fmt.Sprintf("no simulations in it: want a τ²-bench result, an object with info, tasks and simulations; its keys are %.200s",
		strings.Join(slices.Sorted(maps.Keys(keys)), ", "))}
}
