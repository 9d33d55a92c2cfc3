package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	strict "github.com/go-json-experiment/json"

	"github.com/tauguide/tauguide/sim"
)

// The commands that mend a run.
const (
	resumes = "`tauguide run CONFIG --resume`"
	accepts = "`tauguide score DIR --accept-edits`"
)

// decodeFile reads the text of a record file. The error names the file and, where it is damaged, the place.
func decodeFile(dir, file string, text []byte) (sim.Record, error) {
	full := filepath.Join(dir, filepath.FromSlash(file))
	r, err := decodeRecord(text)
	ref := Ref{r.Key, r.Attempt}
	switch want := recordFile(ref); {
	case errors.Is(err, errNewer):
		return sim.Record{}, fmt.Errorf("record %s: %w", full, err)
	case err != nil:
		return sim.Record{}, fmt.Errorf("record %s: %w\nhint: %s runs the trial again", full, err, resumes)
	case want != file:
		return sim.Record{}, fmt.Errorf("record %s: it is the record of %s\nhint: move it to %s", full, ref, want)
	}
	return r, nil
}

var errNewer = errors.New("use a newer program")

// decode reads JSON. The strict reader is three times as fast; what it does not take is left to the other one, which says
// what is wrong as well.
func decode[T any](text []byte, o ...strict.Options) (T, error) {
	var fast, slow T
	if strict.Unmarshal(text, &fast, o...) == nil {
		return fast, nil
	}
	err := json.Unmarshal(text, &slow)
	return slow, err
}

// decodeRecord reads the text of a record.
func decodeRecord(text []byte) (sim.Record, error) {
	r, err := decode[sim.Record](text, strict.RejectUnknownMembers(true)) // those of another version may be of any case
	if err != nil {
		return sim.Record{}, atOffset(text, err)
	}
	switch {
	case r.Version < 1 || r.Termination == "":
		return sim.Record{}, errors.New("this is no record: version or termination_reason is missing")
	case r.Version > sim.RecordVersion:
		return sim.Record{}, fmt.Errorf("version %d is newer than this program's %d\nhint: %w", r.Version, sim.RecordVersion, errNewer)
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

// stored reads the text of an entry's record, which must be the one that was stored.
func (r *Run) stored(e Entry, text []byte) (sim.Record, error) {
	rec, err := decodeFile(r.dir, e.File, text)
	if err == nil && sha256Hex(text) != e.SHA256 {
		return sim.Record{}, errEdited(r.dir, e.File)
	}
	return rec, err
}

// errEdited says of a record that can be read that it is not what was stored.
func errEdited(dir, file string) error {
	return fmt.Errorf("record %s is not the one that was stored, by its checksum\nhint: bring that back, or take over what is there with %s; otherwise %s runs the trial again",
		filepath.Join(dir, filepath.FromSlash(file)), accepts, resumes)
}

// RecordInside is Attempt for a folder that may come from anybody: whatever links it holds, nothing outside of it is read.
// raw is the file as it is there, also where it is not the record that was stored and err says so; it is nil where
// there is no such file.
func (r *Run) RecordInside(ref Ref) (rec sim.Record, raw []byte, err error) {
	if raw, err = readInside(r.dir, recordFile(ref)); err != nil {
		return rec, nil, err
	}
	e, indexed := r.entries[ref]
	if !indexed {
		rec, err = decodeFile(r.dir, recordFile(ref), raw)
	} else {
		rec, err = r.stored(e, raw)
	}
	return rec, raw, err
}

// readInside reads a file of a run directory, following no link that leaves it, and nothing that is no file.
func readInside(dir, file string) ([]byte, error) {
	f, err := openInside(dir, file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// openInside is readInside for a file that is not read whole.
func openInside(dir, file string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(file)
	st, err := root.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	if err := checkMode(filepath.Join(dir, name), st.Mode()); err != nil {
		return nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	return f, nil
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

// untouched reports whether a file has the size and the time of modification that it was stored with.
func (e Entry) untouched(now Stamp) bool {
	return e.Stamp != (Stamp{}) && e.Stamp == now && e.SHA256 != ""
}

// intact reports whether an entry's record is there as it was stored, by its checksum.
func (e Entry) intact(dir string, now Stamp) bool {
	return (e.Size == 0 || e.Size == now.Size) && e.SHA256 != "" && e.SHA256 == fileSum(filepath.Join(dir, filepath.FromSlash(e.File)))
}
