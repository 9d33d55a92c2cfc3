package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tauguide/tauguide/scripts/process"
)

// lab is where measurements are made. It holds what several of them need, and what they found.
type lab struct {
	options
	dir     string
	figures figures
	lines   *bytes.Buffer
}

// build builds the program as releases are built, unless there is one, and the measuring of load.
func (b *lab) build(ctx context.Context) error {
	if b.bin == "" {
		if err := output(ctx, nil, "go", "run", "./scripts/release", "-version", "v0.0.0", "-targets", runtime.GOOS+"/"+runtime.GOARCH, "-out", b.dir); err != nil {
			return err
		}
		built, err := filepath.Glob(filepath.Join(b.dir, "tauguide_*"))
		if err != nil || len(built) != 1 {
			return fmt.Errorf("a release of %d programs: %w", len(built), err)
		}
		b.bin = built[0]
	}
	return output(ctx, nil, "go", "build", "-o", filepath.Join(b.dir, "load"), "./scripts/load")
}

// output runs a program and gives each line that it prints to use, if that is not nil.
func output(ctx context.Context, use func(line string), name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if _, err := process.Run(cmd); err != nil {
		return fmt.Errorf("%w\n%s", err, out.Bytes()) // where go test says what went wrong
	}
	for line := range strings.Lines(out.String()) {
		if use != nil {
			use(line)
		}
	}
	return nil
}

// add notes a line of Go's benchmarks: figures with their units.
func (b *lab) add(line string) {
	if line = strings.TrimSpace(line); b.figures.read(line) {
		fmt.Fprintln(b.lines, line)
	}
}

func (b *lab) cost(name string, c process.Cost, more string) {
	b.add(fmt.Sprintf("Benchmark%s 1 %g sec %g cpu-sec %d peak-B %s", name, c.Wall.Seconds(), c.Processor.Seconds(), c.Peak, more))
}

// tauguide runs the program, and notes what it took.
func (b *lab) tauguide(ctx context.Context, name string, args ...string) error {
	return b.process(ctx, name, b.bin, args...)
}

func (b *lab) process(ctx context.Context, name, bin string, args ...string) error {
	c, err := process.Run(exec.CommandContext(ctx, bin, args...))
	if err == nil {
		b.cost(name, c, "")
	}
	return err
}

// benchmark runs a benchmark of a package as a process, once and n times more: what that takes more is processor time of
// n, whatever else the machine does. Benchmarks have no short form.
func (b *lab) benchmark(ctx context.Context, pkg, name string, n int) error {
	if b.short {
		return nil
	}
	test := filepath.Join(b.dir, filepath.Base(pkg)+".test")
	if err := output(ctx, nil, "go", "test", "-c", "-o", test, pkg); err != nil {
		return err
	}
	run := func(times int) (process.Cost, string, error) {
		cmd := exec.CommandContext(ctx, test, "-test.run", "^$", "-test.bench", "^Benchmark"+strings.ReplaceAll(name, "/", "$/^")+"$", "-test.benchtime", fmt.Sprintf("%dx", times))
		cmd.Dir = pkg
		var out bytes.Buffer
		cmd.Stdout = &out
		c, err := process.Run(cmd)
		return c, out.String(), err
	}
	once, out, err := run(1)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	more, out, err := run(1 + n)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		b.add(line)
	}
	b.add(fmt.Sprintf("Benchmark%s %d %d cpu-ns/op", name, n, (more.Processor-once.Processor).Nanoseconds()/int64(n)))
	return nil
}

// data is a folder of the reference's data.
func data(name string) (string, error) {
	dir := filepath.Join(cmp.Or(os.Getenv("TAUGUIDE_SHARED"), filepath.Join("..", "shared")), name)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("the reference's data: %w\nhint: name its folder in TAUGUIDE_SHARED", err)
	}
	return filepath.Abs(dir)
}

// results scores recorded results, four times over; in the short form those of one domain, once.
func (b *lab) results(ctx context.Context) error {
	recorded, err := data("trajectories")
	if err != nil {
		return err
	}
	tau2, err := data("tau2")
	if err != nil {
		return err
	}
	domains, times := []string{"airline", "retail", "telecom"}, 4
	if b.short {
		domains, times = []string{"mock"}, 1
	}
	var bytes int64
	args := []string{"score", "--data", tau2}
	for n := range times {
		for _, domain := range domains {
			dir := filepath.Join(b.dir, "results", strconv.Itoa(n), domain)
			args = append(args, dir)
			size, err := copied(filepath.Join(recorded, domain), dir)
			if err != nil {
				return err
			}
			bytes += size
		}
	}
	c, err := process.Run(exec.CommandContext(ctx, b.bin, args...))
	if err != nil {
		return err
	}
	b.cost("Score", c, fmt.Sprintf("%d file-B", bytes))
	return b.benchmark(ctx, "./runs/tau2", "Corpus/read", 3)
}

// copied copies a folder, unless that was done, and tells its bytes.
func copied(from, to string) (bytes int64, err error) {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil && !errors.Is(err, os.ErrExist) {
		return 0, err
	}
	files, err := os.ReadDir(to)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return 0, err
		}
		bytes += info.Size()
	}
	return bytes, nil
}

// small adds what makes a run small in the short form.
func (b *lab) small(args ...string) []string {
	if b.short {
		args = append(args, "--limit", "1", "--only", "trial=0")
	}
	return args
}

func (b *lab) runs(ctx context.Context) error {
	run := filepath.Join(b.dir, "10k")
	if _, err := os.Stat(run); err != nil {
		if err := b.tauguide(ctx, "Run/10k", b.small("run", "configs/quickstart.yaml", "--trials", "29", "--out", run)...); err != nil {
			return err
		}
	}
	return b.tauguide(ctx, "Tables/10k", "tables", run)
}

// huge measures a run of 100,000 trials, which the benchmark makes and leaves in the folder that it is given.
func (b *lab) huge(ctx context.Context) error {
	if b.short {
		return nil
	}
	run := filepath.Join(b.dir, "huge")
	if err := os.Setenv("TAUGUIDE_HUGE_RUN", run); err != nil {
		return err
	}
	if err := output(ctx, nil, "go", "test", "./runs", "-run", "^$", "-bench", "^BenchmarkHundredThousand$/^open$", "-benchtime", "1x"); err != nil {
		return err
	}
	for _, name := range []string{"open", "resume"} {
		if err := b.benchmark(ctx, "./runs", "HundredThousand/"+name, 1); err != nil {
			return err
		}
	}
	return b.tauguide(ctx, "Tables/100k", "tables", run)
}

func (b *lab) quickstart(ctx context.Context) error {
	return b.tauguide(ctx, "Quickstart", b.small("run", "configs/quickstart.yaml", "--fresh", "--out", filepath.Join(b.dir, "quickstart"))...)
}

// live measures many conversations at once, and beside them a client that only sends as many requests of the same size.
func (b *lab) live(ctx context.Context) error {
	trials := "2000"
	if b.short {
		trials = "2"
	}
	for _, latency := range []string{"200ms", "1s"} {
		args := []string{"-lines", "-bin", b.bin, "-trials", trials, "-latency", latency}
		if b.short {
			args = append(args, "-latency", "1ms")
		}
		named := func(line string) { b.add(strings.Replace(line, "Load/", "Load/"+latency+"/", 1)) }
		if err := output(ctx, named, filepath.Join(b.dir, "load"), args...); err != nil {
			return err
		}
	}
	return nil
}

// scripted measures the server of scripted models and its client, over the reference's tasks.
func (b *lab) scripted(ctx context.Context) error {
	tau2, err := data("tau2")
	if err != nil {
		return err
	}
	config, err := os.ReadFile(filepath.Join("configs", "real-all.yaml"))
	if err != nil {
		return err
	}
	server := exec.CommandContext(ctx, b.bin, "serve-models", "--data", tau2, "--config", filepath.Join("configs", "real-all.yaml"), "--addr", "127.0.0.1:0")
	server.Env = append(os.Environ(), "TAU2_DATA_DIR="+tau2)
	says, err := server.StderrPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := server.Start(); err != nil {
		return err
	}
	defer server.Process.Kill()
	said, err := bufio.NewReader(says).ReadString('\n')
	if err != nil {
		return fmt.Errorf("serve-models said %q: %w", said, err)
	}
	_, address, _ := strings.Cut(strings.TrimSpace(said), "http://")
	file := filepath.Join(b.dir, "served.yaml")
	if err := os.WriteFile(file, bytes.ReplaceAll(config, []byte("127.0.0.1:8377/v1"), []byte(address)), 0o644); err != nil {
		return err
	}
	if err := b.tauguide(ctx, "Served/client", b.small("run", file, "--data", tau2, "--fresh", "--out", filepath.Join(b.dir, "served"))...); err != nil {
		return err
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	_ = server.Wait() // how it ends by a signal is of no interest
	b.cost("Served/server", process.Of(server.ProcessState, time.Since(start)), "")
	return nil
}

func (b *lab) scoring(ctx context.Context) error {
	for _, domain := range []string{"airline", "retail", "telecom"} {
		if err := b.benchmark(ctx, "./sim", "EvaluateENV/"+domain, 10_000); err != nil {
			return err
		}
	}
	return nil
}

// program measures the size of the program and its start.
func (b *lab) program(ctx context.Context) error {
	info, err := os.Stat(b.bin)
	if err != nil {
		return err
	}
	b.add(fmt.Sprintf("BenchmarkRelease 1 %d file-B", info.Size()))
	const starts = 20
	var all process.Cost
	for range starts {
		c, err := process.Run(exec.CommandContext(ctx, b.bin, "--help"))
		if err != nil {
			return err
		}
		all.Wall, all.Processor = all.Wall+c.Wall, all.Processor+c.Processor
	}
	b.add(fmt.Sprintf("BenchmarkStart %d %d ns/op %d cpu-ns/op", starts, all.Wall.Nanoseconds()/starts, all.Processor.Nanoseconds()/starts))
	return nil
}

// reference scores one file of each domain, which has conversations of all its tasks, with the reference and with us.
func (b *lab) reference(ctx context.Context) error {
	python := os.Getenv("TAU2_PYTHON")
	if python == "" {
		return errors.New("the reference is not at hand\nhint: name a Python interpreter that imports it in TAU2_PYTHON")
	}
	tau2, err := data("tau2")
	if err != nil {
		return err
	}
	recorded, err := data("trajectories")
	if err != nil {
		return err
	}
	ask := []string{"-m", "tau2.cli"}
	if err := errors.Join(b.process(ctx, "Reference/start", python, append(ask, "--help")...), b.tauguide(ctx, "Ours/start", "--help")); err != nil {
		return err
	}
	for domain, name := range map[string]string{
		"airline": "sierra-research__azure-airline-full.json",
		"retail":  "bogoliubon__eval_tudor_gpt4o-refined_gpt-4o_test_1trial.json",
		"telecom": "sierra-research__gpt-4.1_telecom_default_gpt-4.1_1trials.json",
	} {
		text, err := os.ReadFile(filepath.Join(recorded, domain, name))
		if err != nil {
			return err
		}
		file := filepath.Join(b.dir, domain+".json") // some versions of the reference write over what they score
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		ours := b.tauguide(ctx, "Ours/"+domain, "score", file, "--data", tau2)
		theirs := b.process(ctx, "Reference/"+domain, python, append(ask, "evaluate-trajs", file, "-o", filepath.Join(b.dir, "rescored"))...)
		if err := errors.Join(ours, theirs); err != nil {
			return err
		}
	}
	return nil
}
