package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// A claim has one row, with what both profiles found and why; where their
// verdicts differ, words say so.
func TestBothProfilesStandInTheRowOfAClaim(t *testing.T) {
	page := pageOfTwins(t, "dasp.html")
	const mark = `<span class="disagree">the profiles disagree</span>`
	for id, c := range map[string]struct {
		want     []string
		disagree bool
	}{
		"X01": {[]string{"11.1", "v-equal", "not in this profile"}, false},
		"X02": {[]string{"24.4", "21.1", "v-within", "−8.88", "−9.99", "v-differs", "<b>Why, standard: </b>Only the larger set shows it."}, true},
		"X03": {[]string{"55.5", "44.4", "<b>Why, both profiles: </b>", "<b>What differs, quick: </b>platform; data set", "<b>What differs, standard: </b>platform<"}, false},
		"X04": {[]string{"<b>Why, both profiles: </b>", "<b>What differs, both profiles: </b>platform<"}, false},
		"X06": {[]string{"v-not-run", "78.8", "v-within", "<b>Why, quick: </b>Left out"}, false}, // one of them did not run it
		"X07": {[]string{"not in this profile", "88.8", "v-same-sign"}, false},
	} {
		if n := strings.Count(page, ` id="claim-example5-`+slug(id)+`"`); n != 1 {
			t.Errorf("claim %s has %d rows, want one", id, n)
			continue
		}
		row := claimOn(t, page, id)
		for _, w := range c.want {
			if !strings.Contains(strings.ReplaceAll(row, nbsp, " "), w) {
				t.Errorf("%s: the row lacks %q:\n%s", id, w, row)
			}
		}
		if strings.Contains(row, mark) != c.disagree {
			t.Errorf("%s: marked as disagreeing: %v, want %v", id, !c.disagree, c.disagree)
		}
	}
	if list := cut(t, page, "<b>The profiles disagree on 1 claim:</b>", "</p>"); !strings.Contains(list, " <a href=\"#claim-example5-x02\">X02</a>.") {
		t.Errorf("the list of disagreements reads %q", list)
	}
	head := cut(t, page, `id="claims-example5"`, "</thead>")
	for _, w := range []string{"quick: synthetic invented images, 3 seeds", "standard: synthetic invented images, 1 seed", `id="claims-example5-standard"`} {
		if !strings.Contains(head, w) {
			t.Errorf("the head of the claims lacks %q", w)
		}
	}
	// X40: both profiles judge it alike to the last word, so the plain layout serves.
	if plain := cut(t, page, `id="claims-example-fig4"`, "</tbody>"); !strings.Contains(plain, "the same in profile standard") {
		t.Errorf("claims that are the same are not said to be: %s", plain)
	}
}

// What several profiles found is counted apart, on the page and on the index.
// By hand: quick has X01–X06 and X40, standard X02–X07 and X40.
func TestTalliesAreApart(t *testing.T) {
	words := func(ts []tally) (s string) {
		for _, x := range ts {
			s += fmt.Sprint(x.Key, x.N, " ")
		}
		return s
	}
	var rs []loaded
	for _, r := range append(fixture(), twins()...) {
		if pageName(r) == "dasp.html" {
			rs = append(rs, loaded{Result: r})
		}
	}
	got := tallies(rs)
	if len(got) != 2 || got[0].Profile != "quick" || got[1].Profile != "standard" || got[0].Results != 4 || got[1].Results != 3 {
		t.Fatalf("tallies %+v", got)
	}
	if w, want := words(got[0].Tally), "equal1 within1 same-sign2 differs1 not-run1 not-stated1 "; w != want {
		t.Errorf("quick: %s, want %s", w, want)
	}
	if w, want := words(got[1].Tally), "within1 same-sign3 differs2 not-stated1 "; w != want {
		t.Errorf("standard: %s, want %s", w, want)
	}
	if got[1].Data != "synthetic invented images / MNIST / CIFAR-10" {
		t.Errorf("standard was trained on %q", got[1].Data)
	}
	index := pageOfTwins(t, "index.html")
	for _, w := range []string{`<b class="profile">quick</b>`, `<b class="profile">standard</b>`, "8 claims, 7 results; the profiles disagree on 1 claim<"} {
		if !strings.Contains(index, w) {
			t.Errorf("the index lacks %q", w)
		}
	}
	if strings.Contains(pageOf(t, "index.html")+pageOf(t, "dasp.html"), `class="profile"`) {
		t.Error("pages of one profile name it in their tally")
	}
}

// One section holds both profiles, each under its label; what is the same stands
// there once; anchors are those that each profile would have alone.
func TestSectionsHoldBothProfiles(t *testing.T) {
	page := pageOfTwins(t, "dasp.html")
	for _, id := range []string{"example5", "example5-standard", "example5-times", "example5-standard-times", "example5-bars", "example5-standard-bars",
		"example5-standard-extra", "example1", "example1-standard", "example1-standard-devices", "example-fig4-standard-accuracy", "prov-example5", "prov-example5-standard"} {
		if n := strings.Count(page, ` id="`+id+`"`); n != 1 {
			t.Errorf("%d places have the id %s, want 1", n, id)
		}
	}
	sec := cut(t, page, `id="example5" aria`, "</section>")
	const quick, standard = `class="who p-quick">quick: synthetic invented images, 3 seeds`, `class="who p-standard">standard: synthetic invented images, 1 seed`
	// Labels: the head, and before each thing that differs; the bars are one.
	if q, s := strings.Count(sec, quick), strings.Count(sec, standard); q != 3 || s != 3 {
		t.Errorf("%d labels of quick and %d of standard, want 3 and 3 (head, times; bars; extra)", q, s)
	}
	bars := cut(t, sec, `id="example5-bars"`, "</figure>")
	if !strings.Contains(bars, "the same in profile standard") || strings.Count(sec, "<svg ") != 1 {
		t.Error("a figure that is the same in both profiles is not drawn once, or does not say so")
	}
	first, second := strings.Index(sec, `id="example5-times"`), strings.Index(sec, `id="example5-standard-times"`)
	if first < 0 || second < first || !strings.Contains(sec[first:second], quick) || !strings.Contains(sec[second:], standard) {
		t.Error("the two tables do not follow one another under their own labels")
	}
	if n := strings.Count(sec, "Mean iteration time per worker, with waits</h4>") + strings.Count(sec, "Mean iteration time per worker, with waits <span class=\"kind\">timing-only</span></h4>"); n != 1 {
		t.Errorf("the title that both tables have stands %d times above them", n)
	}
	if strings.Contains(sec, "<caption>Mean iteration time per worker") {
		t.Error("a title that stands above both tables is repeated in one")
	}
	for _, w := range []string{"Invented numbers. Six workers and a server.", "A sentence that only standard says.", "--profile quick", "--profile standard"} {
		if strings.Count(sec, w) != 1 {
			t.Errorf("%q stands %d times", w, strings.Count(sec, w))
		}
	}
	curves := cut(t, page, `id="example-fig4" aria`, "</section>")
	if !strings.Contains(curves, "standard: MNIST / CIFAR-10, 3 seeds") || strings.Count(curves, "<svg ") != 2 {
		t.Error("two different figures are not drawn twice, or their data sets are not named")
	}
	prov := cut(t, page, `id="prov-example-fig4-standard"`, "</section>")
	if !strings.Contains(prov, "mnist (cache)") || !strings.Contains(prov, "cifar-10 (directory)") {
		t.Error("the provenance does not name both sets")
	}
}

// An experiment of one profile looks as it does on a page without another.
func TestOneProfileLooksAsBefore(t *testing.T) {
	const from, to = `<section class="result" id="example-fig2"`, "</section>"
	alone, beside := cut(t, pageOf(t, "dasp.html"), from, to), cut(t, pageOfTwins(t, "dasp.html"), from, to)
	if alone != beside {
		t.Errorf("alone\n%s\nbeside others\n%s", alone, beside)
	}
	if strings.Contains(alone, `class="who`) || strings.Contains(alone, "sides") {
		t.Error("an experiment of one profile is laid out for several")
	}
}

// Every outcome of two verdicts.
func TestDisagreement(t *testing.T) {
	for _, c := range []struct {
		a, b, class string
		disagree    bool
	}{
		{"within", "within", "r-within", false}, {"within", "differs", "r-differs", true}, {"differs", "same-sign", "r-differs", true},
		{"equal", "within", "r-within", true}, {"not-run", "differs", "r-differs", false}, {"same-sign", "not-run", "r-same-sign", false},
		{"not-run", "not-run", "r-not-run", false}, {"not-stated", "not-stated", "r-not-stated", false}, {"", "within", "r-within", false},
	} {
		a, _ := findVerdict(c.a)
		b, _ := findVerdict(c.b)
		row := claimRow{Found: []found{{Profile: "quick", Verdict: a}, {Profile: "standard", Verdict: b}}}
		row.settle([]judge{{}, {}})
		if row.Disagree != c.disagree || row.Class != c.class {
			t.Errorf("%q beside %q: disagree %v, class %s; want %v, %s", c.a, c.b, row.Disagree, row.Class, c.disagree, c.class)
		}
	}
}

// A result that was judged by another wording or tolerance says so.
func TestChangedClaimIsNoted(t *testing.T) {
	a, b := exampleTimes(), exampleTimes()
	b.Profile = "standard"
	b.Claims[1].Paper, b.Claims[2].Tolerance, b.Claims[3].Statement = 23.4, ptr(1), "Another sentence"
	g := groupClaims([]loaded{{Result: a, Stem: "example5"}, {Result: b, Stem: "example5"}})
	for i, want := range map[int]string{1: "paper 23.4", 2: "tolerance ±1", 3: "Another sentence"} {
		if why := g.Rows[i].Found[1].Why; !strings.Contains(why, "read otherwise") || !strings.Contains(strings.ReplaceAll(why, nbsp, " "), want) {
			t.Errorf("%s: the reasons of the changed claim lack %q: %q", g.Rows[i].ID, want, why)
		}
	}
	if why := g.Rows[0].Found[1].Why; why != "" {
		t.Errorf("an unchanged claim: %q", why)
	}
}

func TestLabels(t *testing.T) {
	data := func(name, origin string) result.Data { return result.Data{Name: name, Origin: origin} }
	for _, c := range []struct {
		sets  []result.Data
		seeds int
		want  string
	}{
		{[]result.Data{data("fashion-mnist", "embedded")}, 3, "quick: embedded Fashion-MNIST, 3 seeds"},
		{[]result.Data{data("mnist", "cache"), data("cifar-10", "directory")}, 1, "quick: MNIST / CIFAR-10, 1 seed"},
		{[]result.Data{data("synthetic", "synthetic")}, 0, "quick: synthetic"},
		{nil, 3, "quick: 3 seeds"}, {nil, 0, "quick"},
	} {
		r := &result.Result{Profile: "quick", Datasets: c.sets, Seeds: make([]uint64, c.seeds)}
		if got := who(r); got != c.want {
			t.Errorf("label %q, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		config any
		want   string
	}{
		{map[string]any{"ranks": 5.0}, "quick: no seed used"},
		{map[string]any{"ranks": 5.0, "seeds": []any{0.0}}, "quick: 3 seeds"},
		{map[string]any{"full": []any{map[string]any{"seed": 0.0}}}, "quick: 3 seeds"},
		{map[string]any{}, "quick: 3 seeds"}, {nil, "quick: 3 seeds"},
	} {
		r := &result.Result{Profile: "quick", Seeds: make([]uint64, 3), Config: c.config}
		if got := who(r); got != c.want {
			t.Errorf("label %q of configuration %v, want %q", got, c.config, c.want)
		}
	}
	if got := inWords([]string{"a", "b", "c"}); got != "a, b and c" {
		t.Errorf("inWords gives %q", got)
	}
}

// What the profiles repeat is said once, with whose it is.
func TestCommonReasonsNameTheirProfile(t *testing.T) {
	both, one := "both profiles say this of every single claim of theirs", "only standard says this of nearly every one of the claims"
	var rows []claimRow
	for i := range 5 {
		rows = append(rows, claimRow{ID: fmt.Sprintf("D%02d", i+1), Found: []found{
			{Why: both, Differs: []string{"width 1/8"}}, {Why: one + "; " + both, Differs: []string{"batch 64"}}}})
	}
	rows[4].Found[1].Why = "alone"
	got := hoistFound(rows, []judge{{Profile: "quick"}, {Profile: "standard"}})
	want := []commonWhy{{"Each of these, quick", both}, {"Each of these, quick", "what differs: width 1/8"}, {"D01–D04, standard", one + "; " + both}, {"Each of these, standard", "what differs: batch 64"}}
	if !slices.Equal(got, want) {
		t.Errorf("common\n%v, want\n%v", got, want)
	}
	for i, r := range rows {
		for p, f := range r.Found {
			if f.Why != map[bool]string{true: "alone"}[i == 4 && p == 1] || len(f.Differs) > 0 {
				t.Errorf("%s keeps %q, %v", r.ID, f.Why, f.Differs)
			}
		}
	}
	same := []claimRow{}
	for i := range 4 {
		same = append(same, claimRow{ID: fmt.Sprintf("D%02d", i+1), Found: []found{{Why: both}, {Why: both}}})
	}
	if got, want := hoistFound(same, []judge{{Profile: "quick"}, {Profile: "standard"}}), []commonWhy{{"Each of these", both}}; !slices.Equal(got, want) {
		t.Errorf("common %v, want %v", got, want)
	}
}
