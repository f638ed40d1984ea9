package bench

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Names of the chapters, in which a book has a section each.
const (
	ChapterSteps    = "steps"
	ChapterGemm     = "gemm"
	ChapterVec      = "vec"
	ChapterCoded    = "coded"
	ChapterPush     = "push"
	ChapterRing     = "ring"
	ChapterMPI      = "mpi"
	ChapterMessages = "messages"
	ChapterTLS      = "tls"
)

// Chapter is a part of BENCHMARKS.md that is measured in one piece.
type Chapter struct {
	Name, Heading string
	Pace          float64 // length of its rounds as a multiple of Plan.Seconds
	Cases         []Case
}

// Chapters lists what `make benchmarks` measures, in the order of the document.
func Chapters() []Chapter {
	var coded, ring, mpi, messages, tls []Case
	for _, bytes := range CodedSizes() {
		coded = append(coded, CodedCase(bytes).short(bytes == 64<<10 || bytes == 16<<20))
	}
	for _, ranks := range []int{2, 4} {
		for i, bytes := range RingSizes() {
			ring = append(ring, RingCase(ranks, bytes).short(ranks == 2 && i%3 == 0 && i < 9))
		}
	}
	for _, bytes := range []int{4 << 10, 64 << 10, 1 << 20, 16 << 20} {
		mpi = append(mpi, OnMPICase(2, bytes).short(bytes == 1<<20))
		tls = append(tls, TLSCase(2, bytes).short(bytes == 1<<20))
	}
	for _, ranks := range []int{64, 256, 1000, 10000} {
		messages = append(messages, MessagesCase(ranks).short(ranks < 10000))
	}
	return []Chapter{
		{ChapterSteps, "Training steps", 1, stepCases()},
		{ChapterGemm, "Matrix products", 1, gemmCases()},
		{ChapterVec, "Vector kernels", 1, []Case{vecCase().short(true)}},
		{ChapterCoded, "Coded exchange", 0.4, coded},
		{ChapterPush, "Host path of a push", 1, []Case{PushCase("resnet18", 64).short(true)}},
		{ChapterRing, "All-reduce over TCP", 0.4, ring},
		{ChapterMPI, "All-reduce over MPI", 0.4, mpi},
		{ChapterMessages, "Messages of virtual time", 1, messages},
		{ChapterTLS, "TLS over clear", 0.4, tls},
	}
}

// ChapterNames lists the names of Chapters.
func ChapterNames() (out []string) {
	for _, c := range Chapters() {
		out = append(out, c.Name)
	}
	return out
}

// short marks a case that bench check measures too.
func (c Case) short(is bool) Case {
	c.Short = is
	return c
}

// Plan says how a book is measured.
type Plan struct {
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`  // of a round
	Budget  float64 `json:"budget"`   // seconds of rounds after which a contender sits out; 0: none
	Profile float64 `json:"profile"`  // seconds
	MaxLoad float64 `json:"max_load"` // processors in use by others beside which nothing is measured twice
	Tries   int     `json:"tries"`    // of a section, at most
	Wait    float64 `json:"wait"`     // seconds that a section waits for a quiet machine, at most
	Pause   float64 `json:"pause"`    // seconds of looking on before and after a section
	Limit   float64 `json:"limit"`    // seconds after which no section is measured again
}

// Book is all that BENCHMARKS.md says, as BENCHMARKS.json keeps it: the document is the book's
// Markdown and nothing else.
type Book struct {
	Command  string      `json:"command"` // that measured it, with all flags that matter
	Version  string      `json:"version"`
	Program  string      `json:"program,omitempty"` // sha256 of the file that measured it
	Engine   string      `json:"engine"`            // whose aims are judged and whose profile is shown
	Plan     Plan        `json:"plan"`
	Machine  [][2]string `json:"machine"`
	Sections []*Section  `json:"sections"`
	GPU      *GPUReport  `json:"gpu,omitempty"` // measured elsewhere by `bench gpu`, with its own version and date
}

// Section holds what a chapter came to.
type Section struct {
	Name     string     `json:"name"`
	Tries    []Try      `json:"tries"` // every time that it was measured whole
	Outcomes []*Outcome `json:"cases"` // those of the quietest try
	Begun    *Begun     `json:"begun,omitempty"`
}

// Try is one time that a section was measured.
type Try struct {
	Before  Load    `json:"before"`
	After   Load    `json:"after"`
	Waited  float64 `json:"waited"`  // seconds for a quiet machine
	Seconds float64 `json:"seconds"` // of measuring
}

// Begun is a try that was interrupted: what it had measured is not measured again.
type Begun struct {
	Before   Load       `json:"before"`
	Waited   float64    `json:"waited"`
	Seconds  float64    `json:"seconds"`
	Outcomes []*Outcome `json:"cases"`
}

// Load says how busy the machine was with other programs while nothing was measured. Negative
// numbers are unknown.
type Load struct {
	Cores   float64 `json:"cores"`   // processors in use over a pause
	Average float64 `json:"average"` // the system's load average of a minute, in which the section before is too
}

// worst returns the larger of both loads, number by number.
func (l Load) worst(m Load) Load { return Load{max(l.Cores, m.Cores), max(l.Average, m.Average)} }

// load returns the load by which tries are compared.
func (t Try) load() float64 { return t.Before.worst(t.After).Cores }

// Quietest returns the try that the section's outcomes are of, nil if it was never measured whole.
func (s *Section) Quietest() *Try {
	if len(s.Tries) == 0 {
		return nil
	}
	best := 0
	for i, t := range s.Tries {
		if t.load() < s.Tries[best].load() {
			best = i
		}
	}
	return &s.Tries[best]
}

// Find returns the section of that name, or nil.
func (b *Book) Find(name string) *Section {
	at := slices.IndexFunc(b.Sections, func(s *Section) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return b.Sections[at]
}

// Case returns the outcome of a case, or nil where it was not measured.
func (s *Section) Case(title string) *Outcome {
	if s == nil {
		return nil
	}
	at := slices.IndexFunc(s.Outcomes, func(o *Outcome) bool { return o.Title == title })
	if at < 0 {
		return nil
	}
	return s.Outcomes[at]
}

// aimed returns the chapter's cases with what they came to, and with their aims, which a file does
// not have. Cases that were not measured have no result.
func (b *Book) aimed(c Chapter) (out []*Outcome) {
	s := b.Find(c.Name)
	for _, want := range c.Cases {
		o := &Outcome{Case: want}
		if got := s.Case(want.Title); got != nil {
			o.Results, o.Notes, o.Warning = got.Results, got.Notes, got.Warning
		}
		out = append(out, o)
	}
	return out
}

// ReadBook reads what Bytes wrote.
func ReadBook(text []byte) (*Book, error) {
	b := &Book{}
	if err := json.Unmarshal(text, b); err != nil || b.Command == "" {
		return nil, fmt.Errorf("bench: it is no book of `gradsync bench report` (%v)", err)
	}
	return b, nil
}

// Bytes writes the book for ReadBook: a line for each case, so that a difference shows what was
// measured anew.
func (b *Book) Bytes() ([]byte, error) {
	return json.MarshalIndent(b, "", " ")
}
