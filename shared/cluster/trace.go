package cluster

import "time"

// Trace is what happened in a run, in order of start: enough to draw a time
// line and to replay an order of arrival.
type Trace struct {
	Ranks int
	Spans []Span
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

// SpanKind says what a Span is.
type SpanKind uint8

// The kinds of span.
const (
	SpanCompute SpanKind = iota + 1
	SpanSend
	SpanRecv
	SpanWait
	SpanMark // a zero-length note of the algorithm
)
