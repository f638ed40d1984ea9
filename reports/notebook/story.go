package notebook

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
)

// What a story says besides: claims as rows, verdicts as chips, and where a component stands. This package
// marks the place of chips and components; whoever makes the page draws them.

// Told holds the claims of a document, each once, for what a story counts.
type Told []result.Claim

// Mark stands in a narrative for something that the page draws: a name and its words, each after a space.
const Mark = "\x02%s\x03"

// Restated stands behind the word of a verdict of a restatement.
const Restated = "*"

// judgedKeys are the columns of claims as rows.
var judgedKeys = []string{"claim", "stated", "measured", "measured_lo", "measured_hi", "word", "verdict", "table", "network", "rival", "cluster", "derived"}

// Judged returns the claims of the result that have the values named, as rows: claim, stated, measured
// with its interval, word (the plain verdict), verdict, table, network, rival, cluster, derived. A claim
// that lists numbers has no single one. Claims that are out of scope are left out.
func (p *page) Judged(sel ...any) (out []row, err error) {
	if len(sel)%2 != 0 {
		return nil, fmt.Errorf("Judged: columns and values in turn, not %d words", len(sel))
	}
	for _, c := range claims.InScope(p.Result.Claims) {
		r, err := p.judged(c)
		if err != nil {
			return nil, err
		}
		keep := true
		for k := 0; k < len(sel); k += 2 {
			key, _ := sel[k].(string)
			v, err := r.Get(key)
			if err != nil {
				return nil, err
			}
			keep = keep && plainText(v) == plainText(sel[k+1])
		}
		if keep {
			out = append(out, r)
		}
	}
	return out, nil
}

// Claims returns claims of the result by their ids, as Judged does; one that the result does not judge is
// left out.
func (p *page) Claims(ids ...string) (out []row, err error) {
	for _, id := range ids {
		if _, ok := claims.Get(id); !ok {
			return nil, fmt.Errorf("claims.csv has no %q", id)
		}
		p.used["claim "+id] = true
		if c := p.Result.Claim(id); c != nil {
			r, err := p.judged(*c)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// judged returns one claim as a row.
func (p *page) judged(c result.Claim) (row, error) {
	stated, ok := claims.Get(c.ID)
	if !ok {
		return row{}, fmt.Errorf("claims.csv has no %q", c.ID)
	}
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	var number any
	if x, ok := stated.Number(); ok {
		number = x
	}
	cells := []any{c.ID, number, nil, nil, nil, claims.Word(c.Verdict), c.Verdict, text(c.Table), text(c.Network), text(c.Rival), text(c.Cluster),
		c.Remark == claims.DerivedRemark}
	if x, ok := float(c.Measured); ok {
		cells[2] = x
		if len(c.CI95) == 1 && c.CI95[0] != nil {
			cells[3], cells[4] = c.CI95[0][0], c.CI95[0][1]
		}
	}
	f := &result.Frame{ID: "claims"}
	for _, key := range judgedKeys {
		col := result.Column{Key: key}
		switch key {
		case "stated", "measured":
			col.Unit = stated.Unit
		case "measured_lo":
			col.Unit, col.Bound = stated.Unit, result.Low
		case "measured_hi":
			col.Unit, col.Bound = stated.Unit, result.High
		case "network":
			col.Enum = "model"
		case "rival":
			col.Enum = "method"
		case "cluster":
			col.Enum = "platform"
		}
		f.Columns = append(f.Columns, col)
	}
	return row{f, cells, p}, nil
}

// extent prints the numbers of a column as a range, "1.2 to 3.4 %"; one number where both ends print alike, a
// dash for none.
func (p *page) extent(key string, rs []row, digits ...int) (string, error) {
	least, most, err := extremes(key, rs)
	if err != nil || least.V == nil {
		return "–", err
	}
	return p.between(least, most, digits)
}

// change prints the numbers of a column, reductions where they are positive, as a range without signs: "16.9 to
// 82.1 % shorter", "6 to 79 % longer", "43 % longer to 19 % shorter" with less = "shorter" and more = "longer", keys
// of the labels words.*.
func (p *page) change(key string, rs []row, less, more string, digits ...int) (string, error) {
	least, most, err := extremes(key, rs)
	if err != nil || least.V == nil {
		return "–", err
	}
	for _, w := range []*string{&less, &more} {
		if *w = p.labels["words."+*w]; *w == "" {
			return "", fmt.Errorf("change: no label words.%s", *w)
		}
	}
	size := func(v Value) Value {
		x, _ := float(v)
		v.V = math.Abs(x)
		return v
	}
	word := func(text, w string) string {
		if p.at == 1 {
			return w + " " + text
		}
		return text + " " + w
	}
	low, _ := float(least)
	high, _ := float(most)
	switch {
	case low >= 0:
		text, err := p.between(least, most, digits)
		return word(text, less), err
	case high <= 0:
		text, err := p.between(size(most), size(least), digits)
		return word(text, more), err
	}
	loss, err := p.num(size(least), digits...)
	if err != nil {
		return "", err
	}
	gain, err := p.num(most, digits...)
	return word(loss, more) + [2]string{" to ", "到"}[p.at] + word(gain, less), err
}

// extremes returns the least and the most of a column's numbers; without a number their V is nil.
func extremes(key string, rs []row) (least, most Value, err error) {
	for _, r := range rs {
		v, err := r.Get(key)
		if err != nil {
			return least, most, err
		}
		x, ok := float(v)
		if !ok {
			continue
		}
		if low, any := float(least); !any || x < low {
			least = v
		}
		if high, any := float(most); !any || x > high {
			most = v
		}
	}
	return least, most, nil
}

// between prints two numbers as a range; as one where both print alike.
func (p *page) between(least, most Value, digits []int) (string, error) {
	from, err := p.bareTo(least, digits)
	if err != nil {
		return "", err
	}
	to, err := p.num(most, digits...)
	if alike, _ := p.num(least, digits...); err != nil || alike == to {
		return to, err
	}
	return from + [2]string{" to ", " 至 "}[p.at] + to, nil
}

// bareTo prints a number without its unit, to a number of decimals if given.
func (p *page) bareTo(v Value, digits []int) (string, error) {
	if len(digits) > 0 {
		v.Column.Digits = &digits[0]
	}
	return p.bare(v)
}

// verdict marks the chip of several claims: the page shows the plain verdict that most of them have, and
// beside it how many have which. A restatement, which is not counted, is told by Restated behind its word. Claims
// of several results come in turn.
func verdict(of ...[]row) (string, error) {
	var words []string
	for _, r := range slices.Concat(of...) {
		v, err := r.Get("word")
		if err != nil {
			return "", err
		}
		derived, err := r.Get("derived")
		if err != nil {
			return "", err
		}
		word := plainText(v)
		if derived.V == true {
			word += Restated
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return "", errors.New("verdict: of no claim")
	}
	return fmt.Sprintf(Mark, "verdict "+strings.Join(words, " ")), nil
}

// chip marks the chip of one plain verdict.
func chip(word string) (string, error) {
	if !slices.Contains(claims.Words, word) && word != "lost" {
		return "", fmt.Errorf("chip: no verdict %q", word)
	}
	return fmt.Sprintf(Mark, "chip "+word), nil
}

// mostly returns the plain verdict that most of the claims have, as claims.Most.
func mostly(rs []row) (Value, error) {
	var words []string
	for _, r := range rs {
		v, err := r.Get("word")
		if err != nil {
			return Value{}, err
		}
		words = append(words, plainText(v))
	}
	return Value{V: claims.Most(words)}, nil
}

// placed marks where a component of the page stands, on a line of its own; the page draws it.
func (p *page) placed(name string, args ...string) string {
	words := append([]string{name}, args...)
	if !p.story {
		return p.block(Part{Placed: words})
	}
	return "\n\n" + fmt.Sprintf(Mark, "place "+strings.Join(words, " ")) + "\n\n"
}

// counted returns how many claims of the document have one of some plain verdicts; without any, how many
// are findings. Restatements are not counted.
func (p *page) counted(words ...string) Value {
	if len(words) == 0 {
		words = claims.Words[:claims.Findings]
	}
	n := 0
	for _, c := range claims.InScope(p.told) {
		if c.Remark != claims.DerivedRemark && slices.Contains(words, claims.Word(c.Verdict)) {
			n++
		}
	}
	return Value{V: float64(n)}
}

// standing returns how much of a document holds, by the claims that are decided: "mostly" if two in three
// hold, "partly" if one in five holds at least in direction, else "hardly"; "open" if nothing is decided.
func (p *page) standing() Value {
	all, _ := float(p.counted(claims.WordHolds, claims.WordDirection, claims.WordNot))
	hold, _ := float(p.counted(claims.WordHolds))
	some, _ := float(p.counted(claims.WordHolds, claims.WordDirection))
	switch {
	case all == 0:
		return Value{V: "open"}
	case 3*hold >= 2*all:
		return Value{V: "mostly"}
	case 5*some >= all:
		return Value{V: "partly"}
	}
	return Value{V: "hardly"}
}
