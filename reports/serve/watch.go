package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gradsync/experiments/result"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// patience is how many looks a change may go on before it is rendered all the same.
const patience = 10

// changes decides at which look results are rendered: when they are not what was
// rendered and are as they were a look before, for until then somebody is still
// writing; or when they changed for `patience` looks in a row.
type changes struct {
	rendered, last string // states of the results
	waited         int    // looks that found another state than the one before
}

// due takes the state of this look; true: it must be rendered now.
func (c *changes) due(now string) bool {
	if now != c.last {
		c.waited++
	}
	settled := now == c.last || c.waited >= patience
	c.last = now
	switch {
	case now == c.rendered: // changed back
		c.waited = 0
		return false
	case !settled:
		return false
	}
	c.rendered, c.waited = now, 0 // what changes during the render differs from now
	return true
}

// watch renders when the results change and tells open pages when the pages do. One
// goroutine does both, so that a change during a render is seen after it.
func watch(ctx context.Context, o Options, s *site) {
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	var results changes
	if o.Results != "" {
		results.last = resultsState(o.Results)
		if readStamp(s.root).fresh == freshStamp(o, results.last) {
			results.rendered = results.last
			s.rendering.Store(false)
		}
	}
	for {
		if o.Results != "" {
			if now := resultsState(o.Results); results.due(now) {
				s.rendering.Store(true)
				renderServed(ctx, o, s, now)
			}
		}
		s.news.set(pagesState(o.Dir))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// renderServed renders the results, seen in a state, into the served folder and says
// how it went.
func renderServed(ctx context.Context, o Options, s *site, results string) {
	start := time.Now()
	out, err := o.Render()
	s.writing.Lock()
	defer s.writing.Unlock()
	if ctx.Err() != nil {
		return // nobody reads on
	}
	say := func(line string) {
		s.rendering.Store(false) // first, so that whoever reads the line finds what it tells
		o.Say(line)
	}
	if err == nil {
		err = out.Write(o.Dir)
	}
	if err != nil {
		say(fmt.Sprintf("not rendered, the pages of before stay: %v", err))
		return
	}
	st := stamp{files: map[string]string{}}
	for name, b := range out {
		st.files[name] = result.Sum(b)
	}
	removed := st.removeOld(s.root, readStamp(s.root), o.Say)
	st.fresh = freshStamp(o, results)
	if err := page.WriteFile(filepath.Join(o.Dir, stampName), st.bytes()); err != nil {
		o.Say(fmt.Sprintf("the next start renders again: %v", err))
	}
	line := fmt.Sprintf("rendered %s in %.1f s", o.Results, time.Since(start).Seconds())
	if removed > 0 {
		line += "; removed " + typeset.Many(removed, "old file", "").En() + " that these results do not make"
	}
	say(line)
}

// resultsState changes when a result or a record of a run does.
func resultsState(dir string) string {
	return stateOf(dir, func(name string) bool { return strings.HasSuffix(name, ".json") })
}

// pagesState changes when a file of the pages does.
func pagesState(dir string) string { return stateOf(dir, func(string) bool { return true }) }

// stateOf returns a hash over names, sizes and times of the files below dir that are wanted;
// what begins with a dot is someone's in the making. What cannot be read is not there.
func stateOf(dir string, wanted func(name string) bool) string {
	var lines []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		hidden := strings.HasPrefix(d.Name(), ".") && path != dir
		switch {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden || !wanted(d.Name()):
			return nil
		}
		if info, err := d.Info(); err == nil {
			lines = append(lines, fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()))
		}
		return nil
	})
	return sum(lines...)
}

// sum returns a hash over lines.
func sum(lines ...string) string {
	h := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(h[:8])
}

// news is the state of the pages for those who wait for the next one.
type news struct {
	mu      sync.Mutex
	state   string
	changed chan struct{} // closed by the next change
}

func newNews(state string) *news { return &news{state: state, changed: make(chan struct{})} }

func (n *news) set(state string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if state != n.state {
		n.state = state
		close(n.changed)
		n.changed = make(chan struct{})
	}
}

// get returns the state and a channel that the next change closes.
func (n *news) get() (string, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state, n.changed
}
