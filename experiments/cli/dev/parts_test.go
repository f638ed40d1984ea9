package dev

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/cli/memo"
	"gradsync/internal/oktest"
)

// kept makes a folder with parts, by name.
func kept(t *testing.T, parts map[string]float64) string {
	t.Helper()
	dir := t.TempDir()
	m := oktest.Must(memo.Open("", []string{dir}, func(line string) { t.Error(line) }))(t)
	defer m.Close()
	for name, v := range parts {
		oktest.Nil(t, m.Save(name, v))
	}
	return dir
}

// Numbers that changed under the same version of the bits stop ci-results and ci-check, which say
// what to raise; new parts and a raised version are listed anew.
func TestForgottenBits(t *testing.T) {
	root := clone(t)
	oktest.Nil(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(committed)), 0o755))
	v1 := kept(t, map[string]float64{`{"bits":1,"key":"a"}`: 1, `{"bits":1,"key":"b"}`: 2})
	var out bytes.Buffer
	if err := writeParts(root, v1, 1, &out); err != nil || checkParts(root, v1, 1, true) != nil {
		t.Fatalf("first list: %v, %v", err, checkParts(root, v1, 1, true))
	}
	for name, test := range map[string]struct {
		dir  string
		bits int
		want string // of checkParts
		lost bool   // writeParts fails too
	}{
		"another value":          {kept(t, map[string]float64{`{"bits":1,"key":"a"}`: 1, `{"bits":1,"key":"b"}`: 3}), 1, "raise Bits", true},
		"another value, raised":  {kept(t, map[string]float64{`{"bits":2,"key":"a"}`: 1, `{"bits":2,"key":"b"}`: 3}), 2, "renew it by ci-results", false},
		"one more":               {kept(t, map[string]float64{`{"bits":1,"key":"a"}`: 1, `{"bits":1,"key":"b"}`: 2, `{"bits":1,"key":"c"}`: 3}), 1, "3 under", false},
		"nothing but the number": {kept(t, map[string]float64{`{"bits":2,"key":"a"}`: 1, `{"bits":2,"key":"b"}`: 2}), 2, "version 1", false},
	} {
		_ = os.Remove(filepath.Join(root, filepath.FromSlash(partsFile)))
		oktest.Nil(t, writeParts(root, v1, 1, &out))
		if err := checkParts(root, test.dir, test.bits, true); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		err := writeParts(root, test.dir, test.bits, &out)
		if (err != nil) != test.lost || err == nil && checkParts(root, test.dir, test.bits, true) != nil {
			t.Errorf("%s: written anew %v, then %v", name, err, checkParts(root, test.dir, test.bits, true))
		}
	}
}

// TestPartsOfSomeStems: of some parts those listed suffice; another value, one that is not listed and another version
// fail.
func TestPartsOfSomeStems(t *testing.T) {
	root := clone(t)
	oktest.Nil(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(committed)), 0o755))
	listed := kept(t, map[string]float64{`{"bits":1,"key":"a"}`: 1, `{"bits":1,"key":"b"}`: 2})
	oktest.Nil(t, writeParts(root, listed, 1, &bytes.Buffer{}))
	for _, test := range []struct {
		parts     map[string]float64
		bits      int
		all, some string
	}{
		{map[string]float64{`{"bits":1,"key":"b"}`: 2}, 1, "lists 2 parts", ""},
		{map[string]float64{}, 1, "lists 2 parts", ""},
		{map[string]float64{`{"bits":1,"key":"b"}`: 3}, 1, "raise Bits", "raise Bits"},
		{map[string]float64{`{"bits":1,"key":"b"}`: 2, `{"bits":1,"key":"c"}`: 2}, 1, "lists 2 parts", "there are 2 under"},
		{map[string]float64{`{"bits":2,"key":"b"}`: 2}, 2, "under version 2", "under version 2"},
	} {
		dir := kept(t, test.parts)
		for all, want := range map[bool]string{true: test.all, false: test.some} {
			err := checkParts(root, dir, test.bits, all)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("parts %v, all %v: %v, want %q", test.parts, all, err, want)
			}
		}
	}
}
