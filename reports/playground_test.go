package reports

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"gradsync/experiments/method"
	"gradsync/experiments/method/cost"
	"gradsync/internal/oktest"
	"gradsync/reports/assets"
	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/page"
	"gradsync/reports/playground"
	"gradsync/reports/typeset"
)

// everyPaper returns the stems of the pages that links of the playground may lead to.
func everyPaper() (out []string) {
	for _, p := range cited.Documents {
		out = append(out, p.Key, p.Key+"/code")
	}
	return append(out, "ring/placement", "codedsgd/accounting")
}

func playgroundOf(t *testing.T) *playgroundPage {
	t.Helper()
	return oktest.Must(buildPlayground(oktest.Must(page.NewFrame(false))(t), everyPaper(), "gradsync report"))(t)
}

// The blog's preset by hand: 2·39/40·1.2 GB, and 2·39·(3 µs + 1.2 GB/40/6 GB/s) after its 370 ms of computing (B15);
// coded SGD's: 3·128.2 ms, and 5/(7·3) of 56/8·7 gradients of 2.67 MB at 125 MB/s. The least row is marked.
func TestPlaygroundTables(t *testing.T) {
	doc := playgroundOf(t)
	row := func(preset, method string) playRow {
		p := doc.Presets[slices.IndexFunc(doc.Presets, func(p playPreset) bool { return p.Key == preset })]
		return p.Rows[slices.IndexFunc(p.Rows, func(r playRow) bool { return r.Method.Key == method })]
	}
	for _, c := range []struct{ preset, method, want string }{
		{"blog", "ring", "370 ms|0 s|390 ms|760 ms|2.34 GB|2.34 GB"},
		{"blog", "naive", "370 ms|0 s|15.6 s|16 s|46.8 GB|46.8 GB"},
		{"blog", "ssgd-multicast", "370 ms|0 s|7.8 s|≥ 8.17 s|1.2 GB|46.8 GB"},
		{"dasp", "bsp", "25 ms|65 ms|429 ms|519 ms|268 MB|268 MB"},
		{"dasp", "hierarchical", "–|–|–|–|–|–"},
		{"codedsgd", "cssgd", "385 ms|0 s|749 ms|≥ 1.13 s|31.2 MB|93.6 MB"},
		{"codedsgd", "cssgd-model", "385 ms|0 s|250 ms|634 ms|31.2 MB|–"},
	} {
		if got := strings.ReplaceAll(strings.Join(row(c.preset, c.method).Cells, "|"), typeset.NBSP, " "); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.preset, c.method, got, c.want)
		}
	}
	for _, p := range doc.Presets {
		n := 0
		for _, r := range p.Rows {
			if r.Least {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s: no row is least", p.Key)
		}
	}
}

// The preset of coded SGD has what it says: by the paper's model, fed with SSGD that sends every block's gradient, 3 is
// best of eight nodes and 56 blocks (C10), and the model sends what (28) lets a node send.
func TestPlaygroundModelIsThePapers(t *testing.T) {
	p := playPresets[slices.IndexFunc(playPresets, func(p playPreset) bool { return p.Key == "codedsgd" })]
	for fact, want := range map[playground.Fact]float64{playground.Blocks: 56, playground.BestRedundancy: 3} {
		if got := playground.About(fact, p.setting()); got != want {
			t.Errorf("fact %d is %v, want %v", fact, got, want)
		}
	}
	at := func(key string) playground.Cost {
		all := playground.Methods()
		return all[slices.IndexFunc(all, func(m playground.Method) bool { return m.Key == key })].Cost(p.setting())
	}
	if a, b := at("cssgd-model").Sent, at("cssgd").Sent; math.Abs(a-b) > 1e-9*b {
		t.Errorf("the model sends %v bytes, (28) %v", a, b)
	}
}

// bareNode is a node that is called no worker, as the other pages call it.
var bareNode = regexp.MustCompile(`(^|[^作])节点`)

// Every preset is a valid setting inside the sliders' ranges, and every slider, method
// and fact has words in both languages.
func TestPlaygroundIsComplete(t *testing.T) {
	doc := playgroundOf(t)
	two := func(what string, s said) {
		if s.En() == "" || s.Zh() == "" {
			t.Errorf("%s: %q, %q", what, s.En(), s.Zh())
		}
		if strings.Contains(strings.ToLower(s.En()), "worker") && bareNode.MatchString(s.Zh()) || strings.Contains(s.Zh(), "组播") {
			t.Errorf("%s: another word than that of the other pages, 工作节点 and 多播: %q, %q", what, s.En(), s.Zh())
		}
	}
	for _, p := range doc.Presets {
		two(p.Key, p.Name)
		two(p.Key, p.Note)
		if len(p.Values) != len(playSliders) || !p.setting().Valid() {
			t.Errorf("%s: %d values, setting %+v", p.Key, len(p.Values), p.setting())
		}
		for _, s := range playSliders {
			if x := p.Values[s.ID]; x < s.Stops[0] || x > s.Stops[len(s.Stops)-1] {
				t.Errorf("%s: %s = %v is out of the slider's range", p.Key, s.ID, x)
			}
		}
	}
	for _, s := range playSliders {
		two(s.ID, s.Name)
		two(s.ID, s.Help)
		if !slices.IsSorted(s.Stops) {
			t.Errorf("%s: stops %v", s.ID, s.Stops)
		}
	}
	looks := map[string]string{}
	for _, m := range doc.Methods {
		if _, ok := playMethods[m.Key]; !ok {
			t.Errorf("%s has no words of its own", m.Key)
		}
		two(m.Key, m.Name)
		two(m.Key, m.Note)
		if other := looks[m.Colour+m.Dash]; other != "" {
			t.Errorf("%s and %s look the same", m.Key, other)
		}
		looks[m.Colour+m.Dash] = m.Key
		if len(m.Links) == 0 {
			t.Errorf("%s: no link to its formula", m.Key)
		}
	}
	if len(playMethods) != len(doc.Methods) || len(doc.Facts) != int(playground.DASPSpread)+1 {
		t.Errorf("%d methods in words, %d of the model; %d facts", len(playMethods), len(doc.Methods), len(doc.Facts))
	}
	for i, f := range doc.Facts {
		two(fmt.Sprint("fact ", i), f.Name)
	}
}

// Links lead to formulas, or to sections of experiments, that there are.
func TestPlaygroundLinks(t *testing.T) {
	at := map[string]bool{"ring/placement.html": true, "codedsgd/accounting.html": true}
	for _, p := range cited.Documents {
		for _, f := range p.Formulas {
			for _, id := range append(slices.Clone(f.Also), f.ID) {
				at[p.Key+"/code.html#"+id] = true
			}
		}
	}
	doc := playgroundOf(t)
	var links []playLink
	for _, m := range doc.Methods {
		links = append(links, m.Links...)
	}
	for _, f := range doc.Facts {
		links = append(links, f.Link)
	}
	for _, l := range links {
		if l.Text.En() != "" && l.Text.Zh() == "" {
			t.Errorf("%s: %q has no Chinese", l.Href, l.Text.En())
		}
		if l.Href != "" && !at[l.Href] {
			t.Errorf("%s (%s) leads nowhere", l.Href, l.Text.En())
		}
	}
	frame, _ := page.NewFrame(false)
	alone := oktest.Must(buildPlayground(frame, []string{"ring", "ring/code"}, ""))(t)
	for _, m := range alone.Methods {
		for _, l := range m.Links {
			if !strings.HasPrefix(l.Href, "ring/code.html") {
				t.Errorf("%s: a link to %s, which was not built", m.Key, l.Href)
			}
		}
	}
}

// The page in both shapes holds its module, its words and what permits both to run.
func TestPlaygroundPage(t *testing.T) {
	r := oktest.Must(newRenderer(Options{}))(t)
	for _, single := range []bool{false, true} {
		frame, out := oktest.Must(page.NewFrame(single))(t), page.Outputs{}
		oktest.Nil(t, addPlayground(out, r.pages, frame, []string{"index.html", "ring.html", "ring/code.html"}, "gradsync report"))
		doc := string(out["playground.html"])
		for _, want := range []string{"wasm-unsafe-eval", `id="playground-module">H4sI`, `<span class="zh" lang="zh">环形全归约</span>`,
			"2.34" + typeset.NBSP + "GB", `href="ring/code.html#bytes"`, `id="set-n"`, `id="without"`} {
			if !strings.Contains(doc, want) {
				t.Errorf("single %v: no %s", single, want)
			}
		}
		if inline := strings.Contains(doc, "gradsyncPlayground"); inline != single {
			t.Errorf("single %v: the script is in the page: %v", single, inline)
		}
		if strings.Contains(doc, "ZgotmplZ") {
			t.Error("the template refused a value")
		}
	}
}

// A registered method with a formula is a line of the page with no words here: its
// descriptor's label in both languages, its look, and no link.
func TestPlaygroundHasRegisteredMethods(t *testing.T) {
	t.Cleanup(method.Scratch())
	method.Register(method.Method{Name: "mine", Label: [2]string{"mine alone", "自有方法"}, Look: method.Look{Colour: "blue", Dash: "long"},
		Costs: []method.Formula{{Key: "mine", Cost: cost.ASP, AtLeast: true}, {Key: "mine-twice", Cost: cost.BSP}}})
	r := oktest.Must(newRenderer(Options{}))(t)
	frame, out := oktest.Must(page.NewFrame(true))(t), page.Outputs{}
	oktest.Nil(t, addPlayground(out, r.pages, frame, []string{"index.html", "ring.html", "ring/code.html"}, "gradsync report"))
	for _, want := range []string{`<span class="en">mine alone</span><span class="zh" lang="zh">自有方法</span>`, playRegistered.Zh(),
		`"colour":"` + chart.Blue + `","dash":"12 4","atLeast":true`, "mine alone, mine-twice"} {
		if !strings.Contains(string(out["playground.html"]), want) {
			t.Errorf("no %s", want)
		}
	}
	doc := playgroundOf(t)
	last := len(doc.Methods) - 1
	if len(doc.Methods) != len(playground.Methods()) || doc.Methods[last].Key != "mine-twice" || len(doc.Methods[last].Links) > 0 {
		t.Errorf("the lines are %v, the module's formulas %v", doc.Methods, playground.Methods())
	}
}

// The script prints numbers and turns sliders to SI units as this package does, and reads addresses.
func TestPlaygroundScript(t *testing.T) {
	js, vm := oktest.Must(assets.ReadFile("playground-model.js"))(t), goja.New()
	raw, _ := json.Marshal(playSliders)
	oktest.Nil(t, vm.Set("SLIDERS", string(raw)))
	oktest.Must(vm.RunString(string(js) + `;SLIDERS = JSON.parse(SLIDERS);`))(t)
	run := func(code string) goja.Value {
		t.Helper()
		return oktest.Must(vm.RunString(code))(t)
	}
	for _, x := range []float64{0, 1e-12, 4.2e-9, 9.996e-7, 0.00123456, 0.99949, 0.99951, 1, 9.995, 12.34, 999.4, 999.6, 12345.6, 1e7, 1e20, math.NaN()} {
		for what, want := range map[string]string{`["s","ms","µs","ns"], 1e-3`: playTime(x), `["B","kB","MB","GB","TB","PB","EB"], 1e3`: playSize(x)} {
			if got := run(fmt.Sprintf("gradsyncPlayground.inUnit(%v, %s)", x, what)).String(); got != want {
				t.Errorf("%v: %q in the page, %q here", x, got, want)
			}
		}
	}
	for code, want := range map[string]string{
		"count(NaN)": "–", "count(56)": "56", "count(1891)": "1,891", "seconds(635014)": "176\u00a0h", "count(29172576776400000000)": "2.92\u00a0×\u00a010¹⁹",
		`larger(100000, "M")`: "100,000\u00a0M", `larger(100000, "µs")`: "100\u00a0ms", `larger(70, "µs")`: "70\u00a0µs", `larger(40000, "×")`: "40,000\u00a0×",
	} {
		if got := run("gradsyncPlayground." + code).String(); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	for _, p := range playPresets {
		values, _ := json.Marshal(p.Values)
		var got []float64
		oktest.Nil(t, vm.ExportTo(run(fmt.Sprintf("gradsyncPlayground.setting(SLIDERS, %s)", values)), &got))
		s := p.setting()
		want := []float64{float64(s.Workers), float64(s.PerMachine), float64(s.Redundancy), s.Parameters, s.Bandwidth, s.Inner, s.Latency, s.Compute,
			s.Slowest, s.Density, s.Codec}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v in the page, %v here", p.Key, got, want)
		}
	}
	for code, want := range map[string]string{
		`least([3, NaN, 2, 2, 5], {})`: "2", `least([3, NaN, 2, 2, 5], {2: true})`: "3", `least([NaN], {})`: "-1", `least([1.0000000000000002, 1], {})`: "0",
		`longest([1, 3, NaN])`: "3", `longest([2, 100, NaN])`: "24", `longest([0, 5])`: "5", `longest([NaN])`: "1", `longest([])`: "1",
		// The first stays least while nothing is below it by more than a thousandth.
		`runs([[1, 2], [1, 0.9995], [1, 0.9], [2, 1]], {})`: `[{"m":0,"from":0,"to":1},{"m":1,"from":2,"to":3}]`,
		`runs([[1, 2], [NaN, NaN], [1, 2]], {})`:            `[{"m":0,"from":0,"to":0},{"m":0,"from":2,"to":2}]`,
		`runs([[1, 2], [1, 2]], {0: true})`:                 `[{"m":1,"from":0,"to":1}]`,
	} {
		if got := run("JSON.stringify(gradsyncPlayground." + code + ")").String(); got != want {
			t.Errorf("%s = %s, want %s", code, got, want)
		}
	}
	for text, want := range map[string]string{
		"#n=12&b=2.5": `{"n":12,"b":2.5}`, "#n=1e9&b=2": `{"n":40,"b":2}`, "#n=3.5": `{"n":40,"b":48}`, "#b=": `{"n":40,"b":48}`, "": `{"n":40,"b":48}`,
		"#x=1&<b>": `{"n":40,"b":48}`, "#b=NaN": `{"n":40,"b":48}`,
	} {
		if got := run(fmt.Sprintf("JSON.stringify(gradsyncPlayground.read(SLIDERS, %q, {n: 40, b: 48}))", text)).String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
