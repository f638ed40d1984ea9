package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

// stampName is a file beside the pages that says of what they were rendered, so that
// the next start need not render them again, and which files they are, so that those
// that no result makes any more can be removed. It is not served.
const stampName = ".rendered"

// stamp holds the content of that file: a line with fresh, then one for each file.
type stamp struct {
	fresh string            // see freshStamp
	files map[string]string // hash of the bytes that were written, by slash-separated name
}

// readStamp reads the stamp in a folder; without one it is empty, and so nothing is
// fresh and nothing is the server's own.
func readStamp(root *os.Root) stamp {
	st := stamp{files: map[string]string{}}
	b, err := root.ReadFile(stampName)
	if err != nil {
		return st
	}
	lines := strings.Split(string(b), "\n")
	st.fresh = lines[0]
	for _, line := range lines[1:] {
		if hash, name, ok := strings.Cut(line, "  "); ok {
			st.files[name] = hash
		}
	}
	return st
}

// bytes returns the file: after the first line as sha256sum writes it.
func (st stamp) bytes() []byte {
	var b strings.Builder
	b.WriteString(st.fresh + "\n")
	for _, name := range slices.Sorted(maps.Keys(st.files)) {
		b.WriteString(st.files[name] + "  " + name + "\n")
	}
	return []byte(b.String())
}

// removeOld removes the files of an earlier render that are not in st and still have
// the bytes that were written then, and the folders that this empties; it returns how
// many files. One that cannot be removed is said, and stays in st for the next time.
func (st stamp) removeOld(root *os.Root, old stamp, say func(string)) (removed int) {
	for _, name := range slices.Sorted(maps.Keys(old.files)) {
		if _, made := st.files[name]; made {
			continue
		}
		b, err := root.ReadFile(name)
		if err == nil && result.Sum(b) != old.files[name] {
			continue // somebody else's by now
		}
		if err == nil {
			err = root.Remove(name)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			st.files[name] = old.files[name]
			say(fmt.Sprintf("a file that no result makes any more stays: %v", err))
		default:
			removed++
			for dir := path.Dir(name); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
			}
		}
	}
	return removed
}
