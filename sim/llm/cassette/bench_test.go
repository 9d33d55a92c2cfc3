package cassette_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// conversation is a trial of 30 calls with a policy of 20 kB.
func conversation() [][]string {
	texts := []string{strings.Repeat("a rule of the policy; ", 900)}
	var out [][]string
	for i := range 30 {
		texts = append(texts, fmt.Sprint("turn ", i, strings.Repeat(" said something", 20)))
		out = append(out, texts[:len(texts):len(texts)])
	}
	return out
}

// BenchmarkReplay plays a trial of 30 calls.
func BenchmarkReplay(b *testing.B) {
	dir := b.TempDir()
	record := connect(b, faultserver.NewFunc(b, counting).URL, dir, cassette.Record, cassette.Options{})
	calls := conversation()
	for i, texts := range calls {
		complete(b, record, request(0, i, texts...))
	}
	st, err := os.Stat(onlyTape(b, dir))
	if err != nil {
		b.Fatal(err)
	}
	replay := connect(b, "http://127.0.0.1:1/v1", dir, cassette.Replay, cassette.Options{})
	b.ReportAllocs()
	for b.Loop() {
		for i, texts := range calls {
			complete(b, replay, request(0, i, texts...))
		}
	}
	b.ReportMetric(float64(st.Size()), "tape-bytes")
}
