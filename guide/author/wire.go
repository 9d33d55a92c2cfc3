package author

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// noChanges is how a review says that nothing is to be mended.
const noChanges = "NO_CHANGES"

// block is a fenced part of an answer, with the path that is named beside or above its fence, or in comments at its head.
type block struct{ path, text string }

var pathPattern = regexp.MustCompile(`[A-Za-z0-9_./-]+\.json\b`)

// blocks are the fenced blocks of an answer; if there are none, what is between its outermost braces.
func blocks(answer string) ([]block, error) {
	answer = strings.ReplaceAll(answer, "\r\n", "\n")
	var out []block
	var text strings.Builder
	fence, path, above := "", "", "" // fence is that of the open block
	for line := range strings.Lines(answer) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && trimmed == fence:
			out = append(out, block{path, text.String()})
			text.Reset()
			fence, above = "", ""
		case fence != "" && text.Len() == 0 && strings.HasPrefix(trimmed, "//"):
			path = cmp.Or(path, pathPattern.FindString(trimmed))
		case fence != "":
			text.WriteString(line)
		case strings.HasPrefix(trimmed, "```"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
			path = cmp.Or(pathPattern.FindString(trimmed), pathPattern.FindString(above))
		case trimmed != "":
			above = trimmed
		}
	}
	if fence != "" {
		return nil, fmt.Errorf("the block of %s is not closed: end it with %s on a line of its own", cmp.Or(path, "no file"), fence)
	}
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if len(out) == 0 && from >= 0 && to > from {
		before := strings.Split(strings.TrimSpace(answer[:from]), "\n")
		out = append(out, block{pathPattern.FindString(before[len(before)-1]), answer[from : to+1]})
	}
	return out, nil
}

// files are the files of an answer by path. A block without a path is the one that was asked for, if a single one was.
func files(answer, asked string) (map[string]string, error) {
	list, err := blocks(answer)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	var bad []error
	for _, b := range list {
		if !strings.HasPrefix(strings.TrimSpace(b.text), "{") {
			continue // of the reasoning
		}
		path := cmp.Or(b.path, asked)
		_, twice := out[path]
		switch {
		case path == "":
			bad = append(bad, errors.New("a file stands under no path: write its path on the line above the fence"))
		case twice:
			bad = append(bad, fmt.Errorf("%s is there twice: answer with each file once", path))
		case asked != "" && path != asked:
			bad = append(bad, fmt.Errorf("%s was not asked for: answer with %s and no other file", path, asked))
		}
		out[path] = b.text
	}
	if len(out) == 0 {
		bad = append(bad, fmt.Errorf("there is no file in the answer: write the path, and below it the file in a fence of ```json"))
	}
	return out, errors.Join(bad...)
}

// unchanged tells whether a review found nothing to mend.
func unchanged(answer string) bool {
	list, err := blocks(answer)
	return err == nil && len(list) == 0 && strings.Contains(answer, noChanges)
}

// strict is the text of a JSON value, with the usual slips of models corrected.
func strict(text string) ([]byte, error) {
	if json.Valid([]byte(text)) {
		return []byte(text), nil
	}
	repaired, err := jsonrepair.Repair(text)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return []byte(repaired), nil
}

// lastJSON reads the last block of an answer that is JSON of the kind.
func lastJSON(answer string, to any) error {
	list, err := blocks(answer)
	if err != nil {
		return err
	}
	for _, b := range slices.Backward(list) {
		if !strings.HasPrefix(strings.TrimSpace(b.text), "{") {
			continue
		}
		raw, err := strict(b.text)
		if err == nil {
			err = json.Unmarshal(raw, to)
		}
		return err
	}
	return errors.New("there is no JSON object in the answer: end it with one in a fence of ```json")
}

// short bounds a complaint: what a model wrote into a name may be long.
func short(err error) error {
	const most = 4000
	if text := err.Error(); len(text) > most {
		return fmt.Errorf("%s …", strings.ToValidUTF8(text[:most], ""))
	}
	return err
}
