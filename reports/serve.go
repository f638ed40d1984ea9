package reports

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Serve offers the pages in dir over HTTP at addr until ctx ends, which is no
// error. An address without a host is 127.0.0.1: other machines see the pages
// only if the caller says so. ready is called once with the address that is
// listened on, before the first answer.
func Serve(ctx context.Context, dir, addr string, ready func(addr string)) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("reports: no pages to serve in %s", dir)
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("reports: address %q: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("reports: %w", err)
	}
	ready(l.Addr().String())
	return serve(ctx, dir, l)
}

func serve(ctx context.Context, dir string, l net.Listener) error {
	files := http.FileServer(http.Dir(dir))
	srv := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Cache-Control", "no-cache") // a later render shows at once
			files.ServeHTTP(w, r)
		}),
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("reports: serving: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := srv.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-done
	if err != nil {
		return fmt.Errorf("reports: closing: %w", err)
	}
	return nil
}
