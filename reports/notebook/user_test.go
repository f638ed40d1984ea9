package notebook

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// What a reader's own run may be: of one seed, of other seeds, of another profile, without
// one of the methods, on a platform of his own. Each committed result is turned into such a
// run, and its page must say nothing that is wrong of it.

// clone copies a result, so that a test may change it.
func clone(t *testing.T, r *result.Result) *result.Result {
	t.Helper()
	raw := oktest.Must(json.Marshal(r))(t)
	out := new(result.Result)
	oktest.Nil(t, json.Unmarshal(raw, out))
	return out
}

// slips match a sentence whose value, list or number of things is not what
// the writer thought of. A dash that stands alone is a value that is not there.
var slips = map[string]*regexp.Regexp{
	"a value that is not there": regexp.MustCompile(`(?:^|[\s(“"‘:：，、；。（])–(?:$|[\s,.;:)%，。；、）])`),
	"an error":                  regexp.MustCompile(`<nil>|<no value>|%!|\bInf\b|\{\{|\}\}|\[object`),
	"nothing in brackets":       regexp.MustCompile(`\( *\)|（ *）|\[ *\]|“ *”`),
	"nothing before a stop":     regexp.MustCompile(`[:：] *[.;,。；，]|[,，;；、] *[.。]|[ \x{a0}][,.;](?:\s|$)|,,|，，|；；|、、|。。|[^.]\.\.(?:[^.]|$)|, ,|; ;`),
	"one of many": regexp.MustCompile(`(?:^|[^\d.,\x{202f}–−/·+])1[ \x{a0}](?:seeds|workers|versions|updates|iterations|gradients|rows|` +
		`points|ranks|nodes|steps|times|GPUs|methods|blocks|packets|samples|runs|links|layers|rounds|pushes|results|networks)\b`),
	"a word twice":               regexp.MustCompile(`\b(?:the the|a a|of of|to to|is is|in in|and and|with with|at at|by by)\b`),
	"a list that has no members": regexp.MustCompile(`\b(?:and|or) *[.;,](?:\s|$)`),
}

var (
	ends  = regexp.MustCompile(`</(?:p|li|h\d|td|th|blockquote)>`)
	cells = regexp.MustCompile(`<td[^>]*>[^<]*–[^<]*</td>`)
)

var codeSpan = regexp.MustCompile(`(?s)<code>.*?</code>`)

// spoken returns the sentences of a page in a language, with where each stands.
func spoken(p *Page, l int) map[string]string {
	out := map[string]string{"the title": p.Title[l]}
	plain := func(s string) string {
		return strings.TrimSpace(html.UnescapeString(tags.ReplaceAllString(codeSpan.ReplaceAllString(s, "·"), "")))
	}
	for i, part := range p.Parts {
		switch {
		case part.Prose != nil:
			// A cell of a typed table may be a dash.
			for k, s := range ends.Split(cells.ReplaceAllString(string(part.Prose[l]), "</p>"), -1) {
				out[fmt.Sprintf("part %d, paragraph %d", i, k)] = plain(s)
			}
		case part.Fold != nil:
			out[fmt.Sprintf("fold %d", i)] = part.Fold[l]
		case part.Table != nil:
			out["the caption of frame "+part.Table.Frame] = plain(string(part.Table.Caption[l]))
		case part.Figure != nil:
			out["the caption of figure "+part.Figure.ID] = plain(string(part.Figure.Caption[l]))
			out["the words of figure "+part.Figure.ID] = part.Figure.Alt[l]
		case part.Claims != nil:
			for _, c := range part.Claims.Rows {
				out["what was found of claim "+c.ID] = c.Found[l]
				for k, s := range slices.Concat(c.Reasons[l], c.Differs[l]) {
					out[fmt.Sprintf("reason %d of claim %s", k, c.ID)] = s
				}
			}
		}
	}
	return out
}

// well keeps the sentences in which no slip was found: most are the same in all variants of a result.
var well sync.Map

// reads renders a result and reports what reads wrongly; it tells each sentence once. It returns the page, nil if there is none.
func reads(t *testing.T, b *Book, what string, r *result.Result, told map[string]bool) *Page {
	t.Helper()
	p, err := b.Page(r, find)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil
	}
	for l, lang := range Languages {
		said := spoken(p, l)
		for _, at := range slices.Sorted(maps.Keys(said)) {
			if _, ok := well.Load(said[at]); ok {
				continue
			}
			good := true
			for slip, re := range slips {
				m := re.FindString(said[at])
				if good = good && m == ""; m != "" && !told[r.ID+lang+at+slip] {
					told[r.ID+lang+at+slip] = true
					t.Errorf("%s, %s, profile %s, %s, %s: %s, %q: %s", what, r.ID, r.Profile, lang, at, slip, m, said[at])
				}
			}
			if good {
				well.Store(said[at], true)
			}
		}
	}
	return p
}

// oneSeed turns a result into its first seed's: no interval, no samples, of curves one
// run, of claims no undecided one.
func oneSeed(r *result.Result) {
	if len(r.Seeds) < 2 {
		return
	}
	all := float64(len(r.Seeds))
	r.Seeds = r.Seeds[:1]
	for i := range r.Facts {
		f := &r.Facts[i]
		if strings.Contains(f.Key, "seed") && f.Value == all {
			f.Value = 1.0
		}
		if len(f.Samples) > 0 {
			f.Value = f.Samples[0]
		}
		f.CI95, f.Samples, f.N = nil, nil, min(f.N, 1)
	}
	for i := range r.Frames {
		f := &r.Frames[i]
		for _, row := range f.Rows {
			of := -1
			for j, c := range f.Columns {
				if c.Bound == "" {
					of = j
					continue
				}
				if list, ok := row[j].([]any); ok && len(list) > 0 {
					row[of] = list[0]
				}
				row[j] = nil
			}
		}
	}
	for _, d := range r.Figures {
		if f := r.Frame(d.Frame); d.Seed != "" {
			at := f.At(d.Seed)
			f.Rows = slices.DeleteFunc(f.Rows, func(row []any) bool { return row[at] != nil && row[at] != float64(r.Seeds[0]) })
		}
	}
	for i := range r.Claims {
		c := &r.Claims[i]
		c.CI95, c.Samples, c.Seeds = nil, nil, min(c.Seeds, 1)
		c.Reasons = slices.DeleteFunc(c.Reasons, func(x result.Reason) bool {
			return x.Code == "ci-contains-null" || x.Code == "needs-seeds" // which speaks of seeds that are wanting
		})
		for _, x := range slices.Concat(c.Reasons, c.Differs) {
			for _, of := range []string{"seeds", "of", "n"} {
				if x.Args[of] == all {
					x.Args[of] = 1.0
				}
			}
		}
		for k := range c.Parts {
			c.Parts[k].CI95, c.Parts[k].Samples = nil, nil
		}
	}
}

// toChange returns the committed results that tests change into a user's: of profile quick, in
// which every notebook has one, and with GRADSYNC_LONG of all.
func toChange(t *testing.T) []*result.Result {
	t.Helper()
	all := committedResults(t)
	if os.Getenv("GRADSYNC_LONG") != "" {
		return all
	}
	return slices.DeleteFunc(all, func(r *result.Result) bool { return r.Profile != "quick" })
}

// A run of one seed has no interval, and no sentence, table or figure shows one or speaks of
// several seeds.
func TestRunsOfOneSeed(t *testing.T) {
	oktest.Slow(t)
	b, told := opened(t), map[string]bool{}
	several := [2]*regexp.Regexp{regexp.MustCompile(`\b(?:[02-9]|\d\d+)[ \x{a0}]seeds\b`), regexp.MustCompile(`(?:[02-9]|\d\d+) ?个种子`)}
	for _, r := range toChange(t) {
		one := clone(t, r)
		oneSeed(one)
		p := reads(t, b, "of one seed", one, told)
		if p == nil {
			continue
		}
		for l, lang := range Languages {
			for at, s := range spoken(p, l) {
				if m := several[l].FindString(s); m != "" && len(r.Seeds) > 0 {
					t.Errorf("of one seed, %s, profile %s, %s, %s speaks of %s: %s", r.ID, r.Profile, lang, at, m, s)
				}
			}
		}
		if len(r.Seeds) == 0 {
			continue // its intervals are over something else: of shares of readings
		}
		for _, part := range p.Parts {
			if part.Table != nil {
				for _, h := range part.Table.Head {
					if h.Bound != "" {
						t.Errorf("of one seed, %s: frame %s shows the interval of %s", r.ID, part.Table.Frame, h.Key)
					}
				}
			}
			if part.Figure != nil {
				for _, s := range part.Figure.Drawn[0].Series {
					if len(s.Lo) > 0 {
						t.Errorf("of one seed, %s: figure %s draws an interval of %s", r.ID, part.Figure.ID, s.Name)
					}
				}
			}
			if part.Claims != nil {
				for _, c := range part.Claims.Rows {
					if c.Interval[0] != "" {
						t.Errorf("of one seed, %s: claim %s has the interval %s", r.ID, c.ID, c.Interval[0])
					}
				}
			}
		}
	}
}

// A run of other seeds says its own.
func TestRunsOfOtherSeeds(t *testing.T) {
	oktest.Slow(t)
	b, told := opened(t), map[string]bool{}
	for _, r := range toChange(t) {
		if len(r.Seeds) == 0 {
			continue
		}
		other := *r
		other.Seeds = []uint64{11, 12, 13, 14, 15, 16, 17}
		reads(t, b, "of seven other seeds", &other, told)
	}
}

// A run of a profile of which nothing is committed reads as well, also where no
// result of that profile is there that a text would speak of.
func TestRunsOfAnotherProfile(t *testing.T) {
	oktest.Slow(t)
	b, told := opened(t), map[string]bool{}
	for _, r := range toChange(t) {
		for _, profile := range []string{"paper", "standard", "ci", "quick"} {
			if profile == r.Profile {
				continue // TestCommittedResultsRender
			}
			other := *r
			other.Profile = profile
			reads(t, b, "of profile "+profile, &other, told)
		}
	}
}

// keysIn returns the keys that a result has of an enumeration.
func keysIn(r *result.Result, enum string) []string {
	out := map[string]bool{}
	for _, f := range r.Frames {
		for i, c := range f.Columns {
			for _, row := range f.Rows {
				if key, ok := row[i].(string); ok && c.Enum == enum {
					out[key] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// allMethods are results whose texts need every method: they say what the methods are, or
// seek what a document must have had, and no run of them can lack one.
var allMethods = []string{"compare/facts", "dasp/explain"}

// A run without one of its methods shows the others.
func TestRunsWithoutAMethod(t *testing.T) {
	oktest.Slow(t)
	b, told, n := opened(t), map[string]bool{}, 0
	for _, r := range toChange(t) {
		if slices.Contains(allMethods, r.ID) {
			continue
		}
		methods := keysIn(r, "method")
		for _, m := range methods {
			if len(methods) < 3 {
				break
			}
			n++
			less := *r
			less.Frames = slices.Clone(r.Frames)
			for i := range less.Frames {
				f := &less.Frames[i]
				for at, c := range f.Columns {
					if c.Enum == "method" {
						f.Rows = slices.DeleteFunc(slices.Clone(f.Rows), func(row []any) bool { return row[at] == m })
					}
				}
			}
			reads(t, b, "without "+m, &less, told)
		}
	}
	if n < 100 {
		t.Errorf("%d runs", n)
	}
}

// A run on a platform of the reader's own, or on his own data, calls it by its key.
func TestRunsOnAPlatformOfOnesOwn(t *testing.T) {
	oktest.Slow(t)
	b, told, n := opened(t), map[string]bool{}, 0
	for _, r := range toChange(t) {
		if r.ID == "dasp/dssp-anchor" { // its clusters belong to another document
			continue
		}
		text := ""
		for _, lang := range Languages {
			raw := oktest.Must(fs.ReadFile(texts, r.ID+"."+lang+".md"))(t)
			text += string(raw)
		}
		for _, key := range keysIn(r, "platform") {
			n++
			own := clone(t, r)
			for i := range own.Facts {
				if own.Facts[i].Enum == "platform" && own.Facts[i].Value == key {
					own.Facts[i].Value = "my-lab"
				}
			}
			for i := range own.Frames {
				for at, c := range own.Frames[i].Columns {
					for _, row := range own.Frames[i].Rows {
						if c.Enum == "platform" && row[at] == key {
							row[at] = "my-lab"
						}
					}
				}
			}
			after := reads(t, b, "on my-lab for "+key, own, told)
			if strings.Contains(text, `"`+key+`"`) {
				continue // a text that asks for a platform by its name is of that platform alone
			}
			before, err := b.Page(r, find)
			if err != nil || after == nil {
				continue // reads told it
			}
			if name := label(b, r, key); strings.Contains(before.Text(0), name) && !strings.Contains(after.Text(0), "my-lab") {
				t.Errorf("%s: the page calls %s by its name, and not my-lab", r.ID, name)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d runs", n)
	}
}

// label returns the English name of a platform in the words of a result.
func label(b *Book, r *result.Result, key string) string {
	w := b.words[0]
	w.id = r.ID
	s, err := w.label("platform", key)
	if err != nil {
		return key
	}
	return s
}
