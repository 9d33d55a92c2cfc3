package domains

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

// maxYAML bounds a file of tables, so that a mistaken path does not fill the memory.
const maxYAML = 1 << 20

// DecodeYAML reads a text of one YAML document strictly: unknown keys, a second document and an empty text are errors,
// with the position where there is one.
func DecodeYAML[T any](text []byte, into *T) (err error) {
	if len(text) > maxYAML {
		return fmt.Errorf("the file has %d bytes: keep it under %d", len(text), maxYAML)
	}
	// The YAML parser is not proof against every malformed text.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the YAML parser gave up (%v): simplify the file until it parses", p)
		}
	}()
	if err := CheckNesting(text); err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("the file is empty: write one YAML document")
		}
		return fmt.Errorf("%w: correct the YAML", err)
	}
	var more T
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return errors.New("the file holds a second YAML document: keep one and drop the line ---")
	}
	return nil
}

// Words is a list of texts that a YAML file may write as one text.
type Words []string

// UnmarshalYAML reads a text or a list of texts.
func (w *Words) UnmarshalYAML(read func(any) error) error {
	var one string
	if err := read(&one); err == nil {
		*w = Words{one}
		return nil
	}
	var many []string
	if err := read(&many); err != nil {
		return err
	}
	*w = many
	return nil
}
