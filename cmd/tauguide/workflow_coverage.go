package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/coverage"
)

type coverageReport struct {
	Domain     string             `json:"domain"`
	Positions  int                `json:"positions"`
	Events     int                `json:"events"`
	Deviations int                `json:"deviations"`
	Schedules  []scheduleCoverage `json:"schedules"`
}

type scheduleCoverage struct {
	Schedule  string          `json:"schedule"`
	Covered   int             `json:"covered"`
	Share     float64         `json:"share"` // of all first deviations
	Uncovered []uncoveredPair `json:"uncovered"`
}

type uncoveredPair struct {
	Position string `json:"position"` // node that was taken last
	Event    string `json:"event"`
}

func coverageCommand(p process) *cobra.Command {
	var pairs int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "coverage DOMAIN|DIR",
		Short: "Count the first deviations that each firing schedule can stop",
		Long: "Count the first deviations from a workflow: events of the agent that leave it, each at the step that was taken last. For each schedule\n" +
			"that a verifier can be asked by, print how many of them it can stop, and those that it cannot.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := openBundle(args[0])
			if err != nil {
				return err
			}
			g, err := guide.Compose(b.Bundle)
			if err != nil {
				return err
			}
			r := coverageOf(g)
			if asJSON {
				return printJSON(p, r)
			}
			printCoverage(p, r, pairs)
			return nil
		},
	}
	cmd.Flags().IntVar(&pairs, "pairs", 10, "uncovered pairs to print for each schedule; 0 prints all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with all pairs")
	return cmd
}

func coverageOf(g *guide.Graph) coverageReport {
	a := coverage.Analyze(g, coverage.Schedules())
	r := coverageReport{Domain: g.Domain, Positions: a.Positions, Events: a.Events, Deviations: a.Deviations}
	for _, x := range a.Results {
		s := scheduleCoverage{Schedule: x.Schedule, Covered: x.Covered, Share: x.Share(), Uncovered: []uncoveredPair{}}
		for _, u := range x.Uncovered {
			s.Uncovered = append(s.Uncovered, uncoveredPair{u.Position, u.Event.String()})
		}
		r.Schedules = append(r.Schedules, s)
	}
	return r
}

func printCoverage(p process, r coverageReport, most int) {
	fmt.Fprintf(p.stdout, "%s: %d first deviations, at %d positions by %d events\n", r.Domain, r.Deviations, r.Positions, r.Events)
	for _, s := range r.Schedules {
		fmt.Fprintf(p.stdout, "  %-16s covers %5.1f %%, %d\n", s.Schedule, 100*s.Share, s.Covered)
	}
	for _, s := range r.Schedules {
		if len(s.Uncovered) == 0 {
			continue
		}
		fmt.Fprintf(p.stdout, "%s does not cover %d:\n", s.Schedule, len(s.Uncovered))
		for i, u := range s.Uncovered {
			if most > 0 && i == most {
				fmt.Fprintf(p.stdout, "  … and %d more; --pairs 0 prints all\n", len(s.Uncovered)-most)
				break
			}
			fmt.Fprintf(p.stdout, "  after %s: %s\n", u.Position, u.Event)
		}
	}
}
