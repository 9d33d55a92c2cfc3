package main

import "context"

// measurement is a run of something, which leaves figures, and the lines of the table that come of them.
type measurement struct {
	name  string
	run   func(*lab, context.Context) error
	goals []goal
}

const (
	mb     = 1e-6
	mib    = 1.0 / (1 << 20)
	millis = 1e-6 // of nanoseconds
)

// measurements is everything that is measured, in the order of the table.
func measurements() []measurement {
	return []measurement{
		{"results", (*lab).results, []goal{
			{"result files of 176 MB scored, per second of processor", "MB", 80, true, per("Score file-B", "Score cpu-sec", mb)},
			{"the same, from start to end", "s", 1.3, false, figure("Score sec", 1)},
			{"peak memory of it", "MiB", 0, false, figure("Score peak-B", mib)},
			{"result files read, per second of processor", "MB", 80, true, readRate},
		}},
		{"quickstart", (*lab).quickstart, []goal{
			{"quickstart, 1,408 conversations, processor", "s", 3, false, figure("Quickstart cpu-sec", 1)},
			{"peak memory of it", "MiB", 0, false, figure("Quickstart peak-B", mib)},
		}},
		{"runs", (*lab).runs, []goal{
			{"tables of a run of 10,208 records, processor", "s", 0.5, false, figure("Tables/10k cpu-sec", 1)},
			{"peak memory of that run, beside the quickstart's 1,408", "", 1, false, per("Run/10k peak-B", "Quickstart peak-B", 1)},
		}},
		{"huge", (*lab).huge, []goal{
			{"table of a run of 100,000 records, processor", "s", 2, false, figure("Tables/100k cpu-sec", 1)},
			{"opening it, processor", "s", 2, false, figure("HundredThousand/open cpu-ns/op", 1e-9)},
			{"resuming it, up to the first conversation, processor", "s", 2, false, figure("HundredThousand/resume cpu-ns/op", 1e-9)},
		}},
		{"live", (*lab).live, []goal{
			{"a request over HTTP of 2,000 conversations, processor", "µs", 190, false, per("Load/200ms/program cpu-sec", "Load/200ms/program requests", 1e6)},
			{"a request of the bare client", "µs", 0, false, per("Load/200ms/bare cpu-sec", "Load/200ms/bare requests", 1e6)},
			{"answers after 200 ms, wall time beside the bare client's", "", 1.6, false, per("Load/200ms/program sec", "Load/200ms/bare sec", 1)},
			{"answers after 1 s, first request to last answer, to ideal", "", 1.1, false, per("Load/1s/program span-sec", "Load/1s/program ideal-sec", 1)},
			{"peak memory", "MiB", 400, false, figure("Load/200ms/program peak-B", mib)},
		}},
		{"scripted", (*lab).scripted, []goal{
			{"serve-models beside its client, processor", "", 0.5, false, per("Served/server cpu-sec", "Served/client cpu-sec", 1)},
			{"client, 1,112 conversations, processor", "s", 0, false, figure("Served/client cpu-sec", 1)},
		}},
		{"scoring", (*lab).scoring, []goal{
			{"end state of a telecom conversation, processor", "ms", 0.05, false, figure("EvaluateENV/telecom cpu-ns/op", millis)},
			{"end state of a retail conversation, processor", "ms", 0.1, false, figure("EvaluateENV/retail cpu-ns/op", millis)},
			{"end state of an airline conversation, processor", "ms", 0.1, false, figure("EvaluateENV/airline cpu-ns/op", millis)},
		}},
		{"program", (*lab).program, []goal{
			{"size of a release", "MB", 35, false, figure("Release file-B", mb)},
			{"--help, processor", "ms", 20, false, figure("Start cpu-ns/op", millis)},
			{"--help, from start to end", "ms", 20, false, figure("Start ns/op", millis)},
		}},
		{"reference", (*lab).reference, []goal{
			{"start of the reference beside ours, processor", "times", 0, false, per("Reference/start cpu-sec", "Ours/start cpu-sec", 1)},
			{"telecom file scored by the reference beside us, processor", "times", 0, false, per("Reference/telecom cpu-sec", "Ours/telecom cpu-sec", 1)},
			{"retail file", "times", 0, false, per("Reference/retail cpu-sec", "Ours/retail cpu-sec", 1)},
			{"airline file", "times", 0, false, per("Reference/airline cpu-sec", "Ours/airline cpu-sec", 1)},
			{"a telecom conversation without either's start", "times", 1000, true, withoutStart("telecom")},
			{"a retail conversation without it", "times", 1000, true, withoutStart("retail")},
			{"an airline conversation without it", "times", 1000, true, withoutStart("airline")},
		}},
	}
}

// readRate is the benchmark's rate, by processor time in place of wall time.
func readRate(f figures) float64 {
	return f.of("Corpus/read MB/s") * f.of("Corpus/read ns/op") / f.of("Corpus/read cpu-ns/op")
}

// withoutStart is what the reference takes for a file of a domain beside us, without what both take to start.
func withoutStart(domain string) func(figures) float64 {
	return func(f figures) float64 {
		return (f.of("Reference/"+domain+" cpu-sec") - f.of("Reference/start cpu-sec")) / (f.of("Ours/"+domain+" cpu-sec") - f.of("Ours/start cpu-sec"))
	}
}
