package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Stream is the source of chance for one purpose of one trial. Equal arguments give equal streams, on every machine
// and in every order of trials; the system is left out of the key, so that all systems meet the same draws and
// comparisons are paired.
func Stream(runSeed int64, key Key, purpose string) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %d %q", runSeed, key.Domain, key.Task, key.Trial, purpose))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}
