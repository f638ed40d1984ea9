package tcp_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// only copies some files of a folder of certificates into a new one.
func only(t *testing.T, dir string, files ...string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range append(files, "ca.pem") {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		must(t, err)
	}
	return to
}

// A rendezvous that no rank runs has its own certificate, who follows the run elsewhere shows a rank's, and an elastic
// run over TLS goes on without the rank that it loses. In the clear it is given no stranger's ear.
func TestRendezvousAloneOverTLS(t *testing.T) {
	dir := certificates(t, 3)
	cfgs, s := elasticBy(t, 3, 1, never, only(t, dir, "rendezvous.pem"), only(t, dir, "rank-0.pem", "rank-1.pem", "rank-2.pem"))
	stranger, err := net.Dial("tcp", cfgs[0].Rendezvous)
	must(t, err)
	defer stranger.Close()
	if _, err := stranger.Write(tcp.Deadly(cfgs[0].Job)); err != nil {
		t.Fatal(err)
	}
	_, errs := each(cfgs, func(p cluster.Proc) ([]byte, error) {
		if p.Rank() == 1 {
			return nil, cluster.ErrCrashed
		}
		return meets(p, 1)
	})
	if <-s.done; s.err != nil || errs[0] != nil || errs[2] != nil || errs[1] == nil || !slices.Equal(s.lost, []int{1}) {
		t.Errorf("the rendezvous says %v, lost %v; the ranks %v", s.err, s.lost, errs)
	}
}

// Processes that are killed over TLS are lost, whichever they are, and the others go on.
func TestSurvivorsOfKilledProcessesOverTLS(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("make test has a host that is lost over TLS (TestAHostIsLost): set GRADSYNC_LONG=1")
	}
	dir := certificates(t, 4)
	for _, victims := range [][]int{{2}, {0}, {0, 1}, {3, 0, 1}} {
		outlive(t, dir, 4, victims...)
	}
}

// Off loopback who follows a run says nothing in the clear unless it may, and hears all with a certificate.
func TestWatchOffLoopback(t *testing.T) {
	addresses, err := net.InterfaceAddrs()
	must(t, err)
	i := slices.IndexFunc(addresses, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.To4() != nil && !n.IP.IsLoopback()
	})
	if i < 0 {
		t.Skip("NOT RUN: this machine has no address but loopback's")
	}
	at := net.JoinHostPort(addresses[i].(*net.IPNet).IP.String(), "0")
	listen := func() net.Listener {
		ln, err := net.Listen("tcp", at)
		must(t, err)
		t.Cleanup(func() { _ = ln.Close() })
		return ln
	}
	ln := listen()
	cfg := tcp.Config{Size: 1, Job: "j", Rendezvous: ln.Addr().String(), Elastic: true, Timeout: never}
	if _, err := tcp.Watch(t.Context(), cfg, tcp.Events{}); !errors.Is(err, tcp.ErrClear) {
		t.Errorf("%v, want %v", err, tcp.ErrClear)
	}
	if conn, err := ln.Accept(); err != nil {
		t.Error(err)
	} else if n, _ := conn.Read(make([]byte, 1)); n > 0 {
		t.Error("it said something in the clear")
	}
	dir := certificates(t, 1)
	for _, change := range []func(c *tcp.Config){func(c *tcp.Config) { c.Insecure = true }, func(c *tcp.Config) { c.Certs = dir }} {
		ln, cfg := listen(), cfg
		cfg.Rendezvous = ln.Addr().String()
		change(&cfg)
		ends := make(chan error, 3)
		here := make(chan struct{})
		go func() {
			_, err := tcp.Rendezvous(t.Context(), cfg, ln, tcp.Events{})
			ends <- err
		}()
		go func() {
			_, err := tcp.Watch(t.Context(), cfg, tcp.Events{Here: func() { close(here) }})
			ends <- err
		}()
		go func() {
			select {
			case <-here:
			case <-time.After(never):
			}
			_, err := tcp.New(cfg).Run(t.Context(), nothing)
			ends <- err
		}()
		if err := errors.Join(<-ends, <-ends, <-ends); err != nil {
			t.Errorf("insecure %v: %v", cfg.Insecure, err)
		}
	}
}

// A rendezvous off loopback wants its certificate, or to be told that it needs none.
func TestRendezvousAloneOffLoopback(t *testing.T) {
	dir := certificates(t, 2)
	must(t, os.Remove(filepath.Join(dir, "rendezvous.pem")))
	for certs, want := range map[string]string{"": tcp.ErrClear.Error(), dir: "rendezvous.pem"} {
		ln, err := net.Listen("tcp", "0.0.0.0:0")
		must(t, err)
		addr := ln.Addr().(*net.TCPAddr)
		at := net.Listener(named{ln, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: addr.Port}})
		_, err = tcp.Rendezvous(t.Context(), tcp.Config{Size: 2, Job: "j", Elastic: true, Certs: certs}, at, tcp.Events{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("certificates %q: %v, want %q", certs, err, want)
		}
		if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Error(fmt.Errorf("the listener is open: %w", err))
		}
	}
}

// named is a listener that says it listens elsewhere.
type named struct {
	net.Listener
	addr net.Addr
}

func (n named) Addr() net.Addr { return n.addr }
