package agree

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/cli"
	"gradsync/experiments/exp"
	"gradsync/experiments/paper"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// item is a row of experiments/claims/items.csv: what a document has, or why an experiment stays that it has not
// ("input", "story"), the experiment that answers it, and the place on a page where the answer stands.
type item struct{ paper, item, stem, page, anchor, what string }

// numbered is how many items of a kind each document has, by its own numbering (the patent's figures and the papers'
// tables, figures and algorithms are numbered, the blog's are not).
var numbered = map[string]map[string]int{
	"dasp": {"Fig.": 4, "Table": 7, "Algorithm": 2}, "ringsparse": {"Fig.": 3}, "codedsgd": {"Fig.": 15, "Table": 2, "Algorithm": 4},
}

// TestItems walks the table of the documents' items: every numbered one has a row, and a row has an experiment,
// committed results, a page and an anchor on it. Every experiment has a row; one that answers no item of a document
// has how inputs were chosen, or a story tells of it. A claim of a document is judged where one of its items is answered.
func TestItems(t *testing.T) {
	root := mustRoot(t)
	rows := readItems(t)
	have := map[string]bool{}
	for _, r := range rows {
		have[r.paper+" "+r.item] = true
		for _, complaint := range judgeItem(root, r) {
			t.Errorf("items.csv: %s, %s, %s: %s", r.paper, r.item, r.stem, complaint)
		}
	}
	for key, kinds := range numbered {
		for kind, n := range kinds {
			for i := range n {
				if name := fmt.Sprintf("%s %s %d", key, kind, i+1); !have[name] {
					t.Errorf("items.csv has no row for %s", name)
				}
			}
		}
	}
	for _, e := range cli.Experiments() {
		of := slices.DeleteFunc(slices.Clone(rows), func(r item) bool { return r.stem != e.ID })
		if len(of) == 0 {
			t.Errorf("items.csv: nothing needs %s: it has neither an item of a document nor a reason why it stays", e.ID)
		}
		answers := slices.ContainsFunc(of, func(r item) bool { return r.item != "story" && r.item != "input" })
		for _, profile := range []string{"quick", "standard"} {
			r, err := result.Read(result.Path(filepath.Join(root, "experiments", "results"), e.ID, profile))
			if err != nil {
				continue // judgeItem has asked for one of the two
			}
			for _, c := range r.Claims {
				if !claims.Cited(c.ID) && !answers {
					t.Errorf("%s judges %s, but items.csv names no item of a document for it", e.ID, c.ID)
				}
			}
		}
	}
}

// readItems reads the table.
func readItems(t *testing.T) (out []item) {
	t.Helper()
	rows := oktest.Must(csv.NewReader(strings.NewReader(readRoot(t, "experiments/claims/items.csv"))).ReadAll())(t)
	if head := strings.Join(rows[0], ","); head != "paper,item,stem,page,anchor,what" {
		t.Fatalf("items.csv begins with %s", head)
	}
	for _, r := range rows[1:] {
		out = append(out, item{r[0], r[1], r[2], r[3], r[4], r[5]})
	}
	return out
}

// judgeItem complains where a row names what there is not, or says nothing.
func judgeItem(root string, r item) (complaints []string) {
	say := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	if !slices.Contains(paper.Keys(), r.paper) || r.item == "" || r.what == "" {
		say("no such document, no item, or not a word on it")
	}
	if !slices.ContainsFunc(cli.Experiments(), func(e exp.Experiment) bool { return e.ID == r.stem }) {
		say("no such experiment")
	}
	if !slices.ContainsFunc([]string{"quick", "standard"}, func(profile string) bool {
		_, err := os.Stat(result.Path(filepath.Join(root, "experiments", "results"), r.stem, profile))
		return err == nil
	}) {
		say("no committed result of it")
	}
	if page, err := os.ReadFile(filepath.Join(root, "reports", "html", filepath.FromSlash(r.page))); err != nil {
		say("no page %s", r.page)
	} else if !strings.Contains(string(page), ` id="`+r.anchor+`"`) {
		say("%s has no id %s", r.page, r.anchor)
	}
	if story := filepath.Join(root, "reports", "text", r.paper+".story.en.md"); r.item == "story" {
		if text, err := os.ReadFile(story); err != nil || !strings.Contains(string(text), `"`+r.stem+`"`) {
			say("%s tells nothing of it", filepath.Base(story))
		}
	}
	return complaints
}

// TestItemJudge: each thing that a row can lack is seen.
func TestItemJudge(t *testing.T) {
	whole := item{"dasp", "Table 5", "dasp/table5", "dasp/table5.html", "D10", "times"}
	for want, change := range map[string]func(*item){
		"":                      func(*item) {},
		"no such document":      func(r *item) { r.paper = "dusp" },
		"no such experiment":    func(r *item) { r.stem = "dasp/table50" },
		"no committed result":   func(r *item) { r.stem = "dasp/table50" },
		"no page dasp/no.html":  func(r *item) { r.page = "dasp/no.html" },
		"has no id D01":         func(r *item) { r.anchor = "D01" },
		"tells nothing of it":   func(r *item) { r.item, r.stem = "story", "dasp/tuning" },
		"or not a word on it":   func(r *item) { r.what = "" },
		"no item, or not a wor": func(r *item) { r.item = "" },
	} {
		r := whole
		change(&r)
		got := strings.Join(judgeItem(mustRoot(t), r), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}
