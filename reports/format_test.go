package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gradsync/internal/gosource"
	"gradsync/internal/oktest"
	"gradsync/reports/cited"
	"gradsync/reports/page"
)

// The files are as their publishers ship them; hashes of npm's echarts 6.1.0 and temml 0.13.5; the fonts are parts of
// @fontsource/stix-two-math 5.3.0, made as testdata/stix-two-math-subset.txt says.
func TestVendoredFilesAreUnchanged(t *testing.T) {
	for file, want := range map[string]string{
		"chart/lib/echarts-6.1.0.min.js":          "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0",
		"draw/lib/stix-two-math-operators.ttf":    "54e57413170c691ff64abef61f6730b01f7e80167100f7593adc2012bc0de398",
		"page/lib/temml-0.13.5.min.js":            "1ab19148afe0dbc836b7a74f344071b3f3a70a7a8259ae4049e76894fcdf8d95",
		"assets/stix-two-math-5.3.0-subset.woff2": "ffc2ef732529c02ae1214f2a7c0fc644ea7cb2d79a9e76fb4616990b26d766d1",
	} {
		b := oktest.Must(os.ReadFile(file))(t)
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s is not the file that it was", file)
		}
	}
}

// Words on the page keep the contrast that WCAG 2 asks of small text, 4.5 to 1, in both themes.
func TestContrast(t *testing.T) {
	css := oktest.Must(os.ReadFile("assets/report.css"))(t)
	blocks := regexp.MustCompile(`(?s)--paper: #.*?\n\s*\}`).FindAllString(string(css), -1)
	if len(blocks) < 3 {
		t.Fatalf("%d themes found, want light, dark by system and dark by choice", len(blocks))
	}
	for i, block := range blocks[:3] {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(block, -1) {
			colour[m[1]] = m[2]
		}
		pairs := [][2]string{{"ink", "paper"}, {"quiet", "paper"}, {"link", "paper"}, {"ink", "card"}, {"quiet", "card"}, {"ink", "soft"},
			{"none", "paper"}, {"none", "card"}, {"theirs", "paper"}, {"theirs", "card"}}
		for _, v := range []string{"yes", "near", "part", "no"} {
			pairs = append(pairs, [2]string{v, v + "-bg"}, [2]string{v, "paper"})
		}
		for _, p := range pairs {
			if c := contrast(t, colour[p[0]], colour[p[1]]); c < 4.5 {
				t.Errorf("theme %d: %s on %s: contrast %.2f", i, p[0], p[1], c)
			}
		}
	}
	if !slices.Equal(strings.Fields(blocks[1]), strings.Fields(blocks[2])) {
		t.Error("the two ways to the dark theme differ")
	}
}

// contrast returns WCAG 2's ratio of relative luminances.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	lum := func(hex string) float64 {
		if len(hex) != 7 {
			t.Fatalf("colour %q", hex)
		}
		sum := 0.0
		for i, w := range []float64{0.2126, 0.7152, 0.0722} {
			n := oktest.Must(strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8))(t)
			c := float64(n) / 255
			if c <= 0.03928 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += w * c
		}
		return sum
	}
	la, lb := lum(a), lum(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// TestCodeColours: code.css knows every class and step of the pages, and each colour
// of a token can be read on each ground it stands on, in both themes.
func TestCodeColours(t *testing.T) {
	oktest.Slow(t)
	css := oktest.Must(os.ReadFile("assets/code.css"))(t)
	classes, class := map[string]bool{}, regexp.MustCompile(`class="(\w+)"`)
	scripts := oktest.Must(page.NewScripts())(t)
	for i := range cited.Documents {
		shown := oktest.Must(cited.Show(&cited.Documents[i], scripts, cited.NewSource(gosource.All)))(t)
		for _, a := range shown.Algs {
			if rule := fmt.Sprintf(":is(.s%d, .n%[1]d)", len(a.Steps)); !strings.Contains(string(css), rule) {
				t.Errorf("code.css lights no step %d of %s", len(a.Steps), a.ID)
			}
			for _, e := range a.Go {
				for _, l := range e.Lines {
					for _, m := range class.FindAllStringSubmatch(string(l.HTML), -1) {
						classes[m[1]] = true
					}
				}
			}
		}
	}
	if len(classes) < 7 {
		t.Errorf("only the classes %v", classes)
	}
	for c := range classes {
		if !strings.Contains(string(css), "\n."+c+" { color: var(--"+c+")") {
			t.Errorf("code.css has no colour for class %s", c)
		}
	}
	// Sets of variables: light, dark by the system, dark by choice.
	themes := regexp.MustCompile(`--k: [^}]*`).FindAllString(string(css), -1)
	if len(themes) != 3 || themes[1] == themes[0] || strings.TrimSpace(themes[1]) != strings.TrimSpace(themes[2]) {
		t.Fatalf("themes %q, want light and twice the same dark", themes)
	}
	for i, grounds := range [][]string{{"#ffffff"}, {"#191d22"}} { // --card of report.css
		v := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): (#\w{6});`).FindAllStringSubmatch(themes[i], -1) {
			v[m[1]] = m[2]
		}
		for c := range classes {
			for _, ground := range append(grounds, v["lit"]) {
				if got := contrast(t, v[c], ground); got < 4.5 {
					t.Errorf("theme %d: %s (%s) on %s has a contrast of %.2f", i, c, v[c], ground, got)
				}
			}
		}
	}
}

// A verdict's colour means a verdict: no rule but the verdicts' own has one, no drawing is in one, and no text
// borrows a verdict's class.
func TestVerdictsHaveTheirColours(t *testing.T) {
	names, err := filepath.Glob("assets/*.css")
	if err != nil || len(names) < 6 {
		t.Fatalf("%d style sheets: %v", len(names), err)
	}
	uses, hues := regexp.MustCompile(`var\(--(?:yes|near|part|no|none)(?:-bg)?\)`), map[string]bool{}
	for _, name := range names {
		raw := oktest.Must(os.ReadFile(name))(t)
		for _, rule := range regexp.MustCompile(`[^{}]*\{[^{}]*\}`).FindAllString(string(raw), -1) {
			selector, body, _ := strings.Cut(rule, "{")
			if uses.MatchString(body) && !strings.Contains(selector, ".v-") && !strings.Contains(selector, ".chip") {
				t.Errorf("%s: %s has a verdict's colour", name, strings.TrimSpace(rule))
			}
		}
		for _, m := range regexp.MustCompile(`--(?:yes|near|part|no|none)(?:-bg)?: (#[0-9a-f]{6})`).FindAllStringSubmatch(string(raw), -1) {
			hues[m[1]] = true
		}
	}
	if len(hues) != 18 { // four words of a hue and a ground, and what is no finding, in two themes
		t.Errorf("%d colours of verdicts", len(hues))
	}
	for _, pattern := range []string{"assets/*.css", "assets/*.js", "chart/*.go", "text/*.md", "text/*/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			raw := oktest.Must(os.ReadFile(name))(t)
			for hue := range hues {
				theirs := regexp.MustCompile(`--(?:yes|near|part|no|none)(?:-bg)?: ` + hue)
				if n := strings.Count(strings.ToLower(string(raw)), hue) - len(theirs.FindAllString(string(raw), -1)); n > 0 {
					t.Errorf("%s has %s, a verdict's colour, %d times more", name, hue, n)
				}
			}
			if strings.HasSuffix(name, ".md") && strings.Contains(string(raw), `class="v-`) {
				t.Errorf("%s borrows a verdict's class", name)
			}
		}
	}
}
