package coverage

import (
	"encoding/json"
	"fmt"
	"io"
)

// MarshalJSON writes a first deviation as the step taken last and the event.
func (p Pair) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Position string `json:"position"`
		Event    string `json:"event"`
	}{p.Position, p.Event.String()})
}

// MarshalJSON writes the coverage of a schedule with its share.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Schedule  string  `json:"schedule"`
		Covered   int     `json:"covered"`
		Share     float64 `json:"share"`
		Uncovered []Pair  `json:"uncovered"`
	}{r.Schedule, r.Covered, r.Share(), append([]Pair{}, r.Uncovered...)})
}

// Print lists the schedules, and the first so many deviations that each does not cover, or all.
func (r Report) Print(out io.Writer, most int) {
	fmt.Fprintf(out, "%s: %d first deviations, at %d positions by %d events\n", r.Domain, r.Deviations, r.Positions, r.Events)
	for _, s := range r.Results {
		fmt.Fprintf(out, "  %-16s covers %5.1f %%, %d\n", s.Schedule, 100*s.Share(), s.Covered)
	}
	for _, s := range r.Results {
		if len(s.Uncovered) == 0 {
			continue
		}
		fmt.Fprintf(out, "%s does not cover %d:\n", s.Schedule, len(s.Uncovered))
		for i, u := range s.Uncovered {
			if most > 0 && i == most {
				fmt.Fprintf(out, "  … and %d more; --pairs 0 prints all\n", len(s.Uncovered)-most)
				break
			}
			fmt.Fprintf(out, "  after %s: %s\n", u.Position, u.Event)
		}
	}
}
