package typeset

import (
	"html/template"
	"math"
	"strings"
	"testing"
)

// Expected words: written by hand.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{0, 0, "0"}, {12, 0, "12"}, {-11.1, 0, "−11.1"}, {0.05, 0, "0.05"}, {0.123456, 0, "0.1235"}, {1234.56, 0, "1235"},
		{12345, 0, "12\u202f345"}, {-1234567, 0, "−1\u202f234\u202f567"}, {98.5, 2, "98.50"},
		{12345.678, 1, "12\u202f345.7"}, {1e-7, 0, "1·10⁻⁷"}, {math.NaN(), 0, "–"}, {9.9999, 0, "10"}, {99.995, 0, "100"},
	} {
		if got := Number(c.x, c.digits); got != c.want {
			t.Errorf("number(%v, %d) = %q, want %q", c.x, c.digits, got, c.want)
		}
	}
	for s, want := range map[float64]string{5.25: "5.2 s", 61: "1 min 01 s", 7260: "2 h 01 min"} {
		if got := strings.ReplaceAll(Seconds(s).En(), NBSP, " "); got != want {
			t.Errorf("seconds(%v) = %q, want %q", s, got, want)
		}
	}
	if got := WithUnit("3", "count"); got != "3" {
		t.Errorf("a count prints as %q", got)
	}
}

// Expected words: written by hand.
func TestTypedSignsArePrinted(t *testing.T) {
	for s, want := range map[string]string{
		"ASP <= {DASP,DSSP,SSP} <= BSP": "ASP ≤\u00a0{DASP, DSSP, SSP} ≤\u00a0BSP",
		"+-0.002 from rounding":         "±0.002 from rounding",
		"time x iterations, max x1":     "time ×\u00a0iterations, max x1",
		"95 % of 3 %":                   "95\u00a0% of 3\u00a0%",
		"a, b, {c, d}":                  "a, b, {c, d}",
		"1.2 s at 10 Gb/s, 3 seeds":     "1.2\u00a0s at 10\u00a0Gb/s, 3 seeds",

		// The formulas of claims.csv, and names that look like parts of some.
		"2*(N-1)*K/N":                               "2·(N−1)·K/N",
		"2*(N-1)/N * D/B":                           "2·(N−1)/N\u00a0·\u00a0D/B",
		"((k+1)*W0-(Pw'+Pw''))/eta":                 "((k+1)·W0−(Pw′+Pw″))/η",
		"Pw = eta*(Pg'+Pg'')+(k+1)*W0":              "Pw =\u00a0η·(Pg′+Pg″)+(k+1)·W0",
		"tie -> weights":                            "tie → weights",
		"only as N->inf: 2D/B":                      "only as N→∞: 2D/B",
		"repeat S4 and S5 N-1 times":                "repeat S4 and S5 N−1 times",
		"ResNet-18, VGG-19, CIFAR-10, beta-1":       "ResNet-18, VGG-19, CIFAR-10, beta-1",
		"best r* = 3, it's":                         "best r*\u00a0=\u00a03, it's",
		"if m = k + 1 holds":                        "if m\u00a0=\u00a0k\u00a0+\u00a01 holds",
		"f(2000) = 1000000 + 100000 + 10000":        "f(2000) =\u00a01000000 +\u00a0100000 +\u00a010000",
		"at 2.5 [1.25, 3.5], in [a list, of words]": "at 2.5 [1.25,\u00a03.5], in [a list, of words]",
	} {
		if got := Pretty(s); got != want {
			t.Errorf("pretty(%q) = %q, want %q", s, got, want)
		}
	}
}

// Expected HTML: written by hand.
func TestNumbersKeepTheirUnits(t *testing.T) {
	const s = `<p id="a 1 s">2.4 s, <b>70 %</b> and <code>wait 3 s</code><pre>wait
3 s</pre> of 5 MB/s, 2 sets</p>`
	const want = `<p id="a 1 s">2.4` + NBSP + `s, <b>70` + NBSP + `%</b> and <code>wait 3 s</code><pre>wait
3 s</pre> of 5` + NBSP + `MB/s, 2 sets</p>`
	if got := UnitsHTML(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestFormulasOfHTML: letters of a formula have tags of their own; a command breaks at blanks alone.
func TestFormulasOfHTML(t *testing.T) {
	for s, want := range map[string]string{
		"with <em>W</em>′ = <em>W</em>″ − 1": `with <em>W</em><span class="prime">′</span>` + NBSP + `=` + NBSP +
			`<em>W</em><span class="prime">″</span>` + NBSP + `−` + NBSP + `1`,
		"(<em>k</em> + 1)<em>W</em>":          `(<em>k</em>` + NBSP + `+` + NBSP + `1)<em>W</em>`,
		`<a href="a = b">T_wait</a> &gt; 3 s`: `<a href="a = b">T<sub>wait</sub></a> &gt; 3` + NBSP + `s`,
		"r &gt; n/2":                          "r" + NBSP + "&gt;" + NBSP + "n/2",
		"<code>quiz f_j = 3 --seed 7</code>":  `<code>quiz f_j = 3 <span class="nw">--seed</span> 7</code>`,
	} {
		if got := UnitsHTML(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func TestBackticksAreCode(t *testing.T) {
	for s, want := range map[string]template.HTML{
		"w_1 by `a_b <c>`, w_2": "w<sub>1</sub> by <code>a_b &lt;c&gt;</code>, w<sub>2</sub>",
		"one ` alone_1":         "one ` alone<sub>1</sub>",
	} {
		if got := Coded(Subs)(s); got != want {
			t.Errorf("coded(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	for s, want := range map[string]string{
		"|F_j| = 160·n & 5 %": "|F<sub>j</sub>|" + NBSP + "=" + NBSP + "160·n &amp; 5" + NBSP + "%",
		"from s_L to s_U":     "from s<sub>L</sub> to s<sub>U</sub>",
		"10·2^(32−b), 2^r":    "10·2<sup>32−b</sup>, 2<sup>r</sup>",
		"-1.5 and 2-3 (-4)":   "−1.5 and 2-3 (−4)",
	} {
		if got := string(Subs(tie(s))); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// Expected words: written by hand.
func TestChineseStandsApartFromLatin(t *testing.T) {
	for s, want := range map[string]string{
		"另有4 幅图，比ASP多用 2 %。":     "另有 4 幅图，比 ASP 多用 2\u00a0%。",
		"长 56 %到短 26 %，其中α为 0.5": "长 56\u00a0% 到短 26\u00a0%，其中 α 为 0.5",
		"DASP（r = 2），SSP 和 `x`":  "DASP（r\u00a0=\u00a02），SSP 和 `x`",
	} {
		if got := Units(s); got != want {
			t.Errorf("%q is set as %q, want %q", s, got, want)
		}
	}
}

// Expected HTML: written by hand.
func TestIndicesAreSubscripts(t *testing.T) {
	const in, want = `T_wait ≤ Smax: <code class="Smax">T_wait</code>`, `T<sub>wait</sub> ≤ S<sub>max</sub>: <code class="Smax">T_wait</code>`
	if got := UnitsHTML(in); got != want || UnitsHTML(got) != want {
		t.Errorf("%s is set as %s, want %s", in, got, want)
	}
	if got := Sentence("Smin, f_j & `f_j`"); got != "S<sub>min</sub>, f<sub>j</sub> &amp; <code>f_j</code>" {
		t.Errorf("a sentence is set as %s", got)
	}
}
