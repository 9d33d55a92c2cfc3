package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/tauguide/tauguide/domains/domaintest"
)

var long = flag.Bool("long", false, "build and install the program, which takes about a minute")

// needLong leaves a test out that builds the program.
func needLong(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("builds the program: run with -long")
	}
}

func TestTargetsAreChecked(t *testing.T) {
	if err := release(io.Discard, ".", t.TempDir(), "v1", []string{"linux"}); err == nil || !strings.Contains(err.Error(), "\nhint: write it as OS/ARCH") {
		t.Errorf("no processor: %v", err)
	}
	if err := release(io.Discard, ".", t.TempDir(), "v1", []string{"linux/none"}); err == nil || !strings.Contains(err.Error(), "linux/none: ") {
		t.Errorf("an unknown processor: %v", err)
	}
}

// TestReleaseIsReproducible builds the same sources in two places: the programs are equal, bear the version, run where
// there is no checkout, and have not grown.
func TestReleaseIsReproducible(t *testing.T) {
	needLong(t)
	const most = 59e6 // bytes; docs/decisions/017-release.md says what they are
	target := runtime.GOOS + "/" + runtime.GOARCH
	root, other := domaintest.Root(t), filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(other, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, from := range []string{root, other} {
		if err := release(io.Discard, from, dirs[i], "v0.0.1", []string{target}); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := os.ReadFile(filepath.Join(dirs[0], "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(dirs[1], "SHA256SUMS")); err != nil || string(again) != string(sums) {
		t.Errorf("two builds of one source differ:\n%s%s", sums, again)
	}
	sum, name, _ := strings.Cut(strings.TrimSpace(string(sums)), "  ")
	binary, err := os.ReadFile(filepath.Join(dirs[0], name))
	if err != nil {
		t.Fatal(err)
	}
	if got := sha256.Sum256(binary); hex.EncodeToString(got[:]) != sum {
		t.Errorf("the checksum is %s", sum)
	}
	if len(binary) > most {
		t.Errorf("the program has %d bytes, more than %.0f: look at what it links", len(binary), most)
	}
	works(t, filepath.Join(dirs[0], name), "v0.0.1")
}

// works runs the program in an empty folder.
func works(t *testing.T, program, version string) {
	t.Helper()
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"--version", version},
		{"run quickstart --limit 1 --trials 1 --out results/quickstart", "PolicyGuide"},
		{"run configs/paper/table1.yaml --synthetic --data embedded --limit 1 --trials 1", "ToolGuard"},
		{"tables --published --table 1", "0.775"},
		{"workflow render airline --format svg", "<svg"},
		{"plots results/quickstart --out pictures", "svg"},
		{"author checklists --help", "checklists"},
	} {
		cmd := exec.Command(program, strings.Fields(c.args)...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, text)
		}
	}
}

// TestInstall installs the program as go install does from a module proxy, which is a folder here: the module's archive
// holds to the rules of such archives, and all that is embedded is in it.
func TestInstall(t *testing.T) {
	needLong(t)
	root, proxy, bin := domaintest.Root(t), t.TempDir(), t.TempDir()
	const path = "github.com/tauguide/tauguide"
	archive := filepath.Join(t.TempDir(), "module.zip")
	version := packed(t, root, archive, path)
	at := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".info": fmt.Sprintf(`{"Version":%q}`, version), version + ".mod": string(mod)} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(archive, filepath.Join(at, version+".zip")); err != nil {
		t.Fatal(err)
	}
	cache := strings.TrimSpace(goCommand(t, nil, "env", "GOMODCACHE"))
	t.Cleanup(func() { // this version is nobody else's
		left, err := filepath.Glob(filepath.Join(cache, "cache", "download", path, "@v", version+".*"))
		if err != nil {
			t.Error(err)
		}
		for _, left := range append(left, filepath.Join(cache, path+"@"+version)) {
			if err := os.RemoveAll(left); err != nil {
				t.Error(err)
			}
		}
	})
	goCommand(t, []string{"GOBIN=" + bin, "GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(cache) + "/cache/download", "GONOPROXY=none", "GOPRIVATE=", "GOSUMDB=off",
		"GOFLAGS=-mod=mod -modcacherw", "GOWORK=off"}, "install", path+"/cmd/tauguide@latest")
	works(t, filepath.Join(bin, "tauguide"+strings.TrimSpace(goCommand(t, nil, "env", "GOEXE"))), version)
}

// packed writes the archive of the module and returns a version that is of its content.
func packed(t *testing.T, root, file, path string) string {
	t.Helper()
	sum := sha256.New()
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	// The names in the archive hold the version, so that its sum is taken first.
	if err := zip.CreateFromDir(sum, module.Version{Path: path, Version: "v0.0.1"}, root); err != nil {
		t.Fatal(err)
	}
	version := fmt.Sprintf("v0.0.1-test.x%x", sum.Sum(nil)[:6])
	if err := zip.CreateFromDir(out, module.Version{Path: path, Version: version}, root); err != nil {
		t.Fatal(err)
	}
	return version
}

// goCommand runs the go command outside of any module.
func goCommand(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
	text, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(text)
}
