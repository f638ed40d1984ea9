package notebook

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
)

// Claims is the block of a page that shows claims beside what was found.
type Claims struct {
	Caption [2]template.HTML
	Rows    []ClaimRow
}

// ClaimRow is one claim in words.
type ClaimRow struct {
	result.Claim
	Statement, Source Both
	Quantity          Both // what a single number is
	Stated, Found     Both
	Interval          Both
	Tolerance         Both
	Criterion         Both // the rule by which a claim in words is judged
	Note              Both // ours, on the text: that it contradicts another place, or is lost
	Reasons, Differs  [2][]string
}

// claims places the claims of the result, or the claims named by ids.
func (p *page) claims(ids ...string) (string, error) {
	var rows []ClaimRow
	for _, c := range p.Result.Claims {
		if len(ids) > 0 && !slices.Contains(ids, c.ID) {
			continue
		}
		p.used["claim "+c.ID] = true
		row, err := p.claimRow(c)
		if err != nil {
			return "", fmt.Errorf("claim %s: %w", c.ID, err)
		}
		rows = append(rows, row)
	}
	for _, id := range ids {
		if p.Result.Claim(id) == nil {
			return "", fmt.Errorf("%s judges no claim %s", p.Result.ID, id)
		}
	}
	if len(rows) == 0 {
		return p.block(Part{Nothing: true}), nil
	}
	return p.block(Part{Claims: &Claims{Rows: rows}}), nil
}

// ClaimRows returns all claims of a result in words, in both languages. A result without a
// notebook has the reasons of all.
func (b *Book) ClaimRows(r *result.Result) (out []ClaimRow, err error) {
	for l := range Languages {
		p := b.page(l, r, nil)
		if _, err := p.parse(); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may define reasons
			return nil, fmt.Errorf("notebook %s.%s.md: profile %s: %w", r.ID, p.lang, r.Profile, err)
		}
		for i, c := range r.Claims {
			row, err := p.claimRow(c)
			if err != nil {
				return nil, fmt.Errorf("notebook %s: claim %s: %w", r.ID, c.ID, err)
			}
			if l == 0 {
				out = append(out, row)
			} else {
				out[i].join(row)
			}
		}
	}
	return out, nil
}

// ranged is a value of claims.csv that is a range of numbers.
var ranged = regexp.MustCompile(`^[0-9.]+-[0-9.]+$`)

func (p *page) claimRow(c result.Claim) (row ClaimRow, err error) {
	stated, ok := claims.Get(c.ID)
	if !ok {
		return row, fmt.Errorf("claims.csv has no such row")
	}
	row.Claim = c
	row.Statement[p.at], row.Source[p.at], row.Quantity[p.at] = p.statement(stated), p.source(stated), p.quantity(stated)
	unit := p.unit(stated.Unit)
	numbers := stated.Numbers()
	switch {
	case len(numbers) == 1:
		row.Stated[p.at] = withUnit(grouped(strings.Replace(stated.Value, "-", "−", 1)), unit)
	case len(numbers) > 1:
		row.Stated[p.at] = p.named(stated, strings.Split(stated.Value, "; "), unit)
	case ranged.MatchString(stated.Value):
		row.Stated[p.at] = withUnit(strings.Replace(stated.Value, "-", "–", 1), unit)
	case stated.Value != "-":
		row.Stated[p.at] = p.value(stated)
	}
	row.Note[p.at] = p.claim(c.ID, "note", "")
	if stated.Tolerance != nil && (len(numbers) > 0 || stated.ToleranceWhy == "") {
		row.Tolerance[p.at] = "±" + withUnit(Number(*stated.Tolerance, nil), p.points(stated.Unit))
	}
	if len(numbers) == 0 {
		row.Criterion[p.at] = p.claim(c.ID, "criterion", stated.ToleranceWhy)
	}
	if row.Found[p.at], row.Interval[p.at], err = p.found(c, stated, unit); err != nil {
		return row, err
	}
	if row.Reasons[p.at], err = p.all(c.Reasons); err != nil {
		return row, err
	}
	row.Differs[p.at], err = p.all(c.Differs)
	return row, err
}

// points returns the unit of a difference: two percentages differ by points.
func (p *page) points(unit string) string {
	if unit == "%" {
		unit = "points"
	}
	return p.unit(unit)
}

// apart prints the difference of two numbers of a unit, with the unit of differences.
func (p *page) apart(x any, unit string) (string, error) {
	s, err := fixed("%.4g", x)
	return withUnit(s, p.points(unit)), err
}

// overReadings is the reason of a claim that readings of the text judge. Of a claim without a number it is what was found.
const overReadings = "over-readings"

// found prints what was measured, or found in words, and the intervals of numbers.
func (p *page) found(c result.Claim, stated claims.Claim, unit string) (found, interval string, err error) {
	if c.Found != nil && c.Found.Code == claims.AsStated {
		return p.value(stated), "", nil
	}
	if c.Found != nil {
		found, err = p.wordsOf(*c.Found)
		return found, "", err
	}
	var values, ends []string
	switch x := c.Measured.(type) {
	case []any:
		for _, v := range x {
			f, _ := float(v)
			values = append(values, Number(f, nil))
		}
	default:
		f, ok := float(x)
		if i := slices.IndexFunc(c.Reasons, func(r result.Reason) bool { return r.Code == overReadings }); !ok && i >= 0 {
			found, err = p.wordsOf(result.Reason{Code: overReadings + "-found", Args: c.Reasons[i].Args})
			return found, "", err
		}
		if !ok {
			return "", "", nil
		}
		values = []string{Number(f, nil)}
	}
	for _, ci := range c.CI95 {
		if ci == nil {
			ends = append(ends, "–")
			continue
		}
		ends = append(ends, bracketed(*ci, nil))
	}
	return p.named(stated, values, unit), p.named(stated, ends, ""), nil
}

// named puts the names of a claim's quantities before its numbers.
func (p *page) named(c claims.Claim, values []string, unit string) string {
	names := strings.Split(p.quantity(c), "; ")
	if len(values) < 2 || len(names) != len(values) {
		return withUnit(strings.Join(values, "; "), unit)
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = names[i] + " " + withUnit(v, unit)
	}
	return strings.Join(out, "; ")
}

func (p *page) all(list []result.Reason) (out []string, err error) {
	for _, r := range list {
		s, err := p.wordsOf(r)
		if err != nil {
			return nil, err
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}

// join adds the Chinese words.
func (r *ClaimRow) join(zh ClaimRow) {
	for _, pair := range [][2]*Both{{&r.Statement, &zh.Statement}, {&r.Source, &zh.Source}, {&r.Stated, &zh.Stated}, {&r.Found, &zh.Found},
		{&r.Interval, &zh.Interval}, {&r.Quantity, &zh.Quantity}, {&r.Tolerance, &zh.Tolerance}, {&r.Criterion, &zh.Criterion}, {&r.Note, &zh.Note}} {
		pair[0][1] = pair[1][1]
	}
	r.Reasons[1], r.Differs[1] = zh.Reasons[1], zh.Differs[1]
}
