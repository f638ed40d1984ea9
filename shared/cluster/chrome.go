package cluster

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"
)

// ChromeEvent is one entry of the Trace Event Format, which chrome://tracing,
// Perfetto and speedscope read. Times are microseconds.
//
// Source: ours: time lines open in Perfetto without a tool of ours
type ChromeEvent struct {
	Name string      `json:"name"`
	Cat  string      `json:"cat,omitempty"`
	Ph   string      `json:"ph"` // X: a span; i: an instant; M: metadata
	Ts   json.Number `json:"ts,omitempty"`
	Dur  json.Number `json:"dur,omitempty"`
	Pid  int         `json:"pid"`
	Tid  int         `json:"tid"`
	Args any         `json:"args,omitempty"`
}

type chromeName struct {
	Name string `json:"name"`
}

// ChromeProcess names a process: a group of rows.
//
// Source: ours: see ChromeEvent
func ChromeProcess(pid int, name string) ChromeEvent {
	return ChromeEvent{Name: "process_name", Ph: "M", Pid: pid, Args: chromeName{name}}
}

// ChromeThread names a row of a process. Its spans may stand in each other but
// not overlap.
//
// Source: ours: see ChromeEvent
func ChromeThread(pid, tid int, name string) ChromeEvent {
	return ChromeEvent{Name: "thread_name", Ph: "M", Pid: pid, Tid: tid, Args: chromeName{name}}
}

// ChromeSpan returns a stretch of a row.
//
// Source: ours: see ChromeEvent
func ChromeSpan(pid, tid int, name string, from, to time.Duration) ChromeEvent {
	return ChromeEvent{Name: name, Ph: "X", Ts: micros(from), Dur: micros(to - from), Pid: pid, Tid: tid}
}

type chromeArgs struct {
	Peer  int `json:"peer"`
	Tag   Tag `json:"tag"`
	Bytes int `json:"bytes"`
}

var kindNames = [...]string{SpanCompute: "compute", SpanSend: "send", SpanRecv: "recv", SpanWait: "wait"}

// String returns the kind's name.
func (k SpanKind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// lane is the spans of one rank, thread and kind. Computation, egress and waiting
// are serial and fill one row; messages from several peers may arrive at once, and
// then each has a row.
type lane struct {
	rank   int
	thread string
	kind   SpanKind
	row    int // 0, 1 …
}

// WriteChrome writes t as a Chrome trace in JSON: one process per rank, one
// row per thread and kind of span. The same trace gives the same bytes.
//
// Source: ours: time lines open in Perfetto without a tool of ours
func WriteChrome(w io.Writer, t *Trace) error { return WriteChromeEvents(w, t.chrome) }

// chrome yields what t's file holds: the names, then the spans.
func (t *Trace) chrome(yield func(ChromeEvent) bool) {
	for rank := range t.Ranks {
		if !yield(ChromeProcess(rank, fmt.Sprintf("rank %d", rank))) {
			return
		}
	}
	rows := t.rows()
	tid := map[lane]int{}
	for i, l := range lanes(rows) {
		tid[l] = i
		name := l.kind.String()
		if l.thread != "" {
			name = l.thread + ": " + name
		}
		if l.row > 0 {
			name += fmt.Sprintf(" %d", l.row+1)
		}
		if !yield(ChromeThread(l.rank, i, name)) {
			return
		}
	}
	for i, s := range t.Spans {
		if !yield(s.chrome(tid[rows[i]])) {
			return
		}
	}
}

// WriteChromeEvents writes events as a Chrome trace in JSON, one on a line.
//
// Source: ours: see ChromeEvent
func WriteChromeEvents(w io.Writer, events iter.Seq[ChromeEvent]) error {
	out := bufio.NewWriter(w)
	out.WriteString("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")
	sep := "\n"
	for e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("cluster: write trace: %w", err)
		}
		out.WriteString(sep)
		out.Write(b)
		sep = ",\n"
	}
	out.WriteString("\n]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cluster: write trace: %w", err)
	}
	return nil
}

// rows gives each span, in order of start, the first row of its lane that is
// free: Perfetto cannot draw spans of one row that overlap.
func (t *Trace) rows() []lane {
	order := make([]int, len(t.Spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Spans[a].From, t.Spans[b].From) })
	rows, ends := make([]lane, len(t.Spans)), map[lane]time.Duration{}
	for _, i := range order {
		s := &t.Spans[i]
		l := lane{rank: s.Rank, thread: s.Thread, kind: s.Kind}
		for end, used := ends[l]; used && end > s.From; end, used = ends[l] {
			l.row++
		}
		rows[i], ends[l] = l, s.To
	}
	return rows
}

// lanes returns the rows in the order they are drawn.
func lanes(rows []lane) []lane {
	seen := map[lane]bool{}
	var out []lane
	for _, l := range rows {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.thread, b.thread), cmp.Compare(a.kind, b.kind), cmp.Compare(a.row, b.row))
	})
	return out
}

func (s *Span) chrome(tid int) ChromeEvent {
	e := ChromeSpan(s.Rank, tid, s.Name, s.From, s.To)
	e.Cat = s.Kind.String()
	if e.Name == "" {
		e.Name = e.Cat
	}
	if s.Kind == SpanSend || s.Kind == SpanRecv {
		e.Args = chromeArgs{s.Peer, s.Tag, s.Bytes}
	}
	return e
}

// micros writes nanoseconds as microseconds without a floating-point detour.
func micros(d time.Duration) json.Number {
	sign, ns := "", uint64(d)
	if d < 0 {
		sign, ns = "-", -ns // also of the least Duration, which has no positive one
	}
	if ns%1000 == 0 {
		return json.Number(sign + strconv.FormatUint(ns/1000, 10))
	}
	return json.Number(fmt.Sprintf("%s%d.%03d", sign, ns/1000, ns%1000))
}
