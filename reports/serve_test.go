package reports

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestServeAndStop(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("a page"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- serve(ctx, dir, l) }()
	resp, err := http.Get("http://" + l.Addr().String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if b, _ := io.ReadAll(resp.Body); string(b) != "a page" || resp.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("got %q, Cache-Control %q", b, resp.Header.Get("Cache-Control"))
	}
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("stopped with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("does not stop")
	}
}

func TestServeRefusesWhatIsNotThere(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	never := func(addr string) { t.Errorf("said to listen on %s", addr) }
	if err := Serve(ctx, filepath.Join(t.TempDir(), "absent"), "127.0.0.1:0", never); err == nil {
		t.Error("served a folder that is not there")
	}
	if err := Serve(ctx, t.TempDir(), "nonsense", never); err == nil {
		t.Error("served at an address without a port")
	}
}

// The address that is announced is the one that answers.
func TestServeAnnouncesItsAddress(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("here"), 0o644); err != nil {
		t.Fatal(err)
	}
	said, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- Serve(ctx, dir, "127.0.0.1:0", func(addr string) { said <- addr }) }()
	res, err := http.Get("http://" + <-said + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != "here" {
		t.Errorf("answered %q", body)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
