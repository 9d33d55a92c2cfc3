package guide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// What a bundle that a model wrote keeps of its publication, within its folder.
const (
	ManifestFile = "authoring/manifest.json"
	FrozenDir    = "authoring/published" // the files as they were published
)

// Origin is who wrote a bundle, and what of it a person changed since.
type Origin struct {
	Domain    string `json:"domain"`
	Model     string `json:"model"`
	Synthetic bool   `json:"synthetic,omitempty"`
	// Files has the hash of each file as published, by path. A file without one counts as edited.
	Files map[string]string `json:"files_sha256"`
	// Edited are the nodes that are not as the model wrote them, as file.node, and files of which more than nodes differ:
	// those that the manifest names, and, once the bundle is loaded, those that differ from the published ones.
	Edited []string `json:"edited,omitempty"`
}

// Hash is the SHA-256 of what the file says: comments, white space and the order of keys do not count.
func (f *File) Hash() string {
	sum := sha256.Sum256(Format(f))
	return hex.EncodeToString(sum[:])
}

// Hash is the SHA-256 of what all files say.
func (b *Bundle) Hash() string {
	sum := sha256.New()
	for _, f := range b.Files() {
		sum.Write([]byte(f.Path + " " + f.Hash() + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// origin reads a bundle's manifest, and compares the files with it; nil if there is none.
func origin(fsys fs.FS, b *Bundle) (*Origin, error) {
	text, err := domains.ReadText(fsys, ManifestFile, yamlfile.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	o := &Origin{}
	if err == nil {
		err = json.Unmarshal(text, o)
	}
	if err != nil {
		return nil, err
	}
	now := map[string]*File{}
	for _, f := range b.Files() {
		now[f.Path] = f
	}
	for _, name := range sortedKeys(now) {
		if o.Files[name] != now[name].Hash() {
			o.Edited = append(o.Edited, differing(frozen(fsys, name), now[name])...)
		}
	}
	for _, name := range sortedKeys(o.Files) {
		if now[name] == nil {
			o.Edited = append(o.Edited, strings.TrimSuffix(path.Base(name), ".yaml"))
		}
	}
	slices.Sort(o.Edited)
	o.Edited = slices.Compact(o.Edited)
	return o, nil
}

// frozen is a file as it was published; nil where there is none that can be read.
func frozen(fsys fs.FS, name string) *File {
	text, err := domains.ReadText(fsys, path.Join(FrozenDir, name), yamlfile.MaxBytes)
	if err != nil {
		return nil
	}
	f, _ := ParseFile(name, text)
	return f
}

// Differing are the nodes of two states of a bundle that say something else, as file.node, and the names of files of which
// more than nodes differ, sorted.
func Differing(a, b *Bundle) (out []string) {
	find := func(x *Bundle, path string) *File {
		for _, f := range x.Files() {
			if f.Path == path {
				return f
			}
		}
		return nil
	}
	for _, f := range b.Files() {
		if old := find(a, f.Path); old == nil || old.Hash() != f.Hash() {
			out = append(out, differing(old, f)...)
		}
	}
	for _, f := range a.Files() {
		if find(b, f.Path) == nil {
			out = append(out, f.Name())
		}
	}
	slices.Sort(out)
	return out
}

// differing are the nodes of two states of a file that say something else, as file.node; the file's name, if more than
// that differs or there is no earlier state.
func differing(a, b *File) (out []string) {
	if a == nil {
		return []string{b.Name()}
	}
	for _, n := range b.Nodes {
		if m, ok := a.Node(n.ID); !ok || FormatNode(m) != FormatNode(n) {
			out = append(out, b.Name()+"."+n.ID)
		}
	}
	for _, n := range a.Nodes {
		if _, ok := b.Node(n.ID); !ok {
			out = append(out, b.Name()+"."+n.ID)
		}
	}
	head := func(f File) string {
		f.Nodes = nil
		return string(Format(&f))
	}
	if len(out) == 0 || head(*a) != head(*b) {
		out = append(out, b.Name())
	}
	return out
}

// LoadPublished reads a bundle as it was published. The error says so if that is not what the manifest has the hashes of.
func LoadPublished(fsys fs.FS, domain string) (*Bundle, error) {
	text, err := domains.ReadText(fsys, ManifestFile, yamlfile.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("the bundle was not published by tauguide author workflow: %w", err)
	}
	var o Origin
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	sub, err := fs.Sub(fsys, FrozenDir)
	if err != nil {
		return nil, err
	}
	b, err := Load(sub, domain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FrozenDir, err)
	}
	got := map[string]string{}
	for _, f := range b.Files() {
		got[f.Path] = f.Hash()
	}
	if !maps.Equal(got, o.Files) {
		return nil, fmt.Errorf("%s does not hold what was published, by the hashes in %s\nhint: bring back both", FrozenDir, ManifestFile)
	}
	return b, nil
}

// Diff shows what differs between two states of a bundle in what they say, as a unified diff; "" if nothing does.
func Diff(a, b *Bundle) string {
	states := [2]map[string]string{{}, {}}
	for i, x := range []*Bundle{a, b} {
		for _, f := range x.Files() {
			states[i][f.Path] = string(Format(f))
		}
	}
	all := maps.Clone(states[0])
	maps.Copy(all, states[1])
	var out strings.Builder
	for _, name := range sortedKeys(all) {
		out.WriteString(udiff.Unified(path.Join(FrozenDir, name), name, states[0][name], states[1][name]))
	}
	return out.String()
}
