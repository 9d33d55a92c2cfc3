package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/guide/verify"
)

// A bundle is the same workflow in whichever folder it is.
func TestLoadFromAFolder(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	want, err := verify.Load(w, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "third-attempt")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(domaintest.Root(t), "guide/bundles/mock"))); err != nil {
		t.Fatal(err)
	}
	got, err := verify.Load(w, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash != want.Hash {
		t.Errorf("the hash is %s, built in %s", got.Hash, want.Hash)
	}
}
