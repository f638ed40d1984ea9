package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"

	"github.com/google/go-cmp/cmp"
)

// sideOn cuts out what a page of twins shows of one profile.
func sideOn(t *testing.T, page, profile string) string {
	t.Helper()
	return cut(t, page, `<section class="profiled p-`+profile+`"`, "</section>")
}

// A page holds what each profile found, each under its own label, with anchors that each
// profile would have alone; what one profile has is not on the side of another.
func TestPagesHoldEveryProfile(t *testing.T) {
	page := pageOfTwins(t, "dasp/example5.html")
	for _, id := range []string{"example5", "example5-standard", "example5-times", "example5-standard-times", "example5-bars", "example5-standard-bars",
		"claim-example5-d10", "claim-example5-standard-d10", "cmd-example5", "cmd-example5-standard"} {
		if n := strings.Count(page, ` id="`+id+`"`); n != 1 {
			t.Errorf("%d places have the id %s, want 1", n, id)
		}
	}
	quick, standard := sideOn(t, page, "quick"), sideOn(t, page, "standard")
	for side, want := range map[string][]string{
		quick:    {"quick: synthetic invented images, 3 seeds", "24.4" + typeset.NBSP + "%", "--profile quick", "1.720"},
		standard: {"standard: synthetic invented images, 1 seed", "−8.88" + typeset.NBSP + "%", "--profile standard", "12.345", "only the larger set shows it"},
	} {
		for _, w := range want {
			if !strings.Contains(side, w) {
				t.Errorf("a side lacks %q", w)
			}
		}
	}
	const one = "One seed: what is called a mean is the number of its one run"
	if strings.Contains(quick, one) || !strings.Contains(standard, one) {
		t.Error("a side of one seed does not say that it has no interval, or another does")
	}
	if strings.Contains(quick, "only the larger set") || strings.Contains(standard, "24.4"+typeset.NBSP+"%") || strings.Contains(quick, "12.345") {
		t.Error("what one profile found stands beside another")
	}
	curves := sideOn(t, pageOfTwins(t, "dasp/example-fig4.html"), "standard")
	if !strings.Contains(curves, "standard: MNIST / CIFAR-10, 3 seeds") || !strings.Contains(curves, "<code>mnist (cache)") &&
		!strings.Contains(curves, "mnist (cache)") || !strings.Contains(curves, "cifar-10 (directory)") {
		t.Error("the data sets of a profile are not named")
	}
}

// The reader sees one profile at a time by style alone: each side is a later sibling of
// the choices, one of them is made, and the style sheet has a rule for each profile.
func TestTheChoiceOfAProfileNeedsNoScript(t *testing.T) {
	css := cssOf(t)
	for _, p := range profiles {
		for _, rule := range []string{"#show-" + p + ":checked ~ .profiled:not(.p-" + p + ")",
			"#show-" + p + ":checked ~ .judged > .profiled:not(.p-" + p + ")", `#show-` + p + `:checked ~ .switch [for="show-` + p + `"]`} {
			if strings.Count(css, rule) != 1 {
				t.Errorf("the style sheet has no rule %s", rule)
			}
		}
	}
	choice := regexp.MustCompile(`<input type="radio" class="profile" name="profile" id="show-([a-z]+)" value="([a-z]+)"( checked="checked")?/>`)
	for _, name := range []string{"dasp.html", "dasp/example5.html"} {
		page := pageOfTwins(t, name)
		ms := choice.FindAllStringSubmatchIndex(page, -1)
		if len(ms) != 2 || page[ms[0][2]:ms[0][3]] != "quick" || ms[0][6] < 0 || page[ms[1][2]:ms[1][3]] != "standard" || ms[1][6] >= 0 {
			t.Fatalf("%s: %d choices", name, len(ms))
		}
		// From the choices to the last side no element is closed that holds a choice.
		between := page[ms[0][0]:strings.LastIndex(page, `class="profiled`)]
		depth := 0
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

// A claim has a row for each profile that judged it; where a profile of the page has none
// of an experiment, the first of that experiment stands for it.
func TestClaimsOfEveryProfile(t *testing.T) {
	page := pageOfTwins(t, "dasp.html")
	block := cut(t, page, `id="claims-example5"`, "</section>")
	quick, standard, _ := strings.Cut(block, `<div class="profiled p-standard">`)
	if !strings.Contains(quick, `<div class="profiled p-quick">`) {
		t.Fatalf("no side of quick: %.300s", block)
	}
	for id, want := range map[string][2]string{"d13": {"v-equal", ""}, "d10": {"v-within", "v-differs"}, "d15": {"v-same-sign", "v-same-sign"},
		"d17": {"v-not-run", "v-within"}, "d18": {"", "v-same-sign"}} {
		for i, side := range []string{quick, standard} {
			at := strings.Index(side, "-"+id+`">`)
			if (at >= 0) != (want[i] != "") {
				t.Errorf("%s: in profile %d: %v", id, i, at >= 0)
			} else if at >= 0 && !strings.Contains(side[at:at+strings.Index(side[at:], "</tbody>")], "chip "+want[i]+`"`) {
				t.Errorf("%s: in profile %d its verdict is not %s", id, i, want[i])
			}
		}
	}
	alone := exampleCost()
	var b paperPage
	b.judge([]loaded{{File: ran.File{Result: exampleTimes()}, ClaimRows: make([]notebook.ClaimRow, 1)}, {File: ran.File{Result: twins()[0]},
		ClaimRows: make([]notebook.ClaimRow, 1)}},
		&linkedView{})
	b.judge([]loaded{{File: ran.File{Result: alone}, ClaimRows: make([]notebook.ClaimRow, 1)}}, &linkedView{})
	b.showEach()
	if got := fmt.Sprint(b.Profiles, b.Judged[0].Sides[0].Shown, b.Judged[0].Sides[1].Shown,
		b.Judged[1].Sides[0].Shown); got != "[quick standard]p-quickp-standardp-quick p-standard" {
		t.Errorf("shown: %s", got)
	}
}

// Where two profiles that ran a claim judge it otherwise, the page says so and leads to it.
func TestDisagreement(t *testing.T) {
	page := pageOfTwins(t, "dasp.html")
	if list := cut(t, page, "<b>The profiles disagree on 1 claim:</b>", "</p>"); !strings.Contains(list, ` <a href="#claim-example5-d10">D10</a>.`) {
		t.Errorf("the list of disagreements reads %q", list)
	}
	for _, c := range []struct {
		a, b     string
		disagree bool
	}{
		{"within", "within", false}, {"within", "differs", true}, {"differs", "same-sign", true}, {"equal", "within", true}, {"not-run", "differs", false},
		{"same-sign", "not-run", false}, {"not-run", "not-run", false}, {"not-stated", "not-stated", false}, {"not-stated", "within", false},
		{"undecided", "differs", false}, {"same-sign", "undecided", false}, {"no-case", "differs", false}, {"holds", "no-case", false},
		{"input", "within", false}, {"input", "differs", false}, {"depends", "differs", true}, {"holds", "differs", true}, {"undecided", "no-case", false},
	} {
		side := func(verdict string) loaded {
			r := exampleTimes()
			return loaded{File: ran.File{Result: r, Stem: "example5"}, ClaimRows: []notebook.ClaimRow{{Claim: result.Claim{ID: "D10", Verdict: verdict}}}}
		}
		if got := disagreeing([]loaded{side(c.a), side(c.b)}); (len(got) == 1) != c.disagree {
			t.Errorf("%s beside %s: %d claims on which the profiles disagree", c.a, c.b, len(got))
		}
	}
}

// What several profiles found is counted apart, on the page and on the index.
// By hand: quick has D13, D10, D15, D16, D14, D17, D42 and D40, standard all but D13, and D18.
func TestTalliesAreApart(t *testing.T) {
	words := func(ts []page.VerdictCount) (s string) {
		for _, x := range ts {
			s += fmt.Sprint(x.Key, x.N, " ")
		}
		return s
	}
	var rs []loaded
	for _, r := range slices.Concat(examples(), twins()) {
		if paperOf(r.ID) == "dasp" {
			rs = append(rs, loaded{File: ran.File{Result: r}})
		}
	}
	got := tallies(rs)
	if len(got) != 2 || got[0].Profile != "quick" || got[1].Profile != "standard" || got[0].Results != 4 || got[1].Results != 3 {
		t.Fatalf("tallies %+v", got)
	}
	if w, want := words(got[0].Tally), "equal1 within2 same-sign1 holds1 undecided1 not-run1 not-stated1 "; w != want {
		t.Errorf("quick: %s, want %s", w, want)
	}
	if w, want := words(got[1].Tally), "within2 same-sign2 holds1 differs1 undecided1 not-stated1 "; w != want {
		t.Errorf("standard: %s, want %s", w, want)
	}
	if got[1].Data != (said{"synthetic invented images / MNIST / CIFAR-10", "合成 invented images / MNIST / CIFAR-10"}) {
		t.Errorf("standard was trained on %q", got[1].Data)
	}
	index := pageOfTwins(t, "index.html")
	for _, w := range []string{`<b class="profile">quick</b>`, `<b class="profile">standard</b>`, "9 claims, 7 results; the profiles disagree on 1 claim<"} {
		if !strings.Contains(index, w) {
			t.Errorf("the index lacks %q", w)
		}
	}
	if one := pageOf(t, "index.html"); strings.Contains(one, `<b class="profile">`) || strings.Contains(one, "disagree on") {
		t.Error("with one profile the index speaks of several")
	}
	if claims.Equal != "equal" {
		t.Error("another word for equal")
	}
}

// An experiment of one profile looks as it does on a page without another.
func TestOneProfileLooksAsBefore(t *testing.T) {
	const name = "dasp/example-fig2.html"
	if alone, beside := pageOf(t, name), pageOfTwins(t, name); alone != beside {
		t.Error("the page of an experiment of one profile depends on others")
	}
	const from, to = `<section class="result linked" id="example-fig2"`, "</section>"
	if alone, beside := cut(t, pageOf(t, "dasp.html"), from, to), cut(t, pageOfTwins(t, "dasp.html"), from, to); alone != beside {
		t.Errorf("alone\n%s\nbeside others\n%s", alone, beside)
	}
}

// A link to the section of a profile, which a page of before had, still leads to the
// experiment.
func TestAnchorsOfProfilesStay(t *testing.T) {
	page := pageOfTwins(t, "dasp.html")
	for _, id := range []string{"example5", "example5-standard", "example1-standard", "example-fig4-standard", "prov-example5", "prov-example5-standard"} {
		if n := strings.Count(page, ` id="`+id+`"`); n != 1 {
			t.Errorf("%d places have the id %s, want 1", n, id)
		}
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

// What nearly all results of a profile say is said once; no fact is lost: who says
// otherwise keeps its own, who has a fact that another lacks keeps it, and a warning
// stays with its result.
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
	if d := cmp.Diff([]commonFacts{{"quick", []ran.Fact{v, commit("a")}}}, got); d != "" {
		t.Errorf("in common:\n%s", d)
	}
	mit := ran.Fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")}
	for i, want := range [][]ran.Fact{{commit("b"), dirty, data}, {v, commit("b"), mit}, {dirty, data, mit}, {dirty, mit}, {dirty, mit}, {dirty, mit, mit}} {
		if d := cmp.Diff(want, sides[i].Prov); d != "" {
			t.Errorf("side %d keeps:\n%s", i, d)
		}
	}
}
