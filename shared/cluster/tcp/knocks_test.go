package tcp

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"net"
	"strings"
	"testing"
	"time"
)

// A data connection that had to make room for strangers, as one does whose handshake takes long, comes again; the
// run that would else have lost a rank goes on.
func TestDataConnectionComesAgain(t *testing.T) {
	dir := folder(t, 2)
	ln := listenHere(t)
	cfg := Config{Size: 2, Job: "j", Rendezvous: ln.Addr().String(), Timeout: time.Minute, Certs: dir}
	nodes := make([]*node, 2)
	for rank := range nodes {
		cfg.Rank = rank
		c, err := cfg.checked()
		if err == nil {
			err = c.unlock()
		}
		must(t, err)
		nodes[rank] = newNode(c, 1, nil)
	}
	nodes[1].book.Addrs = []string{ln.Addr().String(), "127.0.0.1:1"}
	arrivals := make(chan arrival, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := ln.Accept() // it has to make room before a word is said
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
		nodes[0].admit(t.Context(), ln, arrivals)
	}()
	deadline, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a := nodes[1].dial(deadline, 0)
	if a.err != nil {
		t.Error(a.err)
	} else {
		b := <-arrivals
		if b.from != 1 || a.from != 0 {
			t.Errorf("%+v and %+v", a, b)
		}
		_, _ = a.conn.Close(), b.conn.Close()
	}
	_ = ln.Close()
	<-ended
}

// Who had to leave the door is not taken for somebody who was heard.
func TestDoorSaysWhoHadToLeave(t *testing.T) {
	d := door{}
	var all []net.Conn
	for range maxGreetings + 1 {
		a, b := net.Pipe()
		defer b.Close()
		all = append(all, a)
		d.enter(a)
	}
	if d.leave(all[0]) || !d.leave(all[1]) || d.leave(all[1]) {
		t.Error("the first had to leave, the second was there until it left")
	}
}

// What a stranger's certificate says is not repeated: neither characters that a terminal obeys, nor text without end.
func TestStrangersCertificatesAreNotRepeated(t *testing.T) {
	host, one, _ := holders(t)
	now := time.Now()
	a := sure(newAuthority(Certs{Job: "j", Ranks: 1, From: now.Add(-time.Hour), Until: now.Add(time.Hour)}))(t)
	signed := func(change func(c *x509.Certificate)) *identity {
		c := template(a.spec, "x")
		change(c)
		der := sure(x509.CreateCertificate(rand.Reader, c, a.cert, &a.key.PublicKey, a.key))(t)
		id := *one
		id.pair.Certificate, id.pair.PrivateKey, id.pair.Leaf = [][]byte{der}, a.key, nil
		return &id
	}
	names := signed(func(c *x509.Certificate) {
		c.DNSNames = []string{"\x1b[2Jnobody", strings.Repeat("long", 5000)}
	})
	long := signed(func(c *x509.Certificate) {
		san, err := asn1.Marshal([]asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 6, Bytes: []byte("%zz" + strings.Repeat("long", 5000))}})
		must(t, err)
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: san}}
	})
	for name, stranger := range map[string]*identity{"names": names, "a long address": long} {
		for _, dials := range []bool{true, false} {
			client, server := pair(t)
			said := make(chan error, 1)
			go func() {
				if dials {
					_, err := stranger.open(t.Context(), client, time.Minute, rendezvousHolder)
					said <- err
					return
				}
				_, _, err := stranger.take(server, time.Minute)
				said <- err
			}()
			var err error
			if dials {
				_, _, err = host.take(server, time.Minute)
			} else {
				_, err = one.open(t.Context(), client, time.Minute, rendezvousHolder)
			}
			_, _ = client.Close(), server.Close()
			<-said
			if err == nil || len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\x1b\n") || !isFinal(err) {
				t.Errorf("%s, the stranger dials %v: %.700q", name, dials, err)
			}
		}
	}
	if text := brief(strings.Repeat("é", 1000)); len(text) > 410 || !strings.HasSuffix(text, "é …") {
		t.Errorf("%q", text)
	}
}
