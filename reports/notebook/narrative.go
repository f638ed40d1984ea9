package notebook

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	text "text/template"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
)

// Narrative executes src, a text on several results, in language l (0 English, 1 Chinese) and
// returns its Markdown. name is its file's name, which begins with its document's key. The text
// binds numbers by {{with result ID PROFILE …}}, which is nil where others has no such result, and counts
// the claims of told.
func (b *Book) Narrative(l int, name, src string, others Results, told Told) (string, error) {
	paper, _, _ := strings.Cut(name, ".")
	p := b.page(l, &result.Result{ID: paper + "/" + name}, others)
	p.t, p.told, p.story = b.reasons[l], told, true
	t, err := text.New(name).Funcs(p.funcs()).Parse(src)
	if err != nil {
		return "", fmt.Errorf("narrative: %w", err)
	}
	var out strings.Builder
	if err := t.Execute(&out, nil); err != nil {
		return "", fmt.Errorf("narrative: %w", err)
	}
	if len(p.blocks) > 0 {
		return "", fmt.Errorf("narrative %s: a table or figure stands on the page of its result", name)
	}
	return out.String(), nil
}

// other returns a page of another result: of the first of some profiles in which it is
// there and whole, since a text binds what an interrupted run may not have reached. It is
// nil where there is none.
func (p *page) other(id string, profiles ...string) (*page, error) {
	if len(profiles) == 0 {
		return nil, fmt.Errorf("result %s: of which profile", id)
	}
	for _, profile := range profiles {
		if p.find == nil {
			return nil, nil
		}
		r, err := p.find(id, profile)
		if errors.Is(err, fs.ErrNotExist) || err == nil && r.Status == result.Incomplete {
			continue
		}
		if err != nil {
			return nil, err
		}
		o := p.book.page(p.at, r, p.find)
		o.used, o.t, o.host, o.story = p.used, p.t, p, p.story
		return o, nil
	}
	return nil, nil
}

// What a text asks of another result.
func (p *page) Fact(key string) (Value, error)           { return p.fact(key) }
func (p *page) Rows(f string, sel ...any) ([]row, error) { return p.rows(f, sel...) }
func (p *page) Has(f string, sel ...any) (bool, error)   { return p.has(f, sel...) }
func (p *page) Seeds() Value                             { return Value{V: float64(len(p.Result.Seeds))} }
func (p *page) Profile() string                          { return p.Result.Profile }
func (p *page) Cell(f, key string, sel ...any) (Value, error) {
	return p.cell(f, key, sel...)
}

// Measured returns the number that was measured for a claim.
func (p *page) Measured(id string) (Value, error) {
	p.used["claim "+id] = true
	c, ok := claims.Get(id)
	if found := p.Result.Claim(id); ok && found != nil {
		return Value{V: found.Measured, Column: result.Column{Key: id, Unit: c.Unit}, page: p}, nil
	}
	return Value{}, fmt.Errorf("%s judges no claim %s", p.Result.ID, id)
}

// span is a stated range, "650-700".
var span = regexp.MustCompile(`^([0-9.]+)-([0-9.]+)$`)

// stated prints what a document states, by the id of its claim, with its unit.
func (p *page) stated(id string) (string, error) {
	c, ok := claims.Get(id)
	if !ok {
		return "", fmt.Errorf("stated: claims.csv has no %q", id)
	}
	value := span.ReplaceAllString(c.Value, "$1–$2")
	if len(c.Numbers()) == 1 {
		value = grouped(strings.Replace(value, "-", "−", 1))
	}
	return withUnit(value, p.unit(c.Unit)), nil
}
