package tcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"gradsync/shared/cluster"
)

// The kinds of control frame: the tag of their header.
const (
	kindHello   cluster.Tag = iota + 1 // rank → rendezvous: hello
	kindRefuse                         // answer: refusal; the connection ends
	kindWelcome                        // answer: nothing; wait for the book
	kindBook                           // rendezvous → rank: book
	kindReady                          // rank → rendezvous: its mesh stands
	kindBegin                          // rendezvous → rank: all stand
	kindBeat                           // both ways: alive
	kindIdle                           // rank → rendezvous: state
	kindWave                           // rendezvous → rank: number; answer with kindState
	kindState                          // rank → rendezvous: state
	kindFail                           // rank → rendezvous: failure
	kindDone                           // rank → rendezvous: report
	kindAbort                          // rendezvous → rank: failure; ends the run
	kindReport                         // rendezvous → rank 0: another rank's kindDone
	kindEnd                            // rendezvous → rank: ending; ends the run
	kindJoin                           // on a data connection: join
	kindJoined                         // answer: nothing
	kindLost                           // rendezvous → rank: losses; → who watches: Loss
	kindWords                          // over another fabric: bytes of a control connection; none: its end
)

type hello struct {
	Job        string
	Run        int // how often the runtime ran, so that runs of one job do not mix
	Rank, Size int
	Addr       string // of the data listener
	Host       bool
	Elastic    bool `json:",omitempty"`
	Watch      bool `json:",omitempty"` // it is no rank: it wants to be told of losses and of the end
}

type refusal struct {
	Reason string
	Later  bool // the run before is about to end: ask again
}

type book struct {
	Addrs    []string // data listeners by rank
	HostRank int      // of the process that runs the rendezvous; −1: it is no rank
}

type wave struct{ Number int }

// state tells what a rank knows about itself for the detection of deadlock.
type state struct {
	Wave    int    `json:",omitempty"`
	Idle    bool   // every thread waits without a deadline, or has ended
	Epoch   uint64 // how often a thread became runnable
	Sent    int64  // messages to other ranks
	Arrived int64  // messages of other ranks, complete
	Read    int64  // bytes of bodies, complete or not
	Losses  int    `json:",omitempty"` // that the rank was told of; it counts no messages of the lost
	// In answers to waves:
	Waiters  []cluster.Waiter `json:",omitempty"`
	To, From []int64          `json:",omitempty"` // Sent and Arrived by rank
}

// still reports whether nothing happened between two idle states of one rank.
func (s *state) still(t *state) bool {
	return s.Idle && t.Idle && s.Epoch == t.Epoch && s.Sent == t.Sent && s.Arrived == t.Arrived && s.Losses == t.Losses
}

type join struct {
	Job      string
	Run      int
	From, To int
}

// report tells what a rank leaves; the result's bytes follow it.
type report struct {
	Sent    cluster.Traffic
	Kernel  int64
	Counted bool // Kernel is
	Elapsed time.Duration
	Spans   []cluster.Span
	Nothing bool // the result is nil
}

type ending struct {
	Elapsed time.Duration // of the rank that took longest
	Lost    []int         `json:",omitempty"`
}

// losses tells the ranks that an elastic run goes on without: all so far, in the order in which they were lost.
type losses struct{ Ranks []int }

// maxText bounds the JSON of a control frame that a stranger may send.
const maxText = 1 << 16

var errFrame = errors.New("tcp: bad control frame")

// control appends a control frame of kind with v as JSON and raw bytes after it.
func control(dst []byte, job uint32, from int, kind cluster.Tag, v any, raw ...[]byte) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return dst, fmt.Errorf("tcp: control frame %d: %w", kind, err)
	}
	h := cluster.Header{Job: job, Flags: cluster.FlagControl, From: from, Tag: kind}
	h.Size = len(text)
	h.CRC = cluster.Checksum(0, text)
	h.Meta[0] = int64(len(text))
	for _, b := range raw {
		h.Size += len(b)
		h.CRC = cluster.Checksum(h.CRC, b)
	}
	h.Piece = h.Size
	if h.Size > cluster.MaxPiece {
		return dst, fmt.Errorf("tcp: control frame of %d bytes, want at most %d", h.Size, cluster.MaxPiece)
	}
	dst = append(h.Append(dst), text...)
	for _, b := range raw {
		dst = append(dst, b...)
	}
	return dst, nil
}

// readControl reads one control frame of at most limit bytes after its header.
// It allocates no more than what came.
func readControl(r io.Reader, limit int) (h cluster.Header, body []byte, err error) {
	var b [cluster.HeaderBytes]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return h, nil, err
	}
	if h, err = cluster.ParseHeader(b[:]); err != nil {
		return h, nil, err
	}
	if h.Flags != cluster.FlagControl || h.Piece != h.Size || h.Size > limit || h.Meta[0] < 0 || h.Meta[0] > int64(h.Size) {
		return h, nil, fmt.Errorf("%w: flags %#x, %d bytes", errFrame, h.Flags, h.Size)
	}
	var buf bytes.Buffer
	if _, err = io.CopyN(&buf, r, int64(h.Size)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return h, nil, err
	}
	body = buf.Bytes()
	if got := cluster.Checksum(0, body); got != h.CRC {
		return h, nil, fmt.Errorf("%w: kind %d, checksum %#x, want %#x", errFrame, h.Tag, got, h.CRC)
	}
	return h, body, nil
}

// decode reads the JSON of a control frame and returns the bytes after it.
func decode(h cluster.Header, body []byte, v any) (raw []byte, err error) {
	text := body[:h.Meta[0]]
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("%w: kind %d: %w", errFrame, h.Tag, err)
	}
	return body[h.Meta[0]:], nil
}
