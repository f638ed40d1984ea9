package tcp

import (
	"crypto/ecdsa"
	"crypto/tls"
	"net"
	"time"
)

// WithFaults passes every data connection through wrap.
func (c Config) WithFaults(wrap func(peer int, conn net.Conn) net.Conn) Config {
	c.wrap = wrap
	return c
}

// Polling makes the ranks of one process poll as those of several do.
func (c Config) Polling() Config {
	c.poll = 1
	return c
}

// Sleeping lets nobody poll: on a clock that stands while anybody runs, polls would not end.
func (c Config) Sleeping() Config {
	c.poll = -1
	return c
}

// IssueFor makes a folder of certificates signed by an authority that is signed for
// another job, too: the same authority, its name in each certificate is c.Job.
func IssueFor(authority Certs, others ...Certs) (root []byte, texts []map[string][]byte, err error) {
	a, err := newAuthority(authority)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range append([]Certs{authority}, others...) {
		a.spec = c
		m := map[string][]byte{}
		for i := -1; i < c.Ranks; i++ {
			holder := rendezvousHolder
			if i >= 0 {
				holder = holderOf(i)
			}
			if m[holder+".pem"], err = a.issue(holder); err != nil {
				return nil, nil, err
			}
		}
		texts = append(texts, m)
	}
	return pemOf("CERTIFICATE", a.cert.Raw), texts, nil
}

// Stray is a certificate's key pair as a stranger uses it.
type Stray struct {
	Claim string // "": it says nothing
	Cert  []byte // PEM of key and certificate; nil: none
}

// Knock opens TLS at addr as s and says something; it returns nil if it is answered.
func (s Stray) Knock(addr string, say []byte) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	return s.Speak(conn, say)
}

// Speak is Knock on an open connection, which it closes.
func (s Stray) Speak(raw net.Conn, say []byte) error {
	defer raw.Close()
	_ = raw.SetDeadline(time.Now().Add(time.Minute))
	cfg := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}
	if s.Claim != "" {
		cfg.NextProtos = []string{claim + s.Claim}
	}
	if s.Cert != nil {
		pair, err := tls.X509KeyPair(s.Cert, s.Cert)
		if err != nil {
			return err
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	conn := tls.Client(raw, cfg)
	if _, err := conn.Write(say); err != nil {
		return err
	}
	_, err := conn.Read(make([]byte, 1))
	return err
}

// Forged returns a certificate of a rank that another rank signed with its own.
func Forged(text []byte, c Certs, rank int) ([]byte, error) {
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	a := authority{spec: c, key: pair.PrivateKey.(*ecdsa.PrivateKey), cert: pair.Leaf}
	leaf, err := a.issue(holderOf(rank))
	return append(leaf, pemOf("CERTIFICATE", pair.Leaf.Raw)...), err // with the chain to the authority
}

// HelloOfTLS begins a handshake that says it is longer.
var HelloOfTLS = append([]byte{0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3}, make([]byte, 400)...)

// Deadly returns an introduction that ends the job whose rendezvous parses it.
func Deadly(job string) []byte {
	b, _ := control(nil, jobHash(job), 0, kindHello, hello{Job: job, Run: 1, Rank: 0, Size: 999, Addr: "127.0.0.1:1"})
	return b
}

// JoinEnded joins a run that has ended for this rank, over fabric.
func JoinEnded(cfg Config, fabric Fabric) {
	r := Over(cfg, fabric).(*processes)
	n := newNode(r.cfg, 1, nil)
	l := &lent{n: n, Fabric: fabric, queues: make([]queue, n.cfg.Size), streams: map[int]*controlStream{}}
	n.fabric, n.stopping = l, true
	_ = l.join(nil)
}

// Join returns rank 1's word at rank 0's data address, which whoever parses it answers.
func Join(job string) []byte {
	b, _ := control(nil, jobHash(job), 1, kindJoin, join{Job: job, Run: 1, From: 1})
	return b
}
