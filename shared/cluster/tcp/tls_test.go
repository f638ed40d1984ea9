package tcp_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// certificates makes a folder for n ranks.
func certificates(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "certs")
	if _, err := tcp.MakeCerts(dir, tcp.Certs{Job: "j", Ranks: n, From: time.Now().Add(-time.Minute), Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Over TLS the runtime keeps the same contract.
func TestConformanceOverTLS(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("takes seconds beside the same in the clear: set GRADSYNC_LONG=1")
	}
	dir := certificates(t, 16)
	clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Timeout: never, Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 20, Certs: dir})
	})
}

// TLS changes no bit of a sum and no byte that Sent counts. What the kernel counts is
// more by 22 bytes a record, and nothing of the handshake.
func TestBitsAndBytesOverTLS(t *testing.T) {
	const n, length = 3, 100_003
	dir := certificates(t, n)
	body := func(p cluster.Proc) ([]byte, error) {
		r := p.Rand("x")
		x := make([]float32, length)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		err := collective.RingAllReduce(p, 3, x)
		return vec.AppendBytes(nil, x), err
	}
	clustertest.CheckSameBits(t, body, virtual.New(cluster.Uniform(n, clustertest.Host, nil), virtual.Config{Seed: 5}),
		tcp.Loopback(n, tcp.Config{Timeout: never, Seed: 5, Chunk: 1009}),
		tcp.Loopback(n, tcp.Config{Timeout: never, Seed: 5, Chunk: 1 << 20, Certs: dir}),
		tcp.Loopback(n, tcp.Config{Timeout: never, Seed: 5, Chunk: 1009, Certs: dir}))
	for _, cfg := range []tcp.Config{{Certs: dir}, {Certs: dir, Chunk: 4096}} {
		cfg.Timeout = never
		out, err := tcp.Loopback(n, cfg).Run(t.Context(), body)
		must(t, err)
		for rank, s := range out.Trace.Sent {
			if out.Trace.Kernel == nil {
				continue // this system does not count
			}
			frames := s.Bytes + s.Header
			more := out.Trace.Kernel[rank] - frames
			if most := 22 * (frames/(16<<10) + 2*s.Header/cluster.HeaderBytes); more <= 0 || more%22 != 0 || more > most {
				t.Errorf("rank %d: the kernel counts %d, frames have %d: %d more, want a multiple of 22 up to %d", rank, out.Trace.Kernel[rank], frames, more, most)
			}
		}
	}
}

// issued is a folder of two ranks' certificates, and strangers' certificates of every wrong kind.
func issued(t *testing.T) (dir string, strays map[string]tcp.Stray) {
	t.Helper()
	now := time.Now()
	spec := tcp.Certs{Job: "j", Ranks: 2, From: now.Add(-time.Hour), Until: now.Add(time.Hour)}
	late, early, other := spec, spec, spec
	late.Until, early.From, other.Job = now.Add(-time.Minute), now.Add(time.Minute), "k"
	root, texts, err := tcp.IssueFor(spec, late, early, other)
	must(t, err)
	_, foreign, err := tcp.IssueFor(spec)
	must(t, err)
	forged, err := tcp.Forged(texts[0]["rank-0.pem"], spec, 1)
	must(t, err)
	dir = t.TempDir()
	put := func(name string, text []byte) { must(t, os.WriteFile(filepath.Join(dir, name), text, 0o600)) }
	put("ca.pem", root)
	for name, text := range texts[0] {
		put(name, text)
	}
	return dir, map[string]tcp.Stray{
		"no certificate": {Claim: "rank-1"}, "another authority": {"rank-1", foreign[0]["rank-1.pem"]}, "expired": {"rank-1", texts[1]["rank-1.pem"]},
		"not yet good": {"rank-1", texts[2]["rank-1.pem"]}, "another rank": {"rank-1", texts[0]["rank-0.pem"]},
		"another job": {"rank-1", texts[3]["rank-1.pem"]}, "no claim": {"", texts[0]["rank-1.pem"]}, "signed by a rank": {"rank-1", forged},
	}
}

// besieged runs a job of two ranks at whose addresses strangers knock: all of strays, some in the clear, one who says
// nothing and one whose handshake drips. Each sends an introduction that ends the job whose rendezvous parses it, and at
// the data address rank 1's own, which the rank that parses it answers. It returns what went wrong.
func besieged(t *testing.T, dir string, strays map[string]tcp.Stray) error {
	cfgs := job(t, 2)
	for i := range cfgs {
		cfgs[i].Certs, cfgs[i].Timeout, cfgs[i].Join = dir, time.Hour, never // whom a stranger holds up waits for that hour
	}
	cfgs[0].Host, cfgs[1].Host = true, false
	cfgs[0].Listen = freePort(t)
	exchange := func(p cluster.Proc) ([]byte, error) { return nil, collective.RingAllReduce(p, 3, make([]float32, 99)) }
	var first error
	ended, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, errs := each(cfgs[:1], exchange)
		first = errs[0]
	}()
	defer close(over)
	var data []net.Conn
	for i, introduction := range [][]byte{tcp.Deadly("faults"), tcp.Join("faults")} {
		for _, say := range [][]byte{introduction, nil, tcp.HelloOfTLS} {
			conn := knocked([]string{cfgs[0].Rendezvous, cfgs[0].Listen}[i], ended)
			if conn == nil {
				return first
			}
			defer conn.Close()
			if i == 1 {
				data = append(data, conn)
			}
			if len(say) == len(tcp.HelloOfTLS) {
				go drip(conn, say, over)
			} else if _, err := conn.Write(say); err != nil {
				t.Fatal(err)
			}
		}
	}
	refused := make(chan error, 2*len(strays))
	for name, s := range strays {
		err := s.Knock(cfgs[0].Rendezvous, tcp.Deadly("faults"))
		if err == nil || !strings.Contains(err.Error(), "remote error: tls:") && !errors.Is(err, net.ErrClosed) {
			refused <- fmt.Errorf("%s at the rendezvous: %w, want an alert", name, err)
		}
		conn, err := net.Dial("tcp", cfgs[0].Listen) // it stands before rank 1 in the queue, and is heard once that has come
		must(t, err)
		go func() {
			if s.Speak(conn, tcp.Join("faults")) == nil {
				refused <- fmt.Errorf("%s at a data address was not refused", name)
			}
			refused <- nil
		}()
	}
	if dir == "" {
		<-ended
		return first
	}
	_, errs := each(cfgs[1:], exchange)
	<-ended
	wrong := []error{errs[0], first, unanswered(data)}
	for gone := 0; gone < len(strays); {
		err := <-refused
		if wrong = append(wrong, err); err == nil {
			gone++
		}
	}
	return errors.Join(wrong...)
}

// unanswered returns an error if a connection had an answer, which is longer than an alert.
func unanswered(conns []net.Conn) error {
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second)) // its other end has closed it
		if n, _ := conn.Read(make([]byte, cluster.HeaderBytes)); n == cluster.HeaderBytes {
			return errors.New("a stranger in the clear was answered at a data address")
		}
	}
	return nil
}

// knocked opens a connection once somebody listens at an address, nil if the job has ended.
func knocked(at string, ended <-chan struct{}) net.Conn {
	for {
		if conn, err := net.Dial("tcp", at); err == nil {
			return conn
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ended:
			return nil
		}
	}
}

// drip says a byte at a time.
func drip(conn net.Conn, say []byte, over <-chan struct{}) {
	for i := range say {
		select {
		case <-time.After(30 * time.Millisecond):
		case <-over:
			return
		}
		if _, err := conn.Write(say[i : i+1]); err != nil {
			return
		}
	}
}

// Strangers are refused before a frame is parsed, at the rendezvous and at a data
// address. The job ends well, and none of them holds it up.
func TestStrangersWithoutTheRightCertificate(t *testing.T) {
	dir, strays := issued(t)
	must(t, besieged(t, dir, strays))
}

// The test above finds a job that speaks in the clear: a stranger who knows its name ends it.
func TestStrangersInTheClear(t *testing.T) {
	if err := besieged(t, "", nil); err == nil || !strings.Contains(err.Error(), "it counts 999 ranks, the job has 2") {
		t.Errorf("%v, want the job ended by a stranger", err)
	}
}

// A rank whose own certificate is of another authority, missing, another rank's, others' to read, or not good now is
// told so in one line; so is one in the clear among ranks with certificates, whom the ranks that waited for it name.
func TestMistakenCertificatesAreNamed(t *testing.T) {
	tcp.WithoutWaiting(t, mistakenCertificates)
}

func mistakenCertificates(t *testing.T) {
	good, _ := issued(t)
	foreign := certificates(t, 2)
	with := func(change func(dir string) error) string {
		dir := filepath.Join(t.TempDir(), "certs")
		must(t, errors.Join(os.CopyFS(dir, os.DirFS(good)), os.Chmod(filepath.Join(dir, "rank-1.pem"), 0o600), change(dir)))
		return dir
	}
	days := func(from, until int) string {
		dir, now := filepath.Join(t.TempDir(), "certs"), time.Now()
		if _, err := tcp.MakeCerts(dir, tcp.Certs{Job: "j", Ranks: 2, From: now.AddDate(0, 0, from), Until: now.AddDate(0, 0, until)}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for dir, want := range map[string]string{
		foreign: "another authority", "": "in the clear", filepath.Join(good, "none"): "ca.pem",
		with(func(dir string) error {
			own := filepath.Join(dir, "rank-1.pem")
			return errors.Join(os.Rename(filepath.Join(dir, "rank-0.pem"), own), os.Chmod(own, 0o600))
		}): `of "rank-0", want rank-1`,
		with(func(dir string) error { return os.Chmod(filepath.Join(dir, "rank-1.pem"), 0o640) }): "mode 0640",
		with(func(dir string) error { return os.Chmod(filepath.Join(dir, "ca.pem"), 0o622) }):     "mode 0622",
		days(-2, -1): "expired", days(1, 2): "not yet valid",
	} {
		cfgs := jobInMemory(2)
		cfgs[0].Host, cfgs[1].Host = true, false
		cfgs[0].Certs, cfgs[1].Certs = good, dir
		_, errs := each(cfgs, nothing)
		if errs[0] == nil || errs[1] == nil || !strings.Contains(errs[1].Error(), want) || strings.Contains(errs[1].Error(), "\n") {
			t.Errorf("%v and %v, want %q", errs[0], errs[1], want)
		}
		if dir == "" && !strings.Contains(errs[0].Error(), "it speaks in the clear") {
			t.Errorf("%v does not say who was refused", errs[0])
		}
	}
	cfgs := jobInMemory(2)
	cfgs[0].Host, cfgs[1].Host = true, false
	cfgs[1].Certs = good
	_, errs := each(cfgs, nothing)
	if errs[0] == nil || errs[1] == nil || !strings.Contains(errs[0].Error(), "it speaks TLS (--certs), this job in the clear") ||
		!strings.Contains(errs[1].Error(), "it speaks in the clear, this job by --certs") {
		t.Errorf("certificates at rank 1 alone: %v and %v", errs[0], errs[1])
	}
}

// Off loopback nothing is sent in the clear unless somebody says that it may be.
func TestClearOffLoopback(t *testing.T) {
	cfg := tcp.Config{Size: 1, Job: "j", Rendezvous: freePort(t), Host: true, Listen: "0.0.0.0"}
	if _, err := tcp.New(cfg).Run(t.Context(), nothing); !errors.Is(err, tcp.ErrClear) {
		t.Errorf("%v, want %v", err, tcp.ErrClear)
	}
	cfg.Insecure = true
	if _, err := tcp.New(cfg).Run(t.Context(), nothing); err != nil {
		t.Error(err)
	}
	cfg.Insecure, cfg.Certs = false, certificates(t, 1)
	if _, err := tcp.New(cfg).Run(t.Context(), nothing); err != nil {
		t.Error(err)
	}
}

// A folder of certificates is its owner's, whole, and never written over.
func TestMakeCerts(t *testing.T) {
	dir := certificates(t, 2)
	before, err := os.ReadFile(filepath.Join(dir, "rank-1.pem"))
	must(t, err)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	c := tcp.Certs{Job: "j", Ranks: 2, From: time.Now(), Until: time.Now().Add(time.Hour)}
	_, err = tcp.MakeCerts(dir, c)
	after, _ := os.ReadFile(filepath.Join(dir, "rank-1.pem"))
	if err == nil || !bytes.Equal(before, after) || len(files) != 4 {
		t.Errorf("%v; %d files", err, len(files))
	}
	for _, bad := range []tcp.Certs{{Job: "", Ranks: 1, Until: c.Until}, {Job: "j", Ranks: 0, Until: c.Until},
		{Job: "j", Ranks: 1, From: c.Until, Until: c.From}} {
		if _, err := tcp.MakeCerts(filepath.Join(t.TempDir(), "x"), bad); err == nil {
			t.Error(fmt.Sprint(bad))
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
