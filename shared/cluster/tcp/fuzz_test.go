package tcp

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"runtime/metrics"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// stream is a connection that reads from a buffer.
type stream struct {
	net.Conn
	bytes.Reader
}

func (s *stream) Read(b []byte) (int, error)       { return s.Reader.Read(b) }
func (s *stream) Write(b []byte) (int, error)      { return len(b), nil }
func (s *stream) Close() error                     { return nil }
func (s *stream) SetReadDeadline(time.Time) error  { return nil }
func (s *stream) SetWriteDeadline(time.Time) error { return nil }

func streamOf(b []byte) *stream {
	s := &stream{}
	s.Reset(b)
	return s
}

// allocated returns the bytes allocated on the heap so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// mend makes the magics and checksums of a stream of frames right, and, where
// the lowest bit of the checksum's place is 0, job and rank, to get beyond them.
func mend(b []byte, job uint32, from int) {
	le := binary.LittleEndian
	for len(b) >= cluster.HeaderBytes {
		copy(b, "GSF")
		b[3] = cluster.FrameVersion
		if b[60]&1 == 0 {
			le.PutUint32(b[4:], job)
			le.PutUint16(b[12:], uint16(from))
		}
		piece := min(int(le.Uint32(b[20:])), len(b)-cluster.HeaderBytes)
		le.PutUint32(b[56:], cluster.Checksum(0, b[cluster.HeaderBytes:cluster.HeaderBytes+piece]))
		le.PutUint32(b[60:], cluster.Checksum(0, b[:60]))
		b = b[cluster.HeaderBytes+piece:]
	}
}

// Whatever comes on a data connection, its reader does not panic and allocates
// little more than what came; what it takes for a message is within bounds.
func FuzzData(f *testing.F) {
	cfg, err := Config{Size: 3, Rendezvous: "127.0.0.1:1", Chunk: 1024}.checked()
	must(f, err)
	frames := func(hs ...cluster.Header) []byte {
		var b []byte
		for _, h := range hs {
			h.Job, h.From = jobHash(""), 1
			b = append(h.Append(b), make([]byte, h.Piece)...)
		}
		return b
	}
	f.Add(frames(cluster.Header{Tag: 1, Size: 9, Piece: 9}, cluster.Header{Tag: 2, Size: 1 << 40, Flags: cluster.FlagDeclared}))
	f.Add(frames(cluster.Header{Tag: 1, Size: 90, Piece: 40}, cluster.Header{Tag: 1, Size: 90, Piece: 50, Flags: cluster.FlagMore, Meta: [4]int64{0, 40}}))
	f.Add(frames(cluster.Header{Tag: 1, Size: 1 << 40, Piece: 1 << 20},
		cluster.Header{Tag: 1, Size: 90, Piece: 50, Flags: cluster.FlagMore, Meta: [4]int64{1, 40}}))
	f.Add(frames(cluster.Header{Tag: kindJoined, Size: 10, Piece: 10, Flags: cluster.FlagControl}))
	f.Fuzz(func(t *testing.T, b []byte) {
		mend(b, jobHash(""), 1)
		n := newNode(cfg, 1, nil)
		defer n.cancel()
		n.ctl = newWire(streamOf(nil), &cfg)
		p := &peer{n: n, rank: 1, job: jobHash("")}
		n.peers[1] = p
		p.link = newLink(n, p, streamOf(b))
		var in cluster.Msg
		q := n.self.NewReq(rank.Receiving)
		q.Into = &in
		n.self.Receive(q, match.Key{From: 1, Tag: 1})
		before := allocated()
		p.link.read()
		// A posted receive may get a body of `whole`, an unposted one a piece.
		if got := allocated() - before; got > whole+maxChunk+4<<20+4*uint64(len(b)) {
			t.Fatalf("%d bytes allocated for %d", got, len(b))
		}
		if q.Done() && (in.From != 1 || in.Tag != 1 || len(in.Body) > len(b)) {
			t.Fatalf("received %+v", in)
		}
	})
}

// Whatever comes on a control connection is refused or within bounds.
func FuzzControl(f *testing.F) {
	for _, v := range []any{hello{Job: "job", Rank: 1, Size: 2}, failure{Rank: 1, Lost: &RankLost{Rank: 1}}, state{To: []int64{1}}, report{}} {
		b, err := control(nil, 7, 1, kindHello, v, []byte("raw"))
		must(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		mend(b, 7, 1)
		before := allocated()
		r := bytes.NewReader(b)
		for {
			h, body, err := readControl(r, maxText)
			if err != nil {
				break
			}
			for _, v := range []any{&hello{}, &refusal{}, &book{}, &wave{}, &state{}, &failure{}, &report{}, &ending{}, &join{}} {
				if raw, err := decode(h, body, v); err == nil && len(raw) > len(body) {
					t.Fatalf("%d bytes after %d", len(raw), len(body))
				}
				if f, ok := v.(*failure); ok {
					_ = f.restore(nil).Error()
				}
			}
		}
		if got := allocated() - before; got > 4<<20+64*uint64(len(b)) {
			t.Fatalf("%d bytes allocated for %d", got, len(b))
		}
		_, _ = io.Copy(io.Discard, r)
	})
}
