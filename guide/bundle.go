package guide

// Bundle is a domain's workflow as it was written: one main file and its subflows.
type Bundle struct {
	Domain   string
	Main     *File
	Subflows []*File // sorted by name
	Origin   *Origin // of one that a model wrote; nil for others
}

// File is one file of a bundle.
type File struct {
	Path    string // within the bundle: main.yaml or subflows/<name>.yaml
	ID      string
	Title   string
	Intents []Intent // main only, in the order of the file
	Entry   string
	Exits   []string
	Nodes   []*Node
	Line    map[string]int // line of each key of the file, from 1
}

// Intent is a kind of request and where the classifier sends it: a subflow, or an exit of the main file.
type Intent struct {
	Label  string
	Target string
	Line   int
}

func (b *Bundle) Files() []*File {
	files := make([]*File, 0, len(b.Subflows)+1)
	if b.Main != nil {
		files = append(files, b.Main)
	}
	return append(files, b.Subflows...)
}

func (b *Bundle) Subflow(name string) (*File, bool) {
	for _, f := range b.Subflows {
		if f.Name() == name {
			return f, true
		}
	}
	return nil, false
}

func (b *Bundle) Used() map[string]bool {
	used := map[string]bool{}
	var visit func(f *File)
	visit = func(f *File) {
		for _, n := range f.Nodes {
			if sub, ok := b.Subflow(n.Subflow); n.Type == Anchor && ok && !used[n.Subflow] {
				used[n.Subflow] = true
				visit(sub)
			}
		}
	}
	if b.Main != nil {
		visit(b.Main)
	}
	return used
}

func (f *File) Node(id string) (*Node, bool) {
	for _, n := range f.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return nil, false
}
