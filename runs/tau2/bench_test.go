package tau2_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/tau2"
)

// bigResult repeats the simulations of a recorded result until there are n, each with an id and trial of its own.
func bigResult(t testing.TB, file string, n int) []byte {
	t.Helper()
	dir, _ := corpus(t)
	var o map[string]json.RawMessage
	var sims []map[string]json.RawMessage
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, file)), &o); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(o["simulations"], &sims); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"info":%s,"tasks":%s,"simulations":[`, o["info"], o["tasks"])
	for i := range n {
		s := sims[i%len(sims)]
		s["id"] = fmt.Appendf(nil, `"%08d"`, i)
		s["trial"] = fmt.Append(nil, i/len(sims))
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(text)
	}
	b.WriteString("]}")
	return b.Bytes()
}

func openBig(t testing.TB, text []byte) *tau2.Source {
	t.Helper()
	s, err := tau2.OpenFS(fstest.MapFS{"x.json": &fstest.MapFile{Data: text}}, "x.json", "x.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.NameAs("", "", all.Domains()); err != nil {
		t.Fatal(err)
	}
	return s
}

// peak is the most heap that was in use while work ran, beyond what was before, looked at after each step.
type peak struct{ before, most uint64 }

func newPeak() *peak {
	p := &peak{}
	p.before = heap()
	return p
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (p *peak) look() {
	if h := heap(); h > p.before {
		p.most = max(p.most, h-p.before)
	}
}

// TestMemoryIsFlat reads and scores results of 40 and 400 simulations and wants the same memory for both, apart from
// a few bytes for each trial number.
func TestMemoryIsFlat(t *testing.T) {
	const file = "retail/bogoliubon__eval_tudor_gpt4o-refined_gpt-4o_test_1trial.json"
	ws := realWorlds(t)
	used := map[int]uint64{}
	for _, n := range []int{40, 400} {
		s := openBig(t, bigResult(t, file, n))
		w := ws.of(s)
		p := newPeak()
		done := 0
		for c, err := range tau2.CompareAll(context.Background(), w, tau2.Jobs(s, w, tau2.RecordedTasks), 1, nil, tau2.Options{}) {
			if err != nil || c.Outcome != tau2.Agree {
				t.Fatal(c.Outcome, err)
			}
			if done++; done%(n/8) == 0 {
				p.look()
			}
		}
		if done != n {
			t.Fatalf("%d simulations, want %d", done, n)
		}
		used[n] = p.most
	}
	t.Logf("40 simulations: %d kB, 400: %d kB", used[40]/1024, used[400]/1024)
	if used[400] > used[40]+2<<20 {
		t.Errorf("memory grows with the number of simulations: %d bytes for 40, %d for 400", used[40], used[400])
	}
}

// BenchmarkThousand imports and scores 1,000 recorded simulations of each kind.
func BenchmarkThousand(b *testing.B) {
	ws := realWorlds(b)
	for _, bm := range []struct{ name, file string }{
		{"airline", "airline/sierra-research__azure-airline-full.json"},
		{"retail", "retail/bogoliubon__eval_tudor_gpt4o-refined_gpt-4o_test_1trial.json"},
		{"telecom", "telecom/sierra-research__gpt-4.1_telecom_default_gpt-4.1_1trials.json"},
	} {
		text := bigResult(b, bm.file, 1000)
		w := ws.of(openBig(b, text))
		b.Run("import/"+bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				out := filepath.Join(b.TempDir(), "run")
				if _, err := tau2.Import(context.Background(), openBig(b, text), tau2.ImportOptions{Out: out, World: w}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("score/"+bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := openBig(b, text)
				for c, err := range tau2.CompareAll(context.Background(), w, tau2.Jobs(s, w, tau2.RecordedTasks), runtime.GOMAXPROCS(0), nil, tau2.Options{}) {
					if err != nil || c.Outcome != tau2.Agree {
						b.Fatal(c.Outcome, err)
					}
				}
			}
		})
		b.Run("read/"+bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for _, err := range openBig(b, text).Simulations() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkCorpus opens, reads, and scores all recorded results.
func BenchmarkCorpus(b *testing.B) {
	dir, files := corpus(b)
	ws := realWorlds(b)
	var size int64
	for _, f := range files {
		size += int64(len(readFile(b, filepath.Join(dir, f))))
		ws.of(source(b, filepath.Join(dir, f)))
	}
	each := func(name string, use func(*tau2.Source)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range files {
					use(source(b, filepath.Join(dir, f)))
				}
			}
		})
	}
	each("open", func(*tau2.Source) {})
	each("read", func(s *tau2.Source) { simulations(b, s) })
	each("score", func(s *tau2.Source) {
		w := ws.of(s)
		for _, err := range tau2.CompareAll(context.Background(), w, tau2.Jobs(s, w, tau2.RecordedTasks), runtime.GOMAXPROCS(0), nil, tau2.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
