package memo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// open opens folders and returns what is said of files in them.
func open(t *testing.T, out string, kept ...string) (*Memo, *[]string) {
	t.Helper()
	var said []string
	m := oktest.Must(Open(out, kept, func(line string) { said = append(said, line) }))(t)
	t.Cleanup(m.Close)
	return m, &said
}

// save keeps a part in a folder of its own.
func save(t *testing.T, dir, name string, v any) {
	t.Helper()
	m, _ := open(t, "", dir)
	defer m.Close()
	oktest.Nil(t, m.Save(name, v))
}

// Parts of several folders are read, what is new goes to the first, and all outlive the command.
func TestFoldersAreJoined(t *testing.T) {
	all, monday, tuesday := t.TempDir(), t.TempDir(), t.TempDir()
	save(t, monday, "a", 1.5)
	save(t, tuesday, "b", []int{2})
	save(t, tuesday, "a", 9.0) // an earlier folder has it
	m, said := open(t, "", all, monday, tuesday)
	var a float64
	var b []int
	if !m.Load("a", &a) || a != 1.5 || !m.Load("b", &b) || b[0] != 2 || m.Load("c", &a) || m.Parts() != 2 || m.Taken != 2 {
		t.Errorf("a %g, b %v, %d parts, %d taken; want 1.5, 2, 2, 2", a, b, m.Parts(), m.Taken)
	}
	if err := m.Save("c", "new"); err != nil || len(partsIn(all)) != 1 || m.Made != 1 {
		t.Errorf("%v: %d parts in the first folder, want 1", err, len(partsIn(all)))
	}
	if err := m.Clear(); err != nil || m.Parts() != 3 || len(*said) != 0 {
		t.Errorf("after the command %d parts (%v, %v), want 3", m.Parts(), err, *said)
	}
}

// A file that is no whole part of that name is ignored with one line, which says why.
func TestDamagedPartsAreIgnored(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(raw, other string) string
		want   string
	}{
		"cut off":           {func(raw, _ string) string { return raw[:len(raw)/2] }, "damaged"},
		"another value":     {func(raw, _ string) string { return strings.Replace(raw, `"value":41`, `"value":42`, 1) }, "another hash"},
		"another part":      {func(_, other string) string { return other }, "another part"},
		"another format":    {func(raw, _ string) string { return strings.Replace(raw, "part 1", "part 0", 1) }, "format"},
		"no part":           {func(string, string) string { return "{}" }, "format"},
		"another shape":     {func(raw, _ string) string { return strings.Replace(raw, `"value":41`, `"value":"x"`, 1) }, "another hash"},
		"nothing is broken": {func(raw, _ string) string { return raw }, ""},
	} {
		dir := t.TempDir()
		save(t, dir, "a", 41)
		path := partsIn(dir)[0]
		raw := oktest.Must(os.ReadFile(path))(t)
		save(t, dir, "b", 7)
		other := oktest.Must(os.ReadFile(filepath.Join(dir, hash([]byte("b"))+".json")))(t)
		oktest.Nil(t, os.WriteFile(path, []byte(test.damage(string(raw), string(other))), 0o644))
		m, said := open(t, "", dir)
		var v int
		found := m.Load("a", &v)
		if found != (test.want == "") || len(*said) > 1 || test.want != "" && (len(*said) == 0 || !strings.Contains((*said)[0], test.want)) {
			t.Errorf("%s: found %v, said %q; want %q", name, found, *said, test.want)
		}
		if err := m.Save("a", 41); err != nil || !m.Load("a", &v) || v != 41 {
			t.Errorf("%s: made again it is %d (%v), want 41", name, v, err)
		}
		m.Close()
	}
}

// Of a part that is longer than any is, nothing is read.
func TestPartsAreReadUpToALimit(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "a", 41)
	oktest.Nil(t, os.Truncate(partsIn(dir)[0], maxFile+1))
	m, said := open(t, "", dir)
	defer m.Close()
	var v int
	const want = "at most 67108864 are read"
	if m.Load("a", &v) || len(*said) != 1 || !strings.Contains((*said)[0], want) {
		t.Errorf("said %q; want %q", *said, want)
	}
	if _, err := Values(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// Without folders of the user's the parts of a command go with it, and lie below its results.
func TestPartsOfACommandGoWithIt(t *testing.T) {
	out := t.TempDir()
	m, _ := open(t, out)
	if err := m.Save("a", 1); err != nil || m.Parts() != 1 || m.Root != filepath.Join(out, ".memo") {
		t.Fatalf("%d parts in %s (%v)", m.Parts(), m.Root, err)
	}
	if err := m.Clear(); err != nil || m.Parts() != 0 {
		t.Errorf("%d parts are left (%v)", m.Parts(), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	oktest.Nil(t, os.WriteFile(file, nil, 0o644))
	m, _ := open(t, "", dir)
	for want, kept := range map[string][]string{"no such file": {t.TempDir(), dir + "-"}, "is no folder": {t.TempDir(), file}, "another gradsync run": {dir}} {
		if _, err := Open("", kept, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", kept, err, want)
		}
	}
	m.Close()
}
