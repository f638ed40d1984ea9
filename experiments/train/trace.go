package train

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"gradsync/shared/cluster"
)

// chromeEvent is one event of the Chrome trace format, which Perfetto and
// chrome://tracing read: a rank is a process, a thread of it a thread.
type chromeEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	TS    float64        `json:"ts"` // µs
	Dur   float64        `json:"dur"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

var spanNames = map[cluster.SpanKind]string{
	cluster.SpanCompute: "compute", cluster.SpanSend: "send", cluster.SpanRecv: "recv",
	cluster.SpanWait: "wait", cluster.SpanMark: "mark",
}

// writeTrace writes a run's spans as a Chrome trace, one event a line.
func writeTrace(path string, t *cluster.Trace) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("train: trace: %w", cerr)
		}
	}()
	w := bufio.NewWriter(f)
	if _, err := w.WriteString("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"); err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	threads := map[string]int{}
	for i, s := range t.Spans {
		key := fmt.Sprint(s.Rank, " ", s.Thread, " ", lane(s.Kind))
		if _, ok := threads[key]; !ok {
			threads[key] = len(threads)
		}
		e := chromeEvent{Name: spanNames[s.Kind], Phase: "X", TS: float64(s.From.Nanoseconds()) / 1e3,
			Dur: float64((s.To - s.From).Nanoseconds()) / 1e3, PID: s.Rank, TID: threads[key]}
		if s.Name != "" {
			e.Name += " " + s.Name
		}
		if s.Kind == cluster.SpanSend || s.Kind == cluster.SpanRecv {
			e.Args = map[string]any{"peer": s.Peer, "tag": s.Tag, "bytes": s.Bytes}
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("train: trace: %w", err)
		}
		if i > 0 {
			raw = append([]byte(",\n"), raw...)
		}
		if _, err := w.Write(raw); err != nil {
			return fmt.Errorf("train: trace: %w", err)
		}
	}
	if _, err := w.WriteString("\n]}\n"); err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	return w.Flush()
}

// lane keeps what may overlap in time apart: a rank computes, sends and
// receives at once.
func lane(k cluster.SpanKind) cluster.SpanKind {
	if k == cluster.SpanMark {
		return cluster.SpanWait
	}
	return k
}
