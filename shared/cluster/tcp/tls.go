package tcp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// ErrClear refuses connections in the clear that another machine could reach.
var ErrClear = errors.New("tcp: off loopback the ranks want --certs DIR (`gradsync certs DIR --ranks N` makes it), or --insecure")

// unlock reads this process's certificates.
func (c *Config) unlock() (err error) {
	if c.Certs == "" {
		return nil
	}
	if c.id, err = loadIdentity(c.Certs, holderOf(c.Rank)); err == nil && c.Host {
		err = c.unlockRendezvous()
	}
	return err
}

// unlockRendezvous reads the certificate of the rendezvous, which this process hosts.
func (c *Config) unlockRendezvous() (err error) {
	if c.Certs != "" {
		c.host, err = loadIdentity(c.Certs, rendezvousHolder)
	}
	return err
}

// allowed says no to an address that others than this machine reach, where
// connections are in the clear and nobody said that they may be.
func (c *Config) allowed(addr net.Addr) error {
	if at, ok := addr.(*net.TCPAddr); c.Certs != "" || c.Insecure || ok && at.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%v: %w", addr, ErrClear)
}

// claim begins the name of the protocol that a rank offers (ALPN) when it opens a
// connection; its own name follows, before anything else is said.
const claim = "gradsync/1 "

// settings returns what both ends have: TLS 1.3 alone, no tickets, records of full
// size from the first on.
func (id *identity) settings() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{id.pair}, MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true, DynamicRecordSizingDisabled: true}
}

// is returns a check that a peer's certificate, which TLS has verified, is that of a
// holder of this job.
func (id *identity) is(holder string) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return errors.New("tcp: no certificate")
		}
		switch job, err := jobIn(s.PeerCertificates[0], holder); {
		case err != nil:
			return err
		case job != id.job:
			return errors.New("tcp: the certificate is of another job")
		}
		return nil
	}
}

// plain is the identity of ranks that have no certificates: connections stay as they are.
var plain = &identity{}

// errLocked is the end of a connection whose certificate nobody read: it is a mistake of
// this package, which must not end in the clear.
var errLocked = errors.New("tcp: the certificate was not read")

// open makes the connection to a holder one of TLS, from the opening end, within limit.
func (id *identity) open(ctx context.Context, conn net.Conn, limit time.Duration, holder string) (net.Conn, error) {
	switch id {
	case plain:
		return conn, nil
	case nil:
		return conn, errLocked
	}
	ctx, cancel := context.WithTimeout(ctx, limit) // however slowly bytes drip in
	defer cancel()
	cfg := id.settings()
	cfg.RootCAs, cfg.ServerName, cfg.NextProtos, cfg.VerifyConnection = id.pool, everybody, []string{claim + id.own}, id.is(holder)
	t := tls.Client(bare{&steady{Conn: conn, limit: limit}}, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		return conn, secured(conn, err)
	}
	return t, nil
}

// take is open for the end that listens, whose caller bounds its time (hear). It returns
// who opened the connection, "" in the clear.
func (id *identity) take(conn net.Conn, limit time.Duration) (net.Conn, string, error) {
	switch id {
	case plain:
		return conn, "", nil
	case nil:
		return conn, "", errLocked
	}
	cfg, who := id.settings(), ""
	cfg.ClientCAs, cfg.ClientAuth = id.pool, tls.RequireAndVerifyClientCert
	cfg.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if len(hello.SupportedProtos) == 1 {
			who, _ = strings.CutPrefix(hello.SupportedProtos[0], claim)
		}
		if who == "" || who == hello.SupportedProtos[0] {
			return nil, errors.New("tcp: it does not say which rank it is")
		}
		c := cfg.Clone()
		c.GetConfigForClient, c.NextProtos, c.VerifyConnection = nil, hello.SupportedProtos, id.is(who)
		return c, nil
	}
	t := tls.Server(bare{&steady{Conn: conn, limit: limit}}, cfg)
	if err := t.Handshake(); err != nil {
		return conn, "", secured(conn, err)
	}
	return t, who, nil
}

// secured words a handshake's failure in one line.
func secured(conn net.Conn, err error) error {
	var plain tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &plain):
		err = fmt.Errorf("%w: it speaks in the clear, this job by --certs", errStranger)
	case errors.As(err, &unknown):
		err = fmt.Errorf("%w: its certificate is of another authority", errStranger)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		err = fmt.Errorf("%w: %w by this host's clock", errStranger, invalid)
	case errors.As(err, &name): // the names in it are a stranger's words
		err = fmt.Errorf("%w: its certificate is none of `gradsync certs`", errStranger)
	case errors.As(err, &cert):
		err = fmt.Errorf("%w: %w", errStranger, cert.Err)
	case refusedByPeer(err):
		err = fmt.Errorf("it refused this rank's certificate: %w", err)
	case brokeOff(err):
	default:
		err = fmt.Errorf("%w: %s", errStranger, brief(err.Error()))
	}
	return fmt.Errorf("tls with %v: %w", conn.RemoteAddr(), err)
}

// brief bounds a text that may repeat what a stranger said.
func brief(text string) string {
	const most = 400
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// handshake begins a record of TLS in which somebody opens a connection.
const handshake = 0x16

// errTLS is the end of a connection by TLS to a rendezvous in the clear.
var errTLS = errors.New("tcp: it speaks TLS (--certs), this job in the clear")

// errStranger is the end of a handshake with somebody who is not who he must be.
var errStranger = errors.New("refused")

// brokeOff reports whether a handshake ended with its connection or its time, and not
// with a refusal.
func brokeOff(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) || errors.As(err, &op) && (op.Op == "read" || op.Op == "write")
}

// refusedByPeer reports whether the other end sent an alert.
func refusedByPeer(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// isFinal reports whether another attempt would end in the same way.
func isFinal(err error) bool {
	return errors.Is(err, errStranger) || refusedByPeer(err) || errors.Is(err, ErrClear) || errors.Is(err, errLocked)
}

// newSteady returns the connection with its limit, and that below TLS where it has
// TLS: what moves is then counted in bytes of the network.
func newSteady(conn net.Conn, limit time.Duration) *steady {
	if t, ok := conn.(*tls.Conn); ok {
		s := t.NetConn().(bare).steady
		s.over, s.limit = t, limit
		return s
	}
	return &steady{Conn: conn, limit: limit}
}

// bare is the connection below TLS.
type bare struct{ *steady }

func (b bare) Read(p []byte) (int, error) { return b.pull(p) }

// Write writes all of p, however slowly, unless nothing moves: TLS takes no half of a
// write.
func (b bare) Write(p []byte) (n int, err error) {
	b.sent.Add(int64(len(p)))
	for n < len(p) {
		if err := b.arm(); err != nil {
			return n, err
		}
		k, err := b.Conn.Write(p[n:])
		if n += k; err != nil && !(k > 0 && errors.Is(err, os.ErrDeadlineExceeded)) {
			return n, err
		}
	}
	return n, nil
}

// record is how many bytes one record of TLS carries at most.
const record = 16 << 10

// seal writes bufs by TLS and consumes them. A header and what is small share records
// with what follows; the rest of a large piece is one Write.
func (s *steady) seal(bufs *net.Buffers) error {
	few := s.few[:0]
	for len(*bufs) > 0 {
		b := (*bufs)[0]
		*bufs = (*bufs)[1:]
		for len(b) > 0 {
			if len(few) == 0 && len(b) >= record {
				if _, err := s.over.Write(b); err != nil {
					return err
				}
				break
			}
			k := min(len(b), record-len(few))
			few, b = append(few, b[:k]...), b[k:]
			if len(few) == record {
				if _, err := s.over.Write(few); err != nil {
					return err
				}
				few = few[:0]
			}
		}
	}
	s.few = few
	if len(few) == 0 {
		return nil
	}
	_, err := s.over.Write(few)
	return err
}
