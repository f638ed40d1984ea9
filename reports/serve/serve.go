package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"gradsync/reports/page"
)

// Options says what Serve serves.
type Options struct {
	Dir     string // folder of the pages
	Addr    string // host:port; without a host 127.0.0.1, so that only this machine sees the pages
	Results string // rendered into Dir now and whenever they change; "": Dir is served as it is
	// Render makes the files of Results; it is not called where there is no Results.
	Render func() (page.Outputs, error)
	// Ready is called once, before the first answer, with the address that is listened on.
	Ready func(addr string)
	// Say gets one line for each render and each failure of one, without a line break.
	Say func(line string)
	// Every is how often the folders are looked at; 0: each second.
	Every time.Duration
}

// Serve offers the pages in Dir over HTTP until ctx ends, which is no error. Pages in
// a browser load themselves again when files of Dir change. With Results, pages that
// are not of these results, this program and this folder are rendered anew, in the
// background; a render that fails leaves the old pages alone. Files of an earlier
// render of Serve's that this one does not make are removed, unless somebody changed
// them. When ctx ends, a render that is writing is waited for, and one that is not yet
// writing never will: Dir holds all files of a render or none.
func Serve(ctx context.Context, o Options) error {
	if o.Every == 0 {
		o.Every = time.Second
	}
	if o.Results != "" {
		if st, err := os.Stat(o.Results); err != nil || !st.IsDir() {
			return fmt.Errorf("serve: no results to render in %s: make some with `gradsync run dasp`, or name their folder with --results", o.Results)
		}
		if err := os.MkdirAll(o.Dir, 0o755); err != nil {
			return fmt.Errorf("serve: %w", err)
		}
	}
	if st, err := os.Stat(o.Dir); err != nil || !st.IsDir() {
		return fmt.Errorf("serve: no pages to serve in %s: `gradsync report` makes them", o.Dir)
	}
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return fmt.Errorf("serve: address %q: want host:port, or :port: %w", o.Addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, winAddrInUse) {
		return fmt.Errorf("serve: %s is in use by another program: end it, or take another port with --addr, as --addr :0 for any free one",
			net.JoinHostPort(host, port))
	}
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return serve(ctx, o, host, l)
}

// winAddrInUse is WSAEADDRINUSE, which Windows reports for a port in use.
const winAddrInUse = syscall.Errno(10048)

// farewell is how long answers that are on their way may take when all ends.
var farewell = 2 * time.Second

// serve serves on l; host is the name under which the pages may be asked for.
func serve(ctx context.Context, o Options, host string, l net.Listener) error {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		_ = l.Close()
		return fmt.Errorf("serve: %w", err)
	}
	defer root.Close()
	ctx, stop := context.WithCancel(ctx)
	site := &site{root: root, host: host, news: newNews(pagesState(o.Dir))}
	defer func() {
		site.writing.Lock() // after a render that is writing; a later one finds ctx ended
		defer site.writing.Unlock()
		stop()
	}()
	site.rendering.Store(o.Results != "")
	srv := &http.Server{
		ReadHeaderTimeout: 10 * time.Second, Handler: site,
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends the streams of open pages
	}
	o.Ready(l.Addr().String())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	go watch(ctx, o, site)
	select {
	case err := <-done:
		return fmt.Errorf("serve: serving: %w", err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	err = srv.Shutdown(closing)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-done
	if err != nil {
		return fmt.Errorf("serve: closing: %w", err)
	}
	return nil
}

// freshStamp returns the first line of the stamp of pages that were rendered from results
// of this state by this program and were not touched since.
func freshStamp(o Options, results string) string {
	program := "unknown"
	if path, err := os.Executable(); err == nil {
		if st, err := os.Stat(path); err == nil {
			program = fmt.Sprintf("%s %d %d", path, st.Size(), st.ModTime().UnixNano())
		}
	}
	where, err := filepath.Abs(o.Results)
	if err != nil {
		where = o.Results
	}
	return sum("results "+where, results, "program "+program, "pages "+pagesState(o.Dir))
}
