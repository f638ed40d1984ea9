package lab

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/tcp"
)

// roleEnv makes this test's binary a process of the strangers' lab; folderEnv is its folder.
const roleEnv, folderEnv = "GRADSYNC_LAB_ROLE", "GRADSYNC_LAB_FOLDER"

// dataAt is where rank 0 takes data connections.
var dataAt = address(0) + ":29600"

func TestMain(m *testing.M) {
	role := map[string]func() (any, error){"rank": playRank, "stranger": playStranger, "capture": playCapture}[os.Getenv(roleEnv)]
	if role == nil {
		os.Exit(m.Run())
	}
	said, err := role()
	if err != nil {
		said = map[string]string{"Error": err.Error()}
	}
	if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
		panic(err)
	}
}

// gradient returns what rank 1 sends: 1 MiB in which 64 bytes repeat that look like nothing else.
func gradient() []float32 {
	x, r := make([]float32, 1<<18), cluster.Stream(29571, 0, "", "gradient")
	for i := range 16 {
		x[i] = math.Float32frombits(uint32(r.Uint64()) & 0x3fffffff) // finite and positive
	}
	for i := range x[16:] {
		x[16+i] = x[i]
	}
	return x
}

// exchanges is how often the lab's ranks sum their gradients.
const exchanges = 3

// playRank is one rank, as its environment says. It checks the sums.
func playRank() (any, error) {
	at, _, err := launch.Place(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	_, err = tcp.New(at).Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
		for range exchanges {
			x, want := make([]float32, 1<<18), gradient()
			if p.Rank() == 1 {
				copy(x, want)
			}
			if err := collective.RingAllReduce(p, 3, x); err != nil {
				return nil, err
			}
			for i := range x {
				if x[i] != want[i] {
					return nil, fmt.Errorf("element %d is %v, want %v", i, x[i], want[i])
				}
			}
		}
		return nil, nil
	})
	return map[string]string{"Error": fmt.Sprint(err)}, nil
}

// playStranger knocks at the rendezvous in every wrong way, then where rank 0 takes data connections, and says how
// each attempt ended. It waits for a line on standard input before it reads the end of the latter.
func playStranger() (any, error) {
	said, dir := map[string]string{}, os.Getenv(folderEnv)
	knock := func(at, name string, say []byte) string {
		var conn net.Conn
		var err error
		for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
			if conn, err = net.Dial("tcp", at); err == nil {
				break
			}
		}
		if err != nil {
			return err.Error()
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		if name != "in the clear" {
			cfg := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"gradsync/1 rank-1"}}
			if name != "no certificate" {
				file := filepath.Join(dir, name+".pem")
				pair, err := tls.LoadX509KeyPair(file, file)
				if err != nil {
					return err.Error()
				}
				cfg.Certificates = []tls.Certificate{pair}
			}
			conn = tls.Client(conn, cfg)
		}
		_, unsent := conn.Write(say)
		b, err := io.ReadAll(conn)
		if len(b) > 0 {
			return fmt.Sprintf("answered with %q, %v", b[min(len(b), cluster.HeaderBytes):], err)
		}
		return fmt.Sprint(errors.Join(err, unsent))
	}
	names := []string{"in the clear"}
	if os.Getenv(clearEnv) == "" {
		names = append(names, "no certificate", "another authority", "expired", "another rank")
	}
	type end struct{ name, how string }
	ends := make(chan end, len(names))
	for _, name := range names {
		said[name+", at the rendezvous"] = knock(address(0)+":"+launch.Port, name, deadly())
		if os.Getenv(clearEnv) == "" {
			go func() { ends <- end{name + ", at a data address", knock(dataAt, name, join())} }()
		} else {
			ends <- end{}
		}
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Println("knocked")
	for range names {
		if e := <-ends; e.name != "" {
			said[e.name] = e.how
		}
	}
	return said, nil
}

// clearEnv tells the stranger that the job speaks in the clear.
const clearEnv = "GRADSYNC_LAB_CLEAR"

// deadly is an introduction to the job "lab" that ends it if anybody parses it: it counts 999 ranks.
func deadly() []byte {
	return control(1, `{"Job":"lab","Run":1,"Rank":1,"Size":999,"Addr":"10.77.0.3:1"}`)
}

// join is rank 1's word at rank 0's data address, which whoever parses it answers.
func join() []byte { return control(16, `{"Job":"lab","Run":1,"From":1,"To":0,"Conn":0}`) }

// control makes a frame of a connection's control.
func control(kind cluster.Tag, text string) []byte {
	h := cluster.Header{Job: cluster.Checksum(0, []byte("lab")), Flags: cluster.FlagControl, Tag: kind, Size: len(text), Piece: len(text),
		CRC: cluster.Checksum(0, []byte(text))}
	h.Meta[0] = int64(len(text))
	return append(h.Append(nil), text...)
}

// seen counts the packets of a capture of the bridge's ports.
type seen struct {
	Packets, Bytes, Gradients int // Gradients: packets with 16 bytes of the gradient in their place
	Names                     int // packets with the name of the job in an introduction
	Error                     string
}

// playCapture reads every packet of the hub's devices until its standard input ends.
func playCapture() (any, error) {
	const all = 0x0300 // ETH_P_ALL in network order
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW, all)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, 64<<20); err != nil {
		return nil, err
	}
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Usec: 200_000}); err != nil {
		return nil, err
	}
	var mark []byte
	for _, v := range gradient()[:4] {
		mark = binary.LittleEndian.AppendUint32(mark, math.Float32bits(v))
	}
	over := make(chan struct{})
	go func() {
		_, _ = io.ReadAll(os.Stdin)
		close(over)
	}()
	fmt.Println("listening")
	var s seen
	b := make([]byte, 1<<17)
	for {
		n, _, err := syscall.Recvfrom(fd, b, 0)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			select {
			case <-over:
				return s, nil
			default:
			}
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil, err
		default:
			s.Packets, s.Bytes = s.Packets+1, s.Bytes+n
			if bytes.Contains(b[:n], mark) {
				s.Gradients++
			}
			if bytes.Contains(b[:n], []byte(`"Job":"lab"`)) {
				s.Names++
			}
		}
	}
}

// issueAll makes a folder of certificates without package tcp's help: ca.pem, the rendezvous's and two ranks', and in
// strangers one of another authority, an expired one, and rank 0's for who claims to be rank 1.
func issueAll(t *testing.T) (certs, strangers string) {
	t.Helper()
	must := func(err error) { oktest.Nil(t, err) }
	certs, strangers = filepath.Join(t.TempDir(), "job certs"), t.TempDir()
	must(os.Mkdir(certs, 0o700))
	now := time.Now()
	type authority struct {
		key  *ecdsa.PrivateKey
		cert *x509.Certificate
	}
	found := func() authority {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(err)
		c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
			IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
		der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
		must(err)
		c, err = x509.ParseCertificate(der)
		must(err)
		return authority{key, c}
	}
	issue := func(a authority, path, holder string, until time.Time) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(err)
		c := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: now.Add(-time.Hour), NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, DNSNames: []string{"gradsync"},
			URIs: []*url.URL{{Scheme: "spiffe", Host: "gradsync", Path: "/j/" + holder}}}
		der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
		must(err)
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		must(err)
		text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
		must(os.WriteFile(path, text, 0o600))
	}
	own, foreign := found(), found()
	must(os.WriteFile(filepath.Join(certs, "ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.cert.Raw}), 0o600))
	for _, holder := range []string{"rendezvous", "rank-0", "rank-1"} {
		issue(own, filepath.Join(certs, holder+".pem"), holder, now.Add(time.Hour))
	}
	issue(foreign, filepath.Join(strangers, "another authority.pem"), "rank-1", now.Add(time.Hour))
	issue(own, filepath.Join(strangers, "expired.pem"), "rank-1", now.Add(-time.Minute))
	issue(own, filepath.Join(strangers, "another rank.pem"), "rank-0", now.Add(time.Hour))
	return certs, strangers
}

// actor is a process in a namespace of the lab.
type actor struct {
	cmd *exec.Cmd
	in  io.Closer
	out *json.Decoder
	raw *lines
}

// lines reads a line, then leaves the rest.
type lines struct{ io.Reader }

func (l *lines) line(t *testing.T) string {
	t.Helper()
	var text []byte
	for b := make([]byte, 1); ; text = append(text, b[0]) {
		if _, err := l.Read(b); err != nil || b[0] == '\n' {
			return string(text)
		}
	}
}

// play starts a role in a namespace.
func play(t *testing.T, space, role string, env ...string) *actor {
	t.Helper()
	binary := oktest.Must(os.Executable())(t)
	line := inSpace(space, binary)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role), env...)
	cmd.Stderr = os.Stderr
	in := oktest.Must(cmd.StdinPipe())(t)
	out := oktest.Must(cmd.StdoutPipe())(t)
	oktest.Nil(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &actor{cmd, in, json.NewDecoder(out), &lines{out}}
}

// said reads the object that an actor prints at its end.
func (a *actor) said(t *testing.T, into any) {
	t.Helper()
	oktest.Nil(t, a.out.Decode(into))
}

// scene runs a job of two ranks in namespaces while the bridge is read, and a stranger in a third who knocks before
// rank 1 comes. It returns how the ranks ended, what became of the stranger and what the capture has.
func scene(t *testing.T, at tcp.Config, strangers string, clear bool) (ranks [2]string, refused map[string]string, got seen) {
	t.Helper()
	net := &namespaces{mbit: []int{1000, 1000, 1000}}
	defer func() { oktest.Nil(t, net.down()) }()
	oktest.Nil(t, net.up(t.Context()))
	capture := play(t, net.hub(), "capture")
	if got := capture.raw.line(t); got != "listening" {
		t.Fatalf("the capture said %q", got)
	}
	at.Size, at.Job, at.Rendezvous, at.Timeout, at.Join = 2, "lab", address(0)+":"+launch.Port, time.Minute, 30*time.Second
	start := func(rank int, listen string) *actor {
		at := at
		at.Rank, at.Host, at.Listen = rank, rank == 0, listen
		var env []string
		for _, word := range launch.Environment(&at) {
			if strings.HasPrefix(word, "GRADSYNC_") {
				env = append(env, word)
			}
		}
		return play(t, net.space(rank), "rank", env...)
	}
	first := start(0, dataAt)
	var stray *actor
	if strangers != "" {
		mode := ""
		if clear {
			mode = "1"
		}
		stray = play(t, net.space(2), "stranger", folderEnv+"="+strangers, clearEnv+"="+mode)
		if got := stray.raw.line(t); got != "knocked" {
			t.Fatalf("the stranger said %q", got)
		}
	}
	second := start(1, address(1))
	for i, a := range []*actor{first, second} {
		var end struct{ Error string }
		a.said(t, &end)
		ranks[i] = end.Error
	}
	if stray != nil {
		stray.said(t, &refused)
	}
	_ = capture.in.Close()
	capture.said(t, &got)
	if got.Error != "" {
		t.Fatal(got.Error)
	}
	return ranks, refused, got
}

// Between namespaces strangers are refused before a frame is parsed, and who reads the bridge sees neither a gradient
// nor the job's name. In the clear he sees both, and a stranger ends the job: so these are what this test can find.
func TestStrangersInNamespaces(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("needs root and lays real networks: set GRADSYNC_LONG=1")
	}
	probe := &namespaces{mbit: []int{100}}
	err := probe.up(t.Context())
	if down := probe.down(); err != nil {
		t.Skip("NOT RUN: ", err)
	} else if down != nil {
		t.Fatal(down)
	}
	const least = 2 * 2 * exchanges << 20 // bytes of gradients between two ranks, both ways, on two ports of the bridge
	certs, strangers := issueAll(t)
	well := [2]string{"<nil>", "<nil>"}

	ranks, refused, got := scene(t, tcp.Config{Certs: certs}, strangers, false)
	t.Logf("with certificates: ranks %q; the bridge: %d packets, %d bytes, %d with gradients, %d with the job's name", ranks, got.Packets, got.Bytes,
		got.Gradients, got.Names)
	if ranks != well || got.Bytes < least || got.Gradients != 0 {
		t.Errorf("want a good end and no gradient in %d bytes", least)
	}
	if got.Names > 2*2 { // what the stranger itself says in the clear, at two places, on two ports of the bridge
		t.Errorf("%d packets name the job", got.Names)
	}
	for name, how := range refused {
		t.Logf("  %s: %s", name, how)
		want := "remote error: tls: "
		if strings.HasPrefix(name, "in the clear") {
			want = "it speaks in the clear"
		}
		data := strings.HasSuffix(name, "data address") // closed, perhaps without a word, and never answered
		if !strings.Contains(how, want) && !(data && (strings.Contains(how, "reset") || strings.Contains(how, "broken pipe") || how == "EOF" || how == "<nil>")) {
			t.Errorf("%s: %s, want %q", name, how, want)
		}
	}
	if len(refused) != 2*5 {
		t.Errorf("%d attempts", len(refused))
	}

	ranks, _, got = scene(t, tcp.Config{Insecure: true}, "", true)
	t.Logf("with --insecure: ranks %q; the bridge: %d packets, %d bytes, %d with gradients, %d with the job's name", ranks, got.Packets, got.Bytes,
		got.Gradients, got.Names)
	if ranks != well || got.Gradients == 0 || got.Names == 0 {
		t.Error("in the clear a capture must find gradients")
	}
	ranks, refused, _ = scene(t, tcp.Config{Insecure: true}, strangers, true)
	t.Logf("with --insecure and a stranger: ranks %q; the stranger %q", ranks, refused)
	if !strings.Contains(ranks[0], "it counts 999 ranks") {
		t.Errorf("in the clear a stranger who knows the name must end the job: %q", ranks)
	}
}
