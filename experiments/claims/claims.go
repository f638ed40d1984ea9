// Package claims holds every number and statement of the source documents, the tolerance each is
// judged by, and the judge.
//
// claims.csv lists what the papers state. tolerances.csv is ours; it was committed before the
// first result, and its history shows any later change. items.csv says which experiment answers which table, figure,
// algorithm or section, and where that is read; internal/agree walks it.
//
// The first rule that fits gives the verdict: not run, not stated, input, no case, depends,
// undecided, and only then equal, within, same sign, differs. The order is of what a number can
// bear: an interval that holds the null leaves a number undecided on whichever side it lies, inside
// its tolerance too; one that leaves the tolerance is of the same sign at best. A claim that seeds.csv
// declared to need more seeds than there are is undecided too, unless its whole interval lies on the
// other side of the null. A number that seeds change and that has one seed is undecided; one that no seed
// changes (Found.Seeds is 0) needs no interval. A claim that lists numbers has the worst of their
// verdicts: one that differs decides, one that is undecided leaves those that hold undecided, and
// there is no case only if no number has one. A claim in words is judged by its parts, see Every and
// Some; a claim of no difference over seeds has a margin in place of a null, see Inside.
package claims

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed claims.csv
var claimsCSV []byte

//go:embed tolerances.csv
var tolerancesCSV []byte

// Claim is one row of claims.csv with its row of tolerances.csv, if any.
type Claim struct {
	ID         string `json:"id"`
	Paper      string `json:"paper"` // DASP, ring, ringsparse …
	Section    string `json:"section"`
	Text       string `json:"claim"`
	Quantity   string `json:"quantity"`
	Baseline   string `json:"baseline"`
	Value      string `json:"value"` // as printed
	Unit       string `json:"unit"`
	Conditions string `json:"conditions"`

	Tolerance    *float64 `json:"tolerance"` // absolute, in Unit; nil: not judged by a number
	Null         *float64 `json:"null"`      // the value of "no effect"; nil: none
	Margin       *float64 `json:"margin"`    // how far from no difference a claim of no difference lets an interval reach; nil: none
	ToleranceWhy string   `json:"tolerance_why"`
}

// Number returns the value as a number; ok is false for text, ranges and lists.
func (c Claim) Number() (v float64, ok bool) {
	v, err := strconv.ParseFloat(c.Value, 64)
	return v, err == nil
}

// Numbers returns the entries of a "0.831; 0.8437; 0.8720" list. A single
// number is a list of one; nil stands for a value that is no list of numbers.
func (c Claim) Numbers() []float64 { return parseList(c.Value) }

// Stated returns the value as a result carries it: a number or text.
func (c Claim) Stated() any {
	if v, ok := c.Number(); ok {
		return v
	}
	return c.Value
}

// Source returns the place in the document: "DASP, 3.2 (Table 6)".
func (c Claim) Source() string { return c.Paper + ", " + c.Section }

// Statement returns the sentence that a page prints for the claim. The rows of DSSP's Table I tell
// their methods apart by the baseline alone.
func (c Claim) Statement() string {
	s := c.Text
	if c.Paper == "DSSP" && c.Baseline != "-" {
		s = c.Baseline + ", " + s
	}
	if c.Conditions != "" {
		s += " (" + c.Conditions + ")"
	}
	return s
}

func parseList(s string) []float64 {
	parts := strings.Split(s, ";")
	out := make([]float64, 0, len(parts))
	for _, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

var (
	all   []Claim
	index map[string]int
)

func init() {
	var err error
	if all, err = parse(claimsCSV, tolerancesCSV); err != nil {
		panic(err) // the files are embedded: only a programmer can break them
	}
	index = make(map[string]int, len(all))
	for i, c := range all {
		index[c.ID] = i
	}
}

// All returns every claim in the order of claims.csv.
func All() []Claim { return append([]Claim(nil), all...) }

// Get returns the claim of an id such as "D13".
func Get(id string) (Claim, bool) {
	i, ok := index[id]
	if !ok {
		return Claim{}, false
	}
	return all[i], true
}

func parse(claimRows, toleranceRows []byte) ([]Claim, error) {
	rows, err := table(claimRows, "id,paper,section,claim,quantity,baseline,value,unit,conditions")
	if err != nil {
		return nil, fmt.Errorf("claims: claims.csv: %w", err)
	}
	out := make([]Claim, 0, len(rows))
	at := map[string]int{}
	for _, r := range rows {
		if _, twice := at[r[0]]; twice {
			return nil, fmt.Errorf("claims: claims.csv: %s stands twice", r[0])
		}
		if n := len(out); r[8] == "same" && n > 0 { // as the row before
			r[8] = out[n-1].Conditions
		}
		at[r[0]] = len(out)
		out = append(out, Claim{ID: r[0], Paper: r[1], Section: r[2], Text: r[3], Quantity: r[4],
			Baseline: r[5], Value: r[6], Unit: r[7], Conditions: r[8]})
	}
	rows, err = table(toleranceRows, "id,tolerance,null,margin,why")
	if err != nil {
		return nil, fmt.Errorf("claims: tolerances.csv: %w", err)
	}
	for _, r := range rows {
		i, ok := at[r[0]]
		if !ok || out[i].Tolerance != nil {
			return nil, fmt.Errorf("claims: tolerances.csv: %s is no claim or stands twice", r[0])
		}
		if out[i].Tolerance, err = number(r[1]); err != nil || out[i].Tolerance == nil {
			return nil, fmt.Errorf("claims: tolerances.csv: %s: tolerance %q is no number", r[0], r[1])
		}
		if out[i].Null, err = number(r[2]); err != nil {
			return nil, fmt.Errorf("claims: tolerances.csv: %s: null %q is no number", r[0], r[2])
		}
		if out[i].Margin, err = number(r[3]); err != nil || out[i].Margin != nil && *out[i].Margin <= 0 {
			return nil, fmt.Errorf("claims: tolerances.csv: %s: margin %q is no number above 0", r[0], r[3])
		}
		out[i].ToleranceWhy = r[4]
	}
	return out, nil
}

func number(s string) (*float64, error) {
	if s == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	return &v, err
}

func table(raw []byte, header string) ([][]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || strings.Join(rows[0], ",") != header {
		return nil, fmt.Errorf("header is not %q", header)
	}
	return rows[1:], nil
}

// Tolerance returns the claim's tolerance. It panics if tolerances.csv has none: a programmer's
// mistake.
func Tolerance(id string) float64 {
	c, ok := Get(id)
	if !ok || c.Tolerance == nil {
		panic("claims: " + id + " has no tolerance")
	}
	return *c.Tolerance
}

// Margin returns the margin that tolerances.csv fixed for a claim of no difference. One without any
// is a programmer's mistake and panics.
func Margin(id string) float64 {
	c, ok := Get(id)
	if !ok || c.Margin == nil {
		panic("claims: " + id + " has no margin")
	}
	return *c.Margin
}
