package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	f := figures{}
	for line, want := range map[string]bool{
		"BenchmarkEvaluateENV/telecom-2   	   11234	    102345 ns/op	   2048 B/op": true,
		"BenchmarkEvaluateENV/telecom-16  	   11234	    102347 ns/op":              true,
		"BenchmarkRelease 1 58000000 file-B":                                       true,
		"BenchmarkOdd 1 58000000":                                                  false,
		"BenchmarkOdd 1 x ns/op":                                                   false,
		"ok  	github.com/tauguide/tauguide/sim	3.2s":                               false,
	} {
		if f.read(line) != want {
			t.Errorf("%q: want %v", line, want)
		}
	}
	if got := f.of("EvaluateENV/telecom ns/op"); got != 102346 {
		t.Errorf("median %v", got)
	}
	if got := f.of("Odd ns/op"); !math.IsNaN(got) {
		t.Errorf("a figure out of nothing: %v", got)
	}
	for _, c := range []struct {
		goal goal
		want string
	}{
		{goal{"size", "MB", 35, false, figure("Release file-B", mb)}, "| ≤ 35 MB | 58 MB | 1.66 |"},
		{goal{"rate", "MB", 116, true, figure("Release file-B", mb)}, "| ≥ 116 MB | 58 MB | 2 |"},
		{goal{"alone", "", 0, false, per("Release file-B", "Release file-B", 1)}, "| – | 1 | – |"},
		{goal{"missing", "s", 2, false, figure("Odd ns/op", 1)}, "| ≤ 2 s | – | – |"},
	} {
		got := strings.Join(strings.Fields(c.goal.row("program", f)), " ")
		if !strings.HasSuffix(got, c.goal.what+" "+c.want) {
			t.Errorf("%s: %s, want %s", c.goal.what, got, c.want)
		}
	}
}

func TestNewest(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"v1.9.0.txt", "v1.10.0.txt", "first.txt", "v2.0.0.svg"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for apart, want := range map[string]string{"": "v1.10.0.txt", "v1.10.0.txt": "v1.9.0.txt"} {
		if got, err := newest(dir, filepath.Join(dir, apart)); err != nil || filepath.Base(got) != want {
			t.Errorf("without %q: %s, %v, want %s", apart, got, err, want)
		}
	}
	if got, err := newest(t.TempDir(), ""); err != nil || got != "" {
		t.Errorf("in an empty folder: %q, %v", got, err)
	}
}

// TestBenchmarksExist looks for the benchmarks that are measured: go test says nothing of one that there is not.
func TestBenchmarksExist(t *testing.T) {
	code, err := os.ReadFile("lab.go")
	if err != nil {
		t.Fatal(err)
	}
	wanted := paths()
	for _, m := range regexp.MustCompile(`b\.benchmark\(ctx, "(.*?)", "(.*?)[/"]`).FindAllStringSubmatch(string(code), -1) {
		wanted = append(wanted, path{pkg: m[1], benchmark: "Benchmark" + m[2]})
	}
	if len(wanted) != len(paths())+3 {
		t.Fatalf("%d benchmarks found", len(wanted))
	}
	for _, w := range wanted {
		name, _, _ := strings.Cut(strings.Trim(w.benchmark, "^$"), "$")
		files, _ := filepath.Glob(filepath.Join("..", "..", w.pkg, "*_test.go"))
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "func "+name+"(b *testing.B)")
		}
		if !found {
			t.Errorf("%s has no %s", w.pkg, name)
		}
	}
}
