package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
	"gradsync/internal/strict"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// What the first line says of the file.
const (
	format  = "gradsync audit trail"
	Version = 2
)

// Trail holds a file's lines. The package comment describes each field.
type Trail struct {
	Header Header
	Events []Event
	End    End
}

// Header describes the run.
type Header struct {
	Format      string         `json:"format"`
	Version     int            `json:"version"`
	Method      string         `json:"method"`
	Options     rivals.Options `json:"options"`
	Workers     int            `json:"workers"`
	Seed        uint64         `json:"seed"`
	Runtime     string         `json:"runtime"`
	Platform    string         `json:"platform"`
	Model       string         `json:"model"`
	Width       float64        `json:"width,omitempty"`
	Image       int            `json:"image,omitempty"`
	Classes     int            `json:"classes,omitempty"`
	Batch       int            `json:"batch"`
	Rate        float64        `json:"rate"`
	Momentum    float64        `json:"momentum"`
	WeightDecay float64        `json:"weight_decay"`
	MaxPushes   int64          `json:"max_pushes"`
	MaxUpdates  int64          `json:"max_updates"`
	// TargetAccuracy ends a run before its bounds, at an evaluation, which a trail does not have.
	TargetAccuracy float64 `json:"target_accuracy,omitempty"`
	Data           *Data   `json:"data"`
	FirstParams    string  `json:"first_parameters,omitempty"`
	Engine         string  `json:"engine,omitempty"`
}

// Data names the training images.
type Data struct {
	Name      string `json:"name"`
	Images    int    `json:"images"`
	SHA256    string `json:"sha256"`
	RawPixels bool   `json:"raw_pixels,omitempty"`
}

// The kinds of events, the end among them.
const (
	EventPush  = "push"
	EventTimer = "timer"
	eventEnd   = "end"
)

// Event is one call of the method, with its answer.
type Event struct {
	Event  string  `json:"event"`
	At     int64   `json:"at"`
	Worker int     `json:"worker"`
	*Push          // nil of a timer
	Orders []Order `json:"orders"`
}

// Push is the rest of what there is to know of a gradient.
type Push struct {
	Number    int64 `json:"push"`
	Step      int64 `json:"step"`
	Held      int64 `json:"held"`
	Sent      int64 `json:"sent"`
	Compute   int64 `json:"compute,omitempty"`
	F         int64 `json:"f,omitempty"`
	Answered  int64 `json:"answered,omitempty"`
	Batch     []int `json:"batch,omitempty"`
	*Decision       // nil of a method without states
}

// Decision is the outcome of Algorithm 1.
type Decision struct {
	Gap    int64  `json:"gap"`
	Oldest int    `json:"oldest"`
	State  string `json:"state"`
	Wait   int64  `json:"wait"`
}

// DecisionOf returns a policy's decision as a trail has it.
func DecisionOf(d dasp.Decision) Decision {
	return Decision{d.Gap, d.Until, d.State.String(), int64(d.Wait)}
}

// The kinds of orders.
const (
	update = "update"
	answer = "answer"
	timer  = "timer"
	drop   = "drop"
)

// kinds maps the actions of a policy to orders.
var kinds = map[dasp.ActionKind]string{dasp.Apply: update, dasp.Reply: answer, dasp.SetTimer: timer, dasp.Drop: drop}

// Order is one thing that the method told the server to do.
type Order struct {
	Order   string  `json:"order"`
	Workers []int   `json:"workers"`
	Pushes  []int64 `json:"pushes"`
	Weight  float64 `json:"weight,omitempty"`
	Version int64   `json:"version,omitempty"`
	Done    int64   `json:"done,omitempty"`
	State   string  `json:"state,omitempty"`
	Gap     int64   `json:"gap,omitempty"`
	Until   int64   `json:"until,omitempty"`
}

// OrderOf returns an action of a policy as a trail has it, without pushes and version.
func OrderOf(a dasp.Action) Order {
	o := Order{Order: kinds[a.Kind], Workers: slices.Clone(a.Workers), Weight: a.Weight, Gap: a.Gap, Until: int64(a.At)}
	if a.State != 0 {
		o.State = a.State.String()
	}
	return o
}

// Action returns the order as a policy gives it.
func (o Order) Action() dasp.Action {
	a := dasp.Action{Workers: o.Workers, Weight: o.Weight, Gap: o.Gap, At: time.Duration(o.Until)}
	for kind, name := range kinds {
		if name == o.Order {
			a.Kind = kind
		}
	}
	for s := dasp.QIS; s <= dasp.FSS; s++ {
		if s.String() == o.State {
			a.State = s
		}
	}
	return a
}

// End is the last line.
type End struct {
	Event   string `json:"event"`
	At      int64  `json:"at"`
	Pushes  int64  `json:"pushes"`
	Updates int64  `json:"updates"`
	Params  string `json:"parameters,omitempty"`
}

// Write puts t into the file at path, whole or not at all.
func (t *Trail) Write(path string) error {
	t.Header.Format, t.Header.Version, t.End.Event = format, Version, eventEnd
	return atomic.Write(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		enc := json.NewEncoder(b) // ends each value with a line break
		err := enc.Encode(t.Header)
		for _, e := range t.Events {
			err = errors.Join(err, enc.Encode(e))
		}
		return errors.Join(err, enc.Encode(t.End), b.Flush())
	})
}

// MaxFile is the size in bytes of the largest trail that is read: some millions of events.
const MaxFile = 1024 * readfile.MiB

// Read returns the trail in the file at path. Its error is one line that names the file, and the line of
// the file that cannot be read.
func Read(path string) (*Trail, error) {
	raw, err := readfile.Limited(path, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	lines := bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n"))
	t := &Trail{}
	if err := t.readHeader(lines[0]); err != nil {
		return nil, fmt.Errorf("audit: %s %w", path, err)
	}
	for i, line := range lines[1:] {
		if t.End.Event != "" {
			return nil, fmt.Errorf("audit: %s, line %d: the trail ended in the line before", path, i+2)
		}
		if err := t.readLine(line); err != nil {
			return nil, fmt.Errorf("audit: %s, line %d: %w", path, i+2, err)
		}
	}
	if t.End.Event == "" {
		return nil, fmt.Errorf("audit: %s has no last line: it was cut off after line %d", path, len(lines))
	}
	return t, nil
}

// mostImages bounds the data set of a trail, whose order a check draws anew: half a gigabyte.
const mostImages = 1 << 26

// readHeader reads the first line; its error goes on after the file's name.
func (t *Trail) readHeader(line []byte) error {
	var kind struct {
		Format  string
		Version int
	}
	h := &t.Header
	switch err := json.Unmarshal(line, &kind); {
	case err != nil:
		return fmt.Errorf("is no audit trail: %w", err)
	case kind.Format != format:
		return fmt.Errorf("is no audit trail: format %q, want %q", kind.Format, format)
	case kind.Version != Version:
		return fmt.Errorf("is of version %d, this program reads version %d", kind.Version, Version)
	}
	if err := strict.JSON(line, h); err != nil {
		return fmt.Errorf("has a header that cannot be read: %w", err)
	}
	if h.Workers < 1 || h.Workers > 1<<20 || h.Batch < 1 || h.Data != nil && h.Data.Images/h.Workers < h.Batch {
		return fmt.Errorf("has a header of %d workers with batches of %d images: no run has that", h.Workers, h.Batch)
	}
	if h.Data != nil && h.Data.Images > mostImages {
		return fmt.Errorf("has a header of %d images, want at most %d", h.Data.Images, mostImages)
	}
	return nil
}

// readLine reads an event or the end.
func (t *Trail) readLine(line []byte) error {
	var kind struct {
		Event string
		Push  *int64
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return err
	}
	switch {
	case kind.Event == eventEnd:
		return strict.JSON(line, &t.End)
	case kind.Event != EventPush && kind.Event != EventTimer:
		return fmt.Errorf("event %q, want push, timer or end", kind.Event)
	case (kind.Event == EventPush) != (kind.Push != nil):
		return fmt.Errorf("a push has a number, and nothing else has")
	}
	var e Event
	if err := strict.JSON(line, &e); err != nil {
		return err
	}
	ids := []int{e.Worker}
	for _, o := range e.Orders {
		if len(o.Workers) == 0 || len(o.Workers) != len(o.Pushes) || o.Action().Kind == 0 {
			return fmt.Errorf("order %q with %d workers and %d pushes", o.Order, len(o.Workers), len(o.Pushes))
		}
		ids = append(ids, o.Workers...)
	}
	for _, w := range ids {
		if w < 0 || w >= t.Header.Workers {
			return fmt.Errorf("worker %d of %d", w, t.Header.Workers)
		}
	}
	t.Events = append(t.Events, e)
	return nil
}
