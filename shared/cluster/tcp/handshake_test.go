package tcp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// folder makes certificates of ranks.
func folder(t *testing.T, ranks int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "certs")
	sure(MakeCerts(dir, Certs{Job: "j", Ranks: ranks, From: time.Now().Add(-time.Minute), Until: time.Now().Add(time.Hour)}))(t)
	return dir
}

// holders makes a folder of certificates and returns the identities of the rendezvous and of two ranks.
func holders(t *testing.T) (host, one, two *identity) {
	t.Helper()
	dir := folder(t, 2)
	return held(t, dir, rendezvousHolder), held(t, dir, holderOf(0)), held(t, dir, holderOf(1))
}

// pair returns both ends of a connection.
func pair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	ln := listenHere(t)
	client = dialled(t, ln)
	server = sure(ln.Accept())(t)
	t.Cleanup(func() { _ = server.Close() })
	return client, server
}

// memory counts the sessions that a client is given.
type memory struct {
	tls.ClientSessionCache
	put int
}

func (m *memory) Put(key string, s *tls.ClientSessionState) {
	if s != nil {
		m.put++
	}
	m.ClientSessionCache.Put(key, s)
}

// A listener speaks TLS 1.3 alone, gives no ticket, so that no session is resumed without its certificate being looked
// at, and wants to hear of exactly one rank.
func TestHandshakeOfAListener(t *testing.T) {
	host, one, _ := holders(t)
	given := &memory{ClientSessionCache: tls.NewLRUClientSessionCache(4)}
	mine := claim + one.own
	for _, c := range []struct {
		name   string
		change func(cfg *tls.Config)
		want   string // in the listener's error; "": it takes the connection
	}{
		{"a rank", func(*tls.Config) {}, ""}, {"the same again", func(*tls.Config) {}, ""},
		{"TLS 1.2", func(cfg *tls.Config) { cfg.MinVersion, cfg.MaxVersion = tls.VersionTLS12, tls.VersionTLS12 }, "unsupported versions"},
		{"no protocol", func(cfg *tls.Config) { cfg.NextProtos = nil }, "which rank"},
		{"another protocol", func(cfg *tls.Config) { cfg.NextProtos = []string{"h2"} }, "which rank"},
		{"nobody", func(cfg *tls.Config) { cfg.NextProtos = []string{claim} }, "which rank"},
		{"two ranks", func(cfg *tls.Config) { cfg.NextProtos = []string{mine, claim + holderOf(1)} }, "which rank"},
		{"another rank", func(cfg *tls.Config) { cfg.NextProtos = []string{claim + holderOf(1)} }, `of "rank-0", want rank-1`},
		{"no certificate", func(cfg *tls.Config) { cfg.Certificates = nil }, "didn't provide a certificate"},
	} {
		client, server := pair(t)
		cfg := one.settings()
		cfg.SessionTicketsDisabled, cfg.ClientSessionCache = false, given
		cfg.RootCAs, cfg.ServerName, cfg.NextProtos = one.pool, everybody, []string{mine}
		c.change(cfg)
		conn := tls.Client(client, cfg)
		_ = client.SetDeadline(time.Now().Add(time.Minute))
		go func() {
			if conn.Handshake() == nil {
				_, _ = conn.Write([]byte("frame"))
				_, _ = conn.Read(make([]byte, 1)) // a ticket would come now
			}
		}()
		got, who, err := host.take(server, time.Minute)
		if c.want != "" {
			if err == nil || who != "" || got != server || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %q, %v, want %q", c.name, who, err, c.want)
			}
			continue
		}
		var b [5]byte
		if err == nil {
			_, err = got.Read(b[:])
		}
		if err != nil || who != one.own || string(b[:]) != "frame" {
			t.Fatalf("%s: %q, %v", c.name, who, err)
		}
		if s := got.(*tls.Conn).ConnectionState(); s.DidResume || s.Version != tls.VersionTLS13 || len(s.VerifiedChains) != 1 {
			t.Errorf("%s: %+v", c.name, s)
		}
		_ = server.Close()
	}
	if given.put > 0 {
		t.Errorf("%d tickets were given", given.put)
	}
}

// Whoever opens a connection looks at the other end's certificate before it says a word.
func TestHandshakeOfADialler(t *testing.T) {
	host, one, two := holders(t)
	foreign, _, _ := holders(t)
	for _, c := range []struct {
		name string
		at   *identity
		want string // "": it goes well
	}{{"rendezvous", host, ""}, {"a rank for the rendezvous", two, `of "rank-1", want rendezvous`}, {"another authority", foreign, "another authority"}} {
		client, server := pair(t)
		heard := make(chan int, 1)
		go func() {
			cfg := c.at.settings()
			cfg.NextProtos = []string{claim + one.own}
			conn := tls.Server(server, cfg)
			n, _ := conn.Read(make([]byte, 9))
			heard <- n
		}()
		conn, err := one.open(t.Context(), client, time.Minute, rendezvousHolder)
		if err == nil {
			_, err = conn.Write([]byte("frame"))
		}
		_ = client.Close()
		if n := <-heard; c.want == "" && (err != nil || n == 0) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !isFinal(err) || n != 0) {
			t.Errorf("%s: %v, the other end heard %d bytes; want %q", c.name, err, n, c.want)
		}
	}
}

// Whoever opens a connection waits for the other end's certificate no longer than it is told to, however slowly bytes drip in.
func TestHandshakeThatDrips(t *testing.T) {
	_, one, _ := holders(t)
	WithoutWaiting(t, func(t *testing.T) {
		client, server := net.Pipe()
		dripped := make(chan int, 1)
		go func() {
			n := 0
			for _, b := range append([]byte{0x16, 3, 3, 0x40, 0}, make([]byte, 1000)...) {
				if _, err := server.Write([]byte{b}); err != nil {
					break
				}
				n++
				time.Sleep(20 * time.Millisecond)
			}
			dripped <- n
		}()
		go func() { _, _ = io.Copy(io.Discard, server) }()
		begin := time.Now()
		_, err := one.open(t.Context(), client, 90*time.Millisecond, rendezvousHolder)
		took := time.Since(begin)
		_ = client.Close()
		if n := <-dripped; err == nil || isFinal(err) || took != 90*time.Millisecond || n != 5 {
			t.Errorf("%v after %v and %d bytes, want an end after 90 ms, 5 bytes and another try", err, took, n)
		}
	})
}

// A connection that ends within the handshake, as one does that the door lets go, is tried again. A certificate that
// nobody read opens nothing, and never in the clear.
func TestHandshakeThatBreaksOff(t *testing.T) {
	_, one, _ := holders(t)
	client, server := pair(t)
	_ = server.Close()
	if _, err := one.open(t.Context(), client, time.Minute, rendezvousHolder); err == nil || isFinal(err) {
		t.Errorf("%v, want an error that is not final", err)
	}
	cfg := sure(Config{Size: 1, Rendezvous: "127.0.0.1:1", Certs: t.TempDir()}.checked())(t)
	client, server = pair(t)
	if _, err := cfg.id.open(context.Background(), client, time.Second, "x"); !errors.Is(err, errLocked) || !isFinal(err) {
		t.Errorf("opened: %v", err)
	}
	if _, _, err := cfg.host.take(server, time.Second); !errors.Is(err, errLocked) {
		t.Errorf("taken: %v", err)
	}
	if err := cfg.unlock(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}
