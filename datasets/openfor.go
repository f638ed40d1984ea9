package datasets

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// OpenFor returns the set that a paper trains on, or, where the look-up finds it
// nowhere, the embedded Fashion-MNIST subset with a Note that says in words what
// differs from the paper. A broken set is still an error. Notes name no folder, so
// that they may stand in results compared byte by byte.
func OpenFor(paper string, o Options) (*Set, error) {
	s, err := Open(paper, o)
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		return s, err
	}
	e, err := lookup(paper)
	if err != nil {
		return nil, err
	}
	if s, err = openEmbedded(); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("the paper's %s was not found%s; in its place: %s", e.title, passedNote(e, o), subsetNote(s))
	if how, err := s.Adaptation(e.c, e.h, e.w); err == nil && how != "" {
		note += ", " + how
	}
	s.Note = note + fmt.Sprintf(". `gradsync data fetch %s` gets %s", e.name, e.title)
	return s, nil
}

// subsetNote describes the embedded subset.
func subsetNote(s *Set) string {
	return fmt.Sprintf("embedded Fashion-MNIST, %s training and %s test images, balanced, of 60,000 and 10,000",
		thousands(s.Train.Len()), thousands(s.Test.Len()))
}

// passedNote says which places named by the user hold no such set.
func passedNote(e *entry, o Options) string {
	var named []string
	if o.Dir != "" {
		named = append(named, "--data-dir")
	}
	if os.Getenv(EnvDir) != "" {
		named = append(named, "$"+EnvDir)
	}
	if len(named) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: no %s there)", strings.Join(named, " and "), e.title)
}

// thousands writes n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
