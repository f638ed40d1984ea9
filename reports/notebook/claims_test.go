package notebook

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// bothWords returns the words of the program in both languages.
func bothWords(t *testing.T) (out [2]words) {
	t.Helper()
	for l, lang := range Languages {
		var err error
		if out[l], err = readWords(texts, lang); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var (
	figures = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)*`)
	// wordy is a value of claims.csv that is words and no formula.
	wordy = regexp.MustCompile(`\b[a-z]{3,}\b`)
	// shouted is a word in capitals that is no name, or says what became of the text.
	shouted = regexp.MustCompile(`\b(?:NOT|FALSE|INCONSISTENT|OPPOSITE|CONFLICTS|WRONG|ERROR|UNCLEAR)\b|\blost\b|reconstructed`)
)

// formulas takes the names of a formula out of a value.
var formulas = strings.NewReplacer("Tcalc", "", "Tcomm", "", "Compres", "", "eta", "")

func inChinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// Every claim has its Chinese: the statement and what a page prints beside it, with the
// numbers of the English.
func TestClaimsAreInChinese(t *testing.T) {
	w := bothWords(t)
	rows := map[string]bool{}
	for key := range w[1].stated {
		id, _, _ := strings.Cut(key, ".")
		rows[id] = true
	}
	for _, c := range claims.All() {
		if !rows[c.ID] {
			t.Errorf("%s: claims.zh.csv has no row", c.ID)
			continue
		}
		delete(rows, c.ID)
		for what, pair := range map[string][2]string{
			"statement": {w[0].statement(c), w[1].statement(c)}, "note": {w[0].claim(c.ID, "note", ""), w[1].claim(c.ID, "note", "")},
			"criterion": {w[0].claim(c.ID, "criterion", c.ToleranceWhy), w[1].claim(c.ID, "criterion", "")}, "value": {w[0].value(c), w[1].value(c)},
			"source": {w[0].source(c), w[1].source(c)}} {
			shown := pair[0] != "" && (what != "criterion" || c.Numbers() == nil)
			if wants := shown && what != "source" && (what != "value" || wordy.MatchString(formulas.Replace(pair[0]))); wants && !inChinese(pair[1]) {
				t.Errorf("%s: the %s %q is %q", c.ID, what, pair[0], pair[1])
			}
			if what == "source" && !strings.Contains(pair[1], "，") {
				t.Errorf("%s: the source %q is %q", c.ID, pair[0], pair[1])
			}
			en, zh := figures.FindAllString(pair[0], -1), figures.FindAllString(pair[1], -1)
			slices.Sort(en)
			slices.Sort(zh)
			if shown && !slices.Equal(en, zh) {
				t.Errorf("%s: the numbers of the %s are %v, in Chinese %v", c.ID, what, en, zh)
			}
		}
		if wordy.MatchString(c.Unit) && c.Unit != "count" && c.Unit != "ratio" && !inChinese(w[1].unit(c.Unit)) {
			t.Errorf("%s: the unit %s is not in Chinese", c.ID, c.Unit)
		}
	}
	for id := range rows {
		t.Errorf("%s: a row of claims.zh.csv for no claim", id)
	}
}

// No statement shows a verdict of ours on the text, or that it was lost, and no word of
// claims.csv gets lost on the way from a statement to its note.
func TestNoClaimHoldsItsVerdict(t *testing.T) {
	w, notes := bothWords(t)[0], 0
	for _, c := range claims.All() {
		statement, note := w.statement(c), w.claim(c.ID, "note", "")
		if shouted.MatchString(statement) || shouted.MatchString(note) && strings.ToUpper(note) == note {
			t.Errorf("%s: %q", c.ID, statement)
		}
		if note != "" {
			notes++
		}
		split := func(s string) []string {
			out := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ()[];", r) })
			slices.Sort(out)
			return out
		}
		if a, b := split(c.Statement()), split(statement+" "+note); !slices.Equal(a, b) {
			t.Errorf("%s: %q became %q and %q", c.ID, c.Statement(), statement, note)
		}
	}
	if notes < 25 {
		t.Errorf("%d claims have a note on their text", notes)
	}
}

// rowOf returns a claim in the words of the program, in both languages.
func rowOf(t *testing.T, c result.Claim) (row ClaimRow) {
	t.Helper()
	b := opened(t)
	for l := range Languages {
		p := b.page(l, &result.Result{ID: "dasp/x"}, nil)
		p.t = b.reasons[l]
		one := oktest.Must(p.claimRow(c))(t)
		if l == 0 {
			row = one
		} else {
			row.join(one)
		}
	}
	return row
}

// By hand: a number with its unit and tolerance, a list with its names, a range, words.
func TestClaimRows(t *testing.T) {
	as := result.Because(claims.AsStated)
	for _, c := range []struct {
		claim                             result.Claim
		stated, found, interval, criteria string
	}{
		{result.Claim{ID: "D13", Measured: 44.72514, CI95: []*[2]float64{{44.1, 45.34}}}, "82.1 %/82.1 %", "44.73 %/44.73 %", "[44.10, 45.34]/[44.10, 45.34]", "/"},
		{result.Claim{ID: "D42", Measured: []any{0.8, 0.9, -0.5}, CI95: []*[2]float64{{0.75, 0.85}, nil, nil}},
			"DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720/DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720",
			"DASP/BSP 0.8; SSP/BSP 0.9; DSSP/BSP −0.5/DASP/BSP 0.8; SSP/BSP 0.9; DSSP/BSP −0.5",
			"DASP/BSP [0.7500, 0.8500]; SSP/BSP –; DSSP/BSP –/DASP/BSP [0.7500, 0.8500]; SSP/BSP –; DSSP/BSP –", "/"},
		{result.Claim{ID: "D42", Measured: []any{0.8, 0.9}},
			"DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720/DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720", "0.8; 0.9/0.8; 0.9", "/", "/"}, // not three
		{result.Claim{ID: "B14", Measured: 666.0}, "650–700 ms/650–700 ms", "666 ms/666 ms", "/",
			"a range: it holds if the mean over seeds lies between 650 and 700 ms, which is 675 ± 25/一个范围：若各个种子的平均落在 650 与 700 ms 之间，即 675 ± 25，则成立"},
		{result.Claim{ID: "P12", Found: &as}, "does not grow/不增长", "does not grow/不增长", "/",
			"does not grow: the time of one dense all-reduce at N = 16 is at most 5 % above that at N = 2/不增长：N = 16 时一次稠密全归约的时间至多比 N = 2 时高 5 %"},
		{result.Claim{ID: "X02"}, "not reached/未达到", "/", "/", "/"},
	} {
		row := rowOf(t, c.claim)
		want := []string{c.stated, c.found, c.interval, c.criteria}
		for i, pair := range []Both{row.Stated, row.Found, row.Interval, row.Criterion} {
			if got := strings.ReplaceAll(pair[0]+"/"+pair[1], nbsp, " "); got != want[i] {
				t.Errorf("%s: %q, want %q", c.claim.ID, got, want[i])
			}
		}
	}
	if row := rowOf(t, result.Claim{ID: "D59"}); row.Note != (Both{"false literally (20 at Smax 15 simulated)", "按字面不成立（模拟中 Smax 为 15 时达到 20）"}) ||
		row.Statement[0] != "FSS keeps all version differences within Smax" {
		t.Errorf("D59: %q, note %q", row.Statement, row.Note)
	}
	if row := rowOf(t, result.Claim{ID: "D13"}); row.Tolerance[0] != "±5"+nbsp+"points" || row.Tolerance[1] != "±5"+nbsp+"个百分点" {
		t.Errorf("the tolerance of a percentage is %q", row.Tolerance)
	}
}
