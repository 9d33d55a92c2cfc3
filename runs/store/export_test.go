package store

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/llm"
)

// Names for tests.
var (
	RecordFile   = recordFile
	TaskName     = taskName
	FolderName   = folderName
	DecodeRecord = decodeRecord
	ReadIndex    = func(dir string) (map[Ref]Entry, error) {
		x, err := readIndex(dir, true)
		if err != nil {
			return nil, err
		}
		return x.entries, nil
	}
	ReadScores = func(dir string) (gradings, error) { return readGradings(dir, nil, decodeScore) }
	ReadPlan   = func(dir string) ([]config.Planned, error) { return readPlan(dir, nil) }
	ReadHolder = readHolder
)

// Lines reads JSON lines as stores do, and returns what is whole, and the numbers of the damaged lines.
func Lines(text []byte) (whole [][]byte, damaged []int, torn bool) {
	err := scanLines(bytes.NewReader(text), 1<<20, func(_ int, _ int64, line []byte) error {
		if !json.Valid(line) {
			return errors.New("damaged")
		}
		whole = append(whole, bytes.Clone(line))
		return nil
	}, func(n int, _ []byte, err error) {
		if err == nil {
			torn = true
		} else {
			damaged = append(damaged, n)
		}
	})
	if err != nil {
		panic(err)
	}
	return whole, damaged, torn
}

// Mend opens a file of lines for appending and closes it again.
func Mend(path string) error {
	a, err := openAppender(path, llm.Redactor{})
	if err != nil {
		return err
	}
	return a.close()
}
