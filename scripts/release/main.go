// Command release builds the program for all systems that it is released for, with checksums:
//
//	go run ./scripts/release -version v1.2.3
//
// The same sources and the same Go give the same bytes, whenever and wherever they are built. What takes room in the
// program, and what of that was left out, is in docs/decisions/017-release.md.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// targets are the systems and processors of a release.
const targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	version := flag.String("version", "", "of the release, such as v1.2.3; what --version then says")
	out := flag.String("out", "dist", "folder for the programs and SHA256SUMS")
	list := flag.String("targets", targets, "which to build, as OS/ARCH[,OS/ARCH...]")
	flag.Parse()
	if *version == "" {
		fmt.Fprintln(os.Stderr, "release: no version\nhint: give one, as in -version v1.2.3")
		os.Exit(2)
	}
	if err := release(os.Stdout, ".", *out, *version, strings.Split(*list, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release builds the module in root for each target, into out, and lists checksums and bytes.
func release(log io.Writer, root, out, version string, targets []string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range targets {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			return fmt.Errorf("target %q\nhint: write it as OS/ARCH, such as linux/amd64", target)
		}
		name := fmt.Sprintf("tauguide_%s_%s_%s", version, system, arch)
		if system == "windows" {
			name += ".exe"
		}
		file := filepath.Join(out, name)
		if err := build(root, file, version, system, arch); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		binary, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(binary), name)
		fmt.Fprintf(log, "%s: %.1f MB\n", name, float64(len(binary))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// build leaves out whatever differs between machines: paths, the state of the checkout, a C library; and the tables that
// only debuggers read.
func build(root, file, version, system, arch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.released="+version, "-o", file, "./cmd/tauguide")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}
