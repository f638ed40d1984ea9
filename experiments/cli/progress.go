package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// plainEvery is how often progress is a line where it cannot be a bar.
const plainEvery = 5 * time.Second

// bar shows progress on standard error: a bar on a terminal, a plain line every
// five seconds elsewhere. Its methods may be called from several goroutines.
type bar struct {
	mu    sync.Mutex
	w     io.Writer
	name  string
	bar   *progressbar.ProgressBar // nil: plain lines
	last  time.Time
	quiet bool
}

// newBar starts the progress of one piece of work.
func (a *app) newBar(name string) *bar {
	b := &bar{w: a.err, name: name, quiet: a.quiet, last: time.Now()}
	if f, ok := a.err.(*os.File); ok && !a.quiet && term.IsTerminal(int(f.Fd())) {
		b.bar = progressbar.NewOptions64(1000, progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(name),
			progressbar.OptionEnableColorCodes(os.Getenv("NO_COLOR") == ""), progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(true))
	}
	return b
}

// set reports done of total, in any unit.
func (b *bar) set(done, total float64, what string) {
	if b.quiet || total <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	share := min(max(done/total, 0), 1)
	if b.bar != nil {
		b.bar.Describe(b.name + "  " + what)
		_ = b.bar.Set64(int64(1000 * share)) // a bar that cannot be drawn stops nothing
		return
	}
	if now := time.Now(); now.Sub(b.last) >= plainEvery {
		b.last = now
		fmt.Fprintf(b.w, "%s: %3.0f %%  %s\n", b.name, 100*share, what)
	}
}

func (b *bar) finish() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
