package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tauguide/tauguide/sim"
)

// readRecord reads one record file. The error names the file and, where it is damaged, the place.
func readRecord(dir, file string) (sim.Record, error) {
	r, _, err := loadRecord(dir, file)
	return r, err
}

// resumes is the command that mends a run.
const resumes = "`tauguide run CONFIG --resume`"

// loadRecord is readRecord, with the file's checksum.
func loadRecord(dir, file string) (sim.Record, string, error) {
	full := filepath.Join(dir, filepath.FromSlash(file))
	text, err := os.ReadFile(full)
	if err != nil {
		return sim.Record{}, "", err
	}
	r, err := decodeRecord(text)
	switch {
	case errors.Is(err, errNewer):
		return sim.Record{}, "", fmt.Errorf("record %s: %w", full, err)
	case err != nil:
		return sim.Record{}, "", fmt.Errorf("record %s: %w\nhint: %s runs the trial again", full, err, resumes)
	}
	if want := recordFile(Ref{r.Key, r.Attempt}); want != file {
		return sim.Record{}, "", fmt.Errorf("record %s: it is the record of %s\nhint: move it to %s", full, Ref{r.Key, r.Attempt}, want)
	}
	return r, sha256Hex(text), nil
}

// fileSum is the checksum of a record file; of one that cannot be read, a word that no entry has.
func fileSum(dir, file string) string {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return "unreadable"
	}
	return sha256Hex(text)
}

var errNewer = errors.New("use a newer program")

func decodeRecord(text []byte) (sim.Record, error) {
	var r sim.Record
	if err := json.Unmarshal(text, &r); err != nil {
		return sim.Record{}, atOffset(text, err)
	}
	switch {
	case r.Version < 1 || r.Termination == "":
		return sim.Record{}, errors.New("this is no record: version or termination_reason is missing")
	case r.Version > sim.RecordVersion:
		return sim.Record{}, fmt.Errorf("version %d is newer than this program's %d: %w", r.Version, sim.RecordVersion, errNewer)
	case r.Trial < 0 || r.Attempt < 0:
		return sim.Record{}, fmt.Errorf("trial %d, attempt %d: both count from 0", r.Trial, r.Attempt)
	}
	return r, nil
}

// atOffset adds to an error of JSON where in the text it is.
func atOffset(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := syntax.Offset
		if at > int64(len(text)) || strings.Contains(err.Error(), "unexpected end") {
			at = int64(len(text))
		}
		return fmt.Errorf("damaged at byte %d of %d: %w", at, len(text), err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("field %s holds a %s, which does not fit", strings.TrimPrefix(kind.Field, "Key."), kind.Value)
	}
	return err
}

// RecordInside is Attempt for a folder that may come from anybody: whatever links it holds, nothing outside of it is read.
// raw is the file as it stands there, also where it is not the record that was stored and err says so; it is nil where
// there is no such file.
func (r *Run) RecordInside(ref Ref) (rec sim.Record, raw []byte, err error) {
	file := recordFile(ref)
	full := filepath.Join(r.dir, filepath.FromSlash(file))
	if raw, err = readInside(r.dir, file); err != nil {
		return rec, nil, err
	}
	e, indexed := r.entries[ref]
	if rec, err = decodeRecord(raw); err != nil {
		return sim.Record{}, raw, fmt.Errorf("record %s: %w\nhint: without it, %s runs the trial again", full, err, resumes)
	}
	if got := (Ref{rec.Key, rec.Attempt}); got != ref {
		return sim.Record{}, raw, fmt.Errorf("record %s: it is the record of %s\nhint: bring back that of %s", full, got, ref)
	}
	if indexed && sha256Hex(raw) != e.SHA256 {
		return sim.Record{}, raw, fmt.Errorf("record %s is not the one that was stored, by its checksum\nhint: bring that back; without it, %s runs the trial again", full, resumes)
	}
	return rec, raw, nil
}

// readInside reads a file of a run directory, following no link that leaves it, and nothing that is no file.
func readInside(dir, file string) (text []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(file)
	st, err := root.Stat(name)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Stamp is what tells without reading it that a file is the one that was stored.
type Stamp struct {
	Size     int64 `json:"size,omitempty"`     // bytes
	Modified int64 `json:"modified,omitempty"` // nanoseconds since 1970
}

// stampOf is the zero stamp, which no file has, where there is no such file.
func stampOf(dir, file string) Stamp {
	st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil || !st.Mode().IsRegular() {
		return Stamp{}
	}
	return Stamp{st.Size(), st.ModTime().UnixNano()}
}

// intact reports whether an entry's record is there as it was stored. Size and time of modification tell it of a file that
// nobody touched since; any other is read and compared by its checksum. Entries are no less true for that of a file
// whose bits rotted: they were made from what was stored. Who reads such a record is told then.
func (e Entry) intact(dir string, hash bool) bool {
	if e.SHA256 == "" {
		return false
	}
	if !hash && e.Stamp != (Stamp{}) && e.Stamp == stampOf(dir, e.File) {
		return true
	}
	return e.SHA256 == fileSum(dir, e.File)
}
