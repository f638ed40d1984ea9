package cluster

import (
	"cmp"
	"slices"
	"time"
)

// Trace records what happened in a run, in order of start: enough to draw a time
// line and to replay an order of arrival.
type Trace struct {
	Ranks int
	Sent  []Traffic // by rank; always counted
	// Kernel counts what each rank's sockets sent, as the operating system says: all
	// bytes above TCP, frame headers included; nil where no kernel carried them.
	Kernel []int64 `json:",omitempty"`
	// Lost are the ranks that an elastic run went on without, in the order in which its
	// survivors were told.
	Lost  []int  `json:",omitempty"`
	Spans []Span // empty unless the runtime was asked to record them
}

// Traffic counts what one rank's NIC sent. A message to oneself does not count; a
// broadcast that the network copies counts once, else once per receiver.
type Traffic struct {
	Messages int64
	Bytes    int64 // of bodies
	Header   int64 // of frame headers
}

// BodyBytes returns the body bytes that all ranks sent.
func (t *Trace) BodyBytes() int64 {
	var n int64
	for _, s := range t.Sent {
		n += s.Bytes
	}
	return n
}

// Span is one operation of one rank. Bytes counts the body on the wire.
type Span struct {
	Rank   int
	Thread string // "" for the rank's first thread
	Kind   SpanKind
	Name   string
	Peer   int // of a send or receive, −1 otherwise
	Tag    Tag
	Bytes  int
	From   time.Duration
	To     time.Duration
}

// Sort puts the spans in order of start, then of rank; equal ones keep theirs.
func (t *Trace) Sort() {
	slices.SortStableFunc(t.Spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Rank, b.Rank))
	})
}

// SpanKind says what a Span is.
type SpanKind uint8

// The kinds of span.
const (
	SpanCompute SpanKind = iota + 1
	SpanSend
	SpanRecv
	SpanWait
)
