// Package svg lays out a graph in DOT, for drawings of others. It runs Graphviz, compiled to WebAssembly, in this process;
// nothing of it is compiled before a layout is asked for. docs/decisions/012-svg.md says where the binary comes from.
package svg

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:embed graphviz.wasm.gz
var packed []byte

// unpacked is the binary: packed it is less than half as large.
func unpacked() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Prepare compiles Graphviz, once in a process: whoever is going to draw soon can have it done beforehand. It takes half a
// second of a processor the first time, and 20 ms where the user's cache folder has it. Safe for concurrent use, as all functions here are.
func Prepare() error {
	_, err := compiled()
	return err
}

// Draw draws a graph in DOT as Graphviz itself does, in SVG.
func Draw(ctx context.Context, dot string) ([]byte, error) { return render(ctx, dot, "svg") }

func render(ctx context.Context, dot, format string) ([]byte, error) {
	m, err := start(ctx)
	if err != nil {
		return nil, fmt.Errorf("start the graph layout: %w", err)
	}
	defer m.module.Close(ctx)
	out, err := m.draw(dot, format)
	if err != nil {
		return nil, fmt.Errorf("lay the graph out: %w", err)
	}
	return out, nil
}

// engine is Graphviz, ready to be started.
type engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// compiled compiles the binary, once somebody draws, and keeps it in the user's cache folder for later starts of the program.
var compiled = sync.OnceValues(func() (engine, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return compile("")
	}
	return compile(filepath.Join(dir, "tauguide"))
})

// compile compiles the binary, or takes what a folder keeps of an earlier time. A folder that cannot be used, or whose file is
// damaged, is passed over.
func compile(dir string) (engine, error) {
	binary, err := unpacked()
	if err != nil {
		return engine{}, err
	}
	if cache, err := wazero.NewCompilationCacheWithDir(dir); dir != "" && err == nil {
		if e, err := load(binary, wazero.NewRuntimeConfig().WithCompilationCache(cache)); err == nil {
			return e, nil
		}
	}
	return load(binary, wazero.NewRuntimeConfig())
}

// load readies the binary. It imports callbacks for layouts and renderers of the host's, of which there are none: they do
// nothing.
func load(binary []byte, how wazero.RuntimeConfig) (engine, error) {
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	e := engine{runtime: wazero.NewRuntimeWithConfig(ctx, how)}
	var err error
	if e.compiled, err = e.runtime.CompileModule(ctx, binary); err != nil {
		return e, err
	}
	host := e.runtime.NewHostModuleBuilder("env")
	for _, f := range e.compiled.ImportedFunctions() {
		if module, name, _ := f.Import(); module == "env" {
			nothing := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) { clear(stack) })
			host.NewFunctionBuilder().WithGoModuleFunction(nothing, f.ParamTypes(), f.ResultTypes()).Export(name)
		}
	}
	if _, err := host.Instantiate(ctx); err != nil {
		return e, err
	}
	_, err = wasi_snapshot_preview1.Instantiate(ctx, e.runtime)
	return e, err
}

// start starts a Graphviz of its own for each drawing, so that they share nothing and may be made side by side.
func start(ctx context.Context) (*machine, error) {
	e, err := compiled()
	if err != nil {
		return nil, err
	}
	module, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, err
	}
	return &machine{ctx: ctx, module: module}, nil
}

// machine is a running Graphviz. Its methods stop at the first error, which draw returns. Memory is freed with it.
type machine struct {
	ctx    context.Context
	module api.Module
	err    error
}

func (m *machine) draw(dot, format string) ([]byte, error) {
	plugins := m.pointer()
	m.invoke("wasm_bridge_SymList_default", plugins)
	graphviz := m.result("getContextWithPlugins", m.load(plugins), 1)
	graph := m.result("memRead", m.text(dot))
	if m.err == nil && graph == 0 {
		m.err = errors.New("the text is not a graph in DOT")
	}
	m.result("Context_layout", graphviz, graph, m.text("dot"))
	data, size := m.pointer(), m.pointer()
	m.result("Context_renderData", graphviz, graph, m.text(format), data, size)
	text := m.load(data) // of the bytes and their number
	return m.read(m.load(text), m.load(text+4)), m.err
}

func (m *machine) invoke(name string, args ...uint64) uint64 {
	if m.err != nil {
		return 0
	}
	out, err := m.module.ExportedFunction(name).Call(m.ctx, args...)
	if err != nil {
		m.err = fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return 0
	}
	return out[0]
}

// result calls a function that returns through a pointer behind its arguments.
func (m *machine) result(name string, args ...uint64) uint64 {
	p := m.pointer()
	m.invoke("wasm_bridge_"+name, append(args, p)...)
	return m.load(p)
}

func (m *machine) pointer() uint64 { return m.invoke("malloc", 4) }

// text copies a string into the machine.
func (m *machine) text(s string) uint64 {
	p := m.invoke("malloc", uint64(len(s)+1))
	if m.err == nil && !m.module.Memory().Write(uint32(p), append([]byte(s), 0)) {
		m.err = errors.New("the graph does not fit into memory")
	}
	return p
}

func (m *machine) load(p uint64) uint64 {
	v, ok := m.module.Memory().ReadUint32Le(uint32(p))
	if m.err == nil && !ok {
		m.err = errors.New("a pointer leads out of memory")
	}
	return uint64(v)
}

func (m *machine) read(p, size uint64) []byte {
	b, ok := m.module.Memory().Read(uint32(p), uint32(size))
	if m.err == nil && !ok {
		m.err = errors.New("the drawing leads out of memory")
	}
	return append([]byte(nil), b...)
}
