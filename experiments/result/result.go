// Package result is the schema between experiments and reports: what an experiment
// measured (Result: numbers and keys of enumerations, no sentence; same inputs, same
// bytes) and where and when it ran (Run, never compared). The words that a reader sees
// are the report's: notebooks, labels and the templates of reasons.
package result

// Schema names this version of the result format.
const Schema = "gradsync.result/v2"

// The kinds of results and frames: how their numbers were made.
const (
	Trained    = "trained"     // real gradients, on virtual or wall time
	TimingOnly = "timing-only" // same events, no arithmetic
	Modelled   = "modelled"    // a formula
	Shared     = "timed on a shared trajectory"
	Counted    = "counted" // sets, messages and bytes; numbers that were exchanged are no gradients
	Stated     = "stated"  // assumptions and their reasons: nothing was run
)

// The values of Result.Status; an interrupted run leaves Incomplete.
const (
	Complete   = "complete"
	Incomplete = "incomplete"
)

// Result is one experiment's outcome.
type Result struct {
	Schema  string   `json:"schema"`
	ID      string   `json:"id"`     // "dasp/table5"
	Source  string   `json:"source"` // "DASP, Table 5"
	Profile string   `json:"profile"`
	Kind    string   `json:"kind"`
	Status  string   `json:"status"`
	Seeds   []uint64 `json:"seeds"`
	Engine  string   `json:"engine,omitempty"` // name and bit class
	Data    []Data   `json:"data,omitempty"`
	Config  any      `json:"config"` // every parameter, hashed into ConfigSHA256; platforms by name and hash
	// ConfigSHA256 is over Config's compact JSON.
	ConfigSHA256 string   `json:"config_sha256"`
	Facts        []Fact   `json:"facts,omitempty"`
	Frames       []Frame  `json:"frames"`
	Figures      []Figure `json:"figures,omitempty"`
	Claims       []Claim  `json:"claims,omitempty"`
}

// Data describes a data set that was trained on.
type Data struct {
	Name   string `json:"name"`
	Origin string `json:"origin"` // embedded | directory | cache | synthetic
	Train  int    `json:"train"`
	Test   int    `json:"test"`
	SHA256 string `json:"sha256"`
	Note   string `json:"note,omitempty"`
}

// Fact is a named number or key of an enumeration, which texts of any page may bind. A finding
// (equal, sooner, missed) is a fact: texts make no comparison.
type Fact struct {
	Key     string      `json:"key"`
	Value   any         `json:"value"`          // number, key of Enum, bool, or null: not to be had in this run
	Enum    string      `json:"enum,omitempty"` // whose keys Value is one of
	CI95    *[2]float64 `json:"ci95,omitempty"`
	N       int         `json:"n,omitempty"` // runs behind Value; 0: deterministic
	Samples []float64   `json:"samples,omitempty"`
	Unit    string      `json:"unit,omitempty"`
	Digits  *int        `json:"digits,omitempty"` // decimals to print; absent: up to four significant digits
}

// Frame is a table of data: first the columns that identify a row (method, nodes …), then the
// columns of what was measured there.
type Frame struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind,omitempty"` // "": the result's
	Columns []Column `json:"columns"`
	Rows    [][]any  `json:"rows"` // cells: key, number, bool, list of samples or keys, or nil (no value)
}

// The values of Column.Bound: what the column says of the column that it bounds.
const (
	Half    = "half"    // half the width of its 95 % interval
	Low     = "lo"      // the interval's lower end
	High    = "hi"      // the interval's upper end
	Samples = "samples" // its values seed by seed, in the order of Result.Seeds
)

// Column is a column of a frame. One with a Bound describes the nearest column before it that has
// none.
type Column struct {
	Key    string `json:"key"`
	Enum   string `json:"enum,omitempty"` // whose keys its cells are: "method"
	Unit   string `json:"unit,omitempty"`
	Digits *int   `json:"digits,omitempty"` // decimals to print; absent: up to four significant digits
	Bound  string `json:"bound,omitempty"`  // half, lo, hi, samples
}

// Figure is a view of a frame: what is drawn of it, and how. Its words are labels.
type Figure struct {
	ID    string         `json:"id"`
	Form  string         `json:"form"` // line | bar | gantt | map
	Frame string         `json:"frame"`
	Where map[string]any `json:"where,omitempty"` // rows whose cells are these
	// X is the column along the figure; Y are the columns drawn, a series each if several.
	// Of a gantt X and Y[0] are where a band begins and ends. Of a map X are the categories along it,
	// By and Y[0] name its rows, and a cell has the look of State and the number of Label.
	X       string   `json:"x"`
	Y       []string `json:"y"`
	By      []string `json:"by,omitempty"`      // columns whose cells tell series apart
	Seed    string   `json:"seed,omitempty"`    // column of the seed, empty in the rows of a mean
	Log     string   `json:"log,omitempty"`     // x, y, xy
	Colours string   `json:"colours,omitempty"` // column whose cells fix colours; "": the first of By
	Lane    string   `json:"lane,omitempty"`    // gantt: column of the lane
	State   string   `json:"state,omitempty"`   // gantt: column of what a band is; map: of a cell
	Label   string   `json:"label,omitempty"`   // gantt: column of a band's label; map: of a cell's number
}

// Claim holds what was found about a claim, and the verdict. Statement, source, stated value and
// unit stand in claims.csv, the tolerance in tolerances.csv.
type Claim struct {
	ID       string        `json:"id"`
	Measured any           `json:"measured,omitempty"` // number, or numbers of a claim that lists several
	Found    *Reason       `json:"found,omitempty"`    // what is no number
	CI95     []*[2]float64 `json:"ci95,omitempty"`     // of each number; null: none
	Samples  [][]float64   `json:"samples,omitempty"`  // of each number, per seed
	Seeds    int           `json:"seeds,omitempty"`    // runs behind it; 0: deterministic
	Verdict  string        `json:"verdict"`
	Remark   string        `json:"remark,omitempty"` // derived
	Reasons  []Reason      `json:"reasons,omitempty"`
	Differs  []Reason      `json:"differs,omitempty"`
	Parts    []Part        `json:"parts,omitempty"` // of a qualitative claim

	Table   string `json:"table,omitempty"`   // of the document, "6"
	Network string `json:"network,omitempty"` // key of the enumeration model
	Rival   string `json:"rival,omitempty"`   // key of the enumeration method
	Cluster string `json:"cluster,omitempty"` // key of the enumeration platform
}

// Part is one comparison that a qualitative claim rests on.
type Part struct {
	Of      map[string]string `json:"of"` // enumeration → key: which comparison
	Value   any               `json:"value,omitempty"`
	CI95    *[2]float64       `json:"ci95,omitempty"`
	Samples []float64         `json:"samples,omitempty"`
	P       *float64          `json:"p,omitempty"`     // of the sign test that judges it, where a run misses a target
	Holds   *bool             `json:"holds,omitempty"` // nil: no case, or Undecided

	Undecided bool `json:"undecided,omitempty"` // its interval decides neither way
}

// Reason is a sentence as a code and its arguments; its words are the report's:
// reasons.<language>.tmpl, or the notebook of the claim's own result.
type Reason struct {
	Code string         `json:"code"`
	Args map[string]any `json:"args,omitempty"`
}

// Because returns the reason of a code, with args: names and their values in turn.
func Because(code string, args ...any) Reason {
	r := Reason{Code: code}
	for i := 0; i+1 < len(args); i += 2 {
		if r.Args == nil {
			r.Args = map[string]any{}
		}
		r.Args[args[i].(string)] = args[i+1]
	}
	return r
}

// Run is the sidecar of a result: how, when and on which machine it was made; never compared.
type Run struct {
	Command      string  `json:"command"`
	Commit       string  `json:"commit"` // 40 hex digits or "unknown"
	Dirty        bool    `json:"dirty"`
	Version      string  `json:"version"`
	Go           string  `json:"go"`
	Platform     string  `json:"platform"` // GOOS/GOARCH
	CPU          string  `json:"cpu"`
	GOMAXPROCS   int     `json:"gomaxprocs"`
	Engine       string  `json:"engine"`
	Accelerator  string  `json:"accelerator"` // "none used", or the GPU and its driver
	Started      string  `json:"started"`     // UTC, RFC 3339
	WallSeconds  float64 `json:"wall_seconds"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`
	ResultSHA256 string  `json:"result_sha256"`
}
