package notebook

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// committed returns the committed results by id and profile.
func committed(t *testing.T) map[[2]string]*result.Result {
	t.Helper()
	out := map[[2]string]*result.Result{}
	for _, r := range committedResults(t) {
		out[[2]string{r.ID, r.Profile}] = r
	}
	return out
}

// leftover matches a sentence whose number is missing.
var leftover = regexp.MustCompile(`<nil>|<no value>|%!|\(\)|（）|\*\*\*\*| [,.;:!?] | [，。；：]|[，：；、][，。；：]|[,;:]\.|\.\.`)

// A narrative can be read with all results, with the results of any profile, with one of them
// alone and with none: what it says of a result that is not there it leaves out whole.
func TestNarrativesReadWithAnyResults(t *testing.T) {
	oktest.Slow(t)
	b := oktest.Must(Open(texts))(t)
	all := committed(t)
	none := func(string, string) (*result.Result, error) { return nil, fs.ErrNotExist }
	sets := map[string]Results{"none": none, "all": func(id, profile string) (*result.Result, error) {
		if r := all[[2]string{id, profile}]; r != nil {
			return r, nil
		}
		return none(id, profile)
	}}
	for key, r := range all {
		sets["profile "+key[1]] = func(id, _ string) (*result.Result, error) {
			if r := all[[2]string{id, key[1]}]; r != nil {
				return r, nil
			}
			return none(id, "")
		}
		sets[key[0]+" of profile "+key[1]+" alone"] = func(id, _ string) (*result.Result, error) {
			if id == key[0] {
				return r, nil
			}
			return none(id, "")
		}
	}
	for l, lang := range Languages {
		for _, name := range narratives(t, lang) {
			src := oktest.Must(fs.ReadFile(texts, name))(t)
			for set, find := range sets {
				text, err := b.Narrative(l, name, string(src), find, nil)
				if err != nil {
					t.Errorf("with %s: %v", set, err)
				}
				for _, line := range strings.Split(text, "\n") {
					if m := leftover.FindString(line); m != "" {
						t.Errorf("%s with %s: %q in %q", name, set, m, line)
					}
				}
			}
		}
	}
}

// A text takes the first profile that is there and whole, and prints values in the words of
// their own result.
func TestNarrativeBinds(t *testing.T) {
	b := oktest.Must(Open(folder(english, chinese)))(t)
	r := sample(t, 3)
	r.Facts[1].Value, r.Facts[1].Enum = "asp", "method"
	const src = `{{with result "dasp/x" "standard" "quick"}}{{.Profile}}, {{n .Seeds "seed" "seeds"}}: {{bare (.Fact "side")}}, {{num (.Measured ` +
		`"D27")}} for {{stated "D27"}}, {{stated "B14"}}{{else}}nothing{{end}}`
	for _, c := range []struct{ name, status, want string }{
		{"whole", result.Complete, "quick, 3" + nbsp + "seeds: ASP, 20" + nbsp + "% for 61.2" + nbsp + "%, 650–700" + nbsp + "ms"},
		{"interrupted", result.Incomplete, "nothing"},
	} {
		r.Status = c.status
		got, err := b.Narrative(0, "ring.en.md", src, func(id, profile string) (*result.Result, error) {
			if id != r.ID || profile != r.Profile {
				return nil, fs.ErrNotExist
			}
			return r, nil
		}, nil)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for src, want := range map[string]string{`{{result "dasp/x"}}`: "of which profile", `{{stated "Z99"}}`: "no \"Z99\"",
		`{{(result "dasp/x" "quick").Measured "D01"}}`: "judges no claim D01"} {
		r.Status = result.Complete
		if _, err := b.Narrative(0, "ring.en.md", src, func(string, string) (*result.Result, error) { return r, nil }, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
