package cluster

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// chromeEvent is one entry of the Trace Event Format, which chrome://tracing,
// Perfetto and speedscope read. Times are microseconds.
type chromeEvent struct {
	Name string      `json:"name"`
	Cat  string      `json:"cat,omitempty"`
	Ph   string      `json:"ph"`
	Ts   json.Number `json:"ts,omitempty"`
	Dur  json.Number `json:"dur,omitempty"`
	Pid  int         `json:"pid"`
	Tid  int         `json:"tid"`
	Args any         `json:"args,omitempty"`
}

type chromeName struct {
	Name string `json:"name"`
}

type chromeArgs struct {
	Peer  int `json:"peer"`
	Tag   Tag `json:"tag"`
	Bytes int `json:"bytes"`
}

var kindNames = [...]string{SpanCompute: "compute", SpanSend: "send", SpanRecv: "recv", SpanWait: "wait", SpanMark: "mark"}

// String returns the kind's name.
func (k SpanKind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// lane is one row of a time line: spans of one rank and thread that cannot
// overlap, since computation, egress, ingress and waiting each are serial.
type lane struct {
	rank   int
	thread string
	kind   SpanKind
}

// WriteChrome writes t as a Chrome trace in JSON: one process per rank, one
// row per thread and kind of span. The same trace gives the same bytes.
//
// Source: ours: time lines open in Perfetto without a tool of ours
func WriteChrome(w io.Writer, t *Trace) error {
	out := bufio.NewWriter(w)
	sep := "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
	emit := func(e chromeEvent) error {
		b, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("cluster: write trace: %w", err)
		}
		out.WriteString(sep)
		out.Write(b)
		sep = ",\n"
		return nil
	}
	rows := lanes(t)
	for rank := range t.Ranks {
		if err := emit(chromeEvent{Name: "process_name", Ph: "M", Pid: rank, Args: chromeName{fmt.Sprintf("rank %d", rank)}}); err != nil {
			return err
		}
	}
	tid := map[lane]int{}
	for i, l := range rows {
		tid[l] = i
		name := l.kind.String()
		if l.thread != "" {
			name = l.thread + ": " + name
		}
		if err := emit(chromeEvent{Name: "thread_name", Ph: "M", Pid: l.rank, Tid: i, Args: chromeName{name}}); err != nil {
			return err
		}
	}
	for _, s := range t.Spans {
		if err := emit(s.chrome(tid[lane{s.Rank, s.Thread, s.Kind}])); err != nil {
			return err
		}
	}
	if t.Ranks == 0 {
		out.WriteString(sep)
	}
	out.WriteString("\n]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cluster: write trace: %w", err)
	}
	return nil
}

// lanes returns the rows in the order they are drawn.
func lanes(t *Trace) []lane {
	seen := map[lane]bool{}
	var rows []lane
	for _, s := range t.Spans {
		if l := (lane{s.Rank, s.Thread, s.Kind}); !seen[l] {
			seen[l] = true
			rows = append(rows, l)
		}
	}
	slices.SortFunc(rows, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.thread, b.thread), cmp.Compare(a.kind, b.kind))
	})
	return rows
}

func (s *Span) chrome(tid int) chromeEvent {
	e := chromeEvent{
		Name: s.Name, Cat: s.Kind.String(), Ph: "X", Ts: micros(s.From), Dur: micros(s.To - s.From), Pid: s.Rank, Tid: tid,
	}
	if e.Name == "" {
		e.Name = e.Cat
	}
	switch s.Kind {
	case SpanSend, SpanRecv:
		e.Args = chromeArgs{s.Peer, s.Tag, s.Bytes}
	case SpanMark:
		e.Ph, e.Dur = "i", ""
	}
	return e
}

// micros writes nanoseconds as microseconds without a floating-point detour.
func micros(d time.Duration) json.Number {
	ns := d.Nanoseconds()
	if ns%1000 == 0 {
		return json.Number(strconv.FormatInt(ns/1000, 10))
	}
	return json.Number(fmt.Sprintf("%d.%03d", ns/1000, ns%1000))
}
