package metrics_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestEveryFunctionHasAnExample: some example calls each function that the package exports, and each method that estimates.
func TestEveryFunctionHasAnExample(t *testing.T) {
	shown, exported := map[string]bool{}, map[string]*ast.FuncDecl{}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(os.DirFS("."), name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case strings.HasSuffix(name, "_test.go") && strings.HasPrefix(f.Name.Name, "Example"):
				ast.Inspect(f, func(n ast.Node) bool {
					if call, ok := n.(*ast.SelectorExpr); ok {
						shown[call.Sel.Name] = true
					}
					return true
				})
			case !strings.HasSuffix(name, "_test.go") && f.Name.IsExported() && (f.Recv == nil || estimates(f)):
				exported[f.Name.Name] = f
			}
		}
	}
	for name, f := range exported {
		if !shown[name] || f.Doc == nil {
			t.Errorf("%s has no example or no comment", name)
		}
	}
	if len(exported) < 35 {
		t.Errorf("only %d functions are exported", len(exported))
	}
}

// estimates reports whether a method gives an Estimate.
func estimates(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	for _, r := range f.Type.Results.List {
		if name, ok := r.Type.(*ast.Ident); ok && name.Name == "Estimate" {
			return true
		}
	}
	return false
}
