package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"

	"github.com/google/go-cmp/cmp"
)

// sideOn cuts out what a page of twins shows of one profile.
func sideOn(t *testing.T, page, profile string) string {
	t.Helper()
	return cut(t, page, `<section class="profiled p-`+profile+`"`, "</section>")
}

// A page holds what each profile found, each under its own label; what one profile has is not on the side of
// another. The first has all of it, of the others the answer, the claims and a figure.
func TestPagesHoldEveryProfile(t *testing.T) {
	page := pageOfTwins(t, "dasp/example5.html")
	for _, id := range []string{"example5", "example5-standard", "example5-standard-times", "example5-bars", "example5-standard-bars",
		"D10", "D10-quick", "cmd-example5-standard"} {
		if n := strings.Count(page, ` id="`+id+`"`); n != 1 {
			t.Errorf("%d places have the id %s, want 1", n, id)
		}
	}
	quick, standard := sideOn(t, page, "quick"), sideOn(t, page, "standard")
	for side, want := range map[string][]string{
		quick: {"quick: synthetic invented images, 3 seeds", "24.4" + typeset.NBSP + "%", "provenance.html#prov-example5\"",
			"Tables and reasons of profile quick"},
		standard: {"standard: synthetic invented images, 1 seed", "−8.9" + typeset.NBSP + "%", "--profile standard", "12.345"},
	} {
		for _, w := range want {
			if !strings.Contains(side, w) {
				t.Errorf("a side lacks %q", w)
			}
		}
	}
	const one = "One seed: where a mean is spoken of, it is the number of the one run"
	if strings.Contains(quick, one) || !strings.Contains(standard, one) {
		t.Error("a side of one seed does not say that it has no interval, or another does")
	}
	if strings.Contains(standard, "24.4"+typeset.NBSP+"%") || strings.Contains(quick, "12.345") || strings.Contains(quick, "<table class=\"data\"") {
		t.Error("what one profile found stands beside another")
	}
	curves := sideOn(t, pageOfTwins(t, "dasp/example-fig4.html"), "standard")
	if !strings.Contains(curves, "standard: MNIST / CIFAR-10, 3 seeds") || !strings.Contains(curves, "mnist (cache)") || !strings.Contains(curves,
		"cifar-10 (directory)") {
		t.Error("the data sets of a profile are not named")
	}
}

// The reader sees one profile at a time by style alone: each side is a later sibling of
// the choices, one of them is made, and the style sheet has a rule for each profile.
func TestTheChoiceOfAProfileNeedsNoScript(t *testing.T) {
	css := cssOf(t)
	for _, p := range profiles {
		for _, rule := range []string{"#show-" + p + ":checked ~ .profiled:not(.p-" + p + ")",
			"#show-" + p + ":checked ~ section .profiled:not(.p-" + p + ")", `#show-` + p + `:checked ~ .switch [for="show-` + p + `"]`} {
			if strings.Count(css, rule) != 1 {
				t.Errorf("the style sheet has no rule %s", rule)
			}
		}
	}
	choice := regexp.MustCompile(`<input type="radio" class="profile" name="profile" id="show-([a-z]+)" value="([a-z]+)"( checked="checked")?/>`)
	for name, order := range map[string][2]string{"dasp/claims.html": {"standard", "quick"}, "dasp/example5.html": {"standard", "quick"}} {
		page := pageOfTwins(t, name)
		ms := choice.FindAllStringSubmatchIndex(page, -1)
		if len(ms) != 2 || page[ms[0][2]:ms[0][3]] != order[0] || ms[0][6] < 0 || page[ms[1][2]:ms[1][3]] != order[1] || ms[1][6] >= 0 {
			t.Fatalf("%s: %d choices", name, len(ms))
		}
		// From the choices to the last side no element is closed that holds a choice.
		between, depth := page[ms[0][0]:strings.LastIndex(page, `class="profiled`)], 0
		for _, tag := range regexp.MustCompile(`<(/?)(section|div|main)\b`).FindAllStringSubmatch(between, -1) {
			if tag[1] == "" {
				depth++
			} else if depth--; depth < 0 {
				t.Fatalf("%s: a side is no later sibling of the choices", name)
			}
		}
		for _, p := range []string{"quick", "standard"} {
			if !strings.Contains(page, `<label for="show-`+p+`">`+p+`</label>`) {
				t.Errorf("%s: nothing to press for %s", name, p)
			}
		}
	}
	for _, name := range []string{"dasp/example-fig2.html", "ring/example-cost.html"} {
		if choice.MatchString(pageOfTwins(t, name)) {
			t.Errorf("%s lets the reader choose between one profile", name)
		}
	}
}

// A document counts each claim once, of the profile that its story speaks of. By hand: standard has D10, D15,
// D16, D14, D17, D42, D40 and D18, of which D42 is derived and D14 not stated.
func TestAClaimCountsOnce(t *testing.T) {
	var rs []loaded
	for _, r := range slices.Concat(examples(), twins()) {
		if paperOf(r.ID) == "dasp" {
			rs = append(rs, loaded{File: ran.File{Result: r}})
		}
	}
	slices.SortStableFunc(rs, func(a, b loaded) int { return strings.Compare(a.ID, b.ID) })
	got := ""
	for _, x := range counted(toldOf(rs)) {
		got += fmt.Sprint(x.Key, x.N, " ")
	}
	if want := "holds2 direction2 not1 cannot1 "; got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
}

// An experiment of one profile looks as it does on a page without another.
func TestOneProfileLooksAsBefore(t *testing.T) {
	const name = "dasp/example-fig2.html"
	if alone, beside := pageOf(t, name), pageOfTwins(t, name); alone != beside {
		t.Error("the page of an experiment of one profile depends on others")
	}
}

func TestLabelsOfProfiles(t *testing.T) {
	data := func(name, origin string) result.Data { return result.Data{Name: name, Origin: origin} }
	for _, c := range []struct {
		sets   []result.Data
		seeds  int
		config any
		want   said
	}{
		{[]result.Data{data("fashion-mnist", "embedded")}, 3, nil, said{"quick: embedded Fashion-MNIST, 3 seeds", "quick：内置 Fashion-MNIST，3 个种子"}},
		{[]result.Data{data("mnist", "cache"), data("cifar-10", "directory")}, 1, nil, said{"quick: MNIST / CIFAR-10, 1 seed", "quick：MNIST / CIFAR-10，1 个种子"}},
		{[]result.Data{data("synthetic", "synthetic")}, 0, nil, notebook.Alike("quick: synthetic")},
		{nil, 3, nil, said{"quick: 3 seeds", "quick：3 个种子"}}, {nil, 0, nil, notebook.Alike("quick")},
		{nil, 3, map[string]any{"ranks": 5.0}, said{"quick: no seed used", "quick：未用种子"}},
		{nil, 3, map[string]any{"ranks": 5.0, "seeds": []any{0.0}}, said{"quick: 3 seeds", "quick：3 个种子"}},
		{nil, 3, map[string]any{"full": []any{map[string]any{"seed": 0.0}}}, said{"quick: 3 seeds", "quick：3 个种子"}},
		{nil, 3, map[string]any{}, said{"quick: 3 seeds", "quick：3 个种子"}},
		{[]result.Data{data("mnist", "cache")}, 3, map[string]any{"ranks": 5.0}, said{"quick: MNIST, 3 seeds", "quick：MNIST，3 个种子"}},
	} {
		r := &result.Result{Profile: "quick", Data: c.sets, Seeds: make([]uint64, c.seeds), Config: c.config}
		if got := who(r); got.En() != c.want.En() || c.want.Zh() != c.want.En() && got.Zh() != c.want.Zh() {
			t.Errorf("label %q, want %q", got, c.want)
		}
	}
}

// What nearly all results of a profile say is said once; no fact is lost: who says otherwise keeps its own, who has a
// fact that another lacks keeps it, and a warning stays with its result.
func TestShareFacts(t *testing.T) {
	v, dirty := ran.Fact{Name: notebook.Alike("version"), Value: notebook.Alike("1")}, ran.Fact{Name: notebook.Alike("changes"),
		Value: notebook.Alike("some"), Warn: true}
	commit := func(s string) ran.Fact {
		return ran.Fact{Name: notebook.Alike("commit"), Value: notebook.Alike(s), Code: true}
	}
	data := ran.Fact{Name: notebook.Alike("data"), Value: notebook.Alike("mnist")}
	sides := []side{
		{Profile: "quick", Prov: []ran.Fact{commit("b"), v, dirty, data}},
		{Profile: "standard", Prov: []ran.Fact{v, commit("b")}},
	}
	for range 4 {
		sides = append(sides, side{Profile: "quick", Prov: []ran.Fact{commit("a"), v, dirty}})
	}
	sides[2].Prov = append(sides[2].Prov, data)
	for i := range sides { // one with two licences, one with none: as many as sides, and yet not everybody's
		if i != 0 {
			sides[i].Prov = append(sides[i].Prov, ran.Fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")})
		}
		if i == 5 {
			sides[i].Prov = append(sides[i].Prov, ran.Fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")})
		}
	}
	got := shareFacts(sides)
	if d := cmp.Diff([]commonFacts{{"quick", []ran.Fact{commit("a"), v}}}, got); d != "" {
		t.Errorf("in common:\n%s", d)
	}
	mit := ran.Fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")}
	for i, want := range [][]ran.Fact{{commit("b"), dirty, data}, {v, commit("b"), mit}, {dirty, data, mit}, {dirty, mit}, {dirty, mit}, {dirty, mit, mit}} {
		if d := cmp.Diff(want, sides[i].Prov); d != "" {
			t.Errorf("side %d keeps:\n%s", i, d)
		}
	}
}
