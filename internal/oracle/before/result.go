// Package before is version 1 of the schema of results, which held finished presentation:
// what the frozen results that the oracle compares with are read by.
package before

import "gradsync/experiments/result"

// Schema names this version of the result format.
const Schema = "gradsync.result/v1"

// How a table or figure came to be.
const (
	Trained    = result.Trained
	TimingOnly = result.TimingOnly
	Modelled   = result.Modelled
	Shared     = result.Shared
	Counted    = result.Counted
	Stated     = result.Stated
)

// Result is one experiment's outcome.
type Result struct {
	Schema  string   `json:"schema"`
	ID      string   `json:"id"` // "dasp/table5"
	Title   string   `json:"title"`
	Source  string   `json:"source"` // "DASP, Table 5"
	Profile string   `json:"profile"`
	Kind    string   `json:"kind"`
	Status  string   `json:"status"` // complete | incomplete
	Seeds   []uint64 `json:"seeds"`
	Engine  string   `json:"engine,omitempty"` // name and bit class
	Data    *Data    `json:"data,omitempty"`
	// Datasets are all the sets of a result that was trained on several; Data is
	// their first. Absent where Data says everything.
	Datasets []Data `json:"datasets,omitempty"`
	Config   any    `json:"config"` // every parameter, hashed into ConfigSHA256
	// ConfigSHA256 is over Config's compact JSON.
	ConfigSHA256 string `json:"config_sha256"`

	Claims  []Claim  `json:"claims"`
	Tables  []Table  `json:"tables"`
	Figures []Figure `json:"figures"`
	Notes   []string `json:"notes"` // sentences for the page, most important first
}

// What both versions of the format have alike.
type (
	Data = result.Data
	Run  = result.Run
)

// ReadRun loads the sidecar beside the result file at path, as of version 2.
var (
	ReadRun = result.ReadRun
	Path    = result.Path
	Sum     = result.Sum
)

// Sets are the data sets of r, none where nothing was trained.
func (r *Result) Sets() []Data {
	if len(r.Datasets) == 0 && r.Data != nil {
		return []Data{*r.Data}
	}
	return r.Datasets
}

// Claim sets what a paper states beside what we found.
type Claim struct {
	ID        string      `json:"id"` // row of claims.csv
	Statement string      `json:"statement"`
	Source    string      `json:"source"`
	Paper     any         `json:"paper"` // number, text or null
	Unit      string      `json:"unit"`
	Tolerance *float64    `json:"tolerance"` // absolute, in Unit
	Measured  any         `json:"measured"`  // number, text or null
	CI95      *[2]float64 `json:"ci95"`
	Verdict   string      `json:"verdict"` // equal within same-sign differs not-run not-stated
	Why       string      `json:"why"`
	Remark    string      `json:"-"`       // of a claim of version 2
	Differs   []string    `json:"differs"` // data, width, image size …: caps the verdict at same-sign
}

// Table is rows of numbers and words, one column per Column.
type Table struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Caption string   `json:"caption"`
	Kind    string   `json:"kind"`
	Columns []Column `json:"columns"`
	Rows    [][]any  `json:"rows"` // string, float64, int or nil (not run)
}

// Column heads a column; Unit is "" for words and pure numbers.
type Column struct {
	Key    string `json:"key"`
	Title  string `json:"title"`
	Unit   string `json:"unit,omitempty"`
	Digits int    `json:"digits,omitempty"` // decimals to print; 0: as is
}

// Figure is a chart's data; the report draws it.
type Figure struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Caption string   `json:"caption"`
	Alt     string   `json:"alt"` // what a reader who cannot see it must know
	Kind    string   `json:"kind"`
	Form    string   `json:"form"` // line | bar | gantt
	X       Axis     `json:"x"`
	Y       Axis     `json:"y"`
	Series  []Series `json:"series,omitempty"`
	Lanes   []string `json:"lanes,omitempty"` // gantt: one per worker
	Bands   []Band   `json:"bands,omitempty"`
}

// Axis names what is drawn along it.
type Axis struct {
	Title      string   `json:"title"`
	Unit       string   `json:"unit,omitempty"`
	Log        bool     `json:"log,omitempty"`
	Categories []string `json:"categories,omitempty"` // bar
}

// Series is one line or one set of bars. Lo and Hi, where present, bound a
// confidence band or error bars. A series of one seed carries Seed and is drawn
// faint; the mean carries none.
type Series struct {
	Name  string    `json:"name"`
	Group string    `json:"group,omitempty"` // method: fixes colour and dash
	Seed  *uint64   `json:"seed,omitempty"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
	Lo    []float64 `json:"lo,omitempty"`
	Hi    []float64 `json:"hi,omitempty"`
}

// Band is one stretch of a lane of a gantt figure, in the unit of X.
type Band struct {
	Lane  int     `json:"lane"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	State string  `json:"state"` // compute, push, QIS, WSS, FSS, barrier …
	Label string  `json:"label,omitempty"`
}
