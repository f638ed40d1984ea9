package draw

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// By hand: what paints nothing goes, moves end up in coordinates, shapes of one look join where none lies between,
// marks and clips are said once, and a decal whose shape is moved keeps its transformation.
func TestDrawingsAreSaidShortly(t *testing.T) {
	const mark = `<path d="M1 0A1 1 0 1 1 1 -0.1A1 1 0 0 1 1 0" transform="matrix(3,0,0,3,X,20)" fill="#D55E00" class="zr0-cls-1" ecmeta_index="4"></path>`
	in := `<svg width="90" height="40" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40">
<rect width="90" height="40" x="0" y="0" fill="none"></rect>
<path d="M2.5 30L2.5 35" stroke="rgb(1,2,3)" fill="none" stroke-opacity="0.45"></path>
<path d="M2 39L8 39" stroke="#0072B2" stroke-miterlimit="10"></path>
<path d="M12.5 30L12.5 35" stroke="rgb(1,2,3)" fill="none" stroke-opacity="0.45"></path>
<path d="M12.5 30L12.5 38" fill="none" stroke="rgb(1,2,3)" stroke-opacity="0.45"></path>
<text dominant-baseline="central" text-anchor="end" style="font-size:13px;font-family:sans-serif;" xml:space="preserve" ` +
		`y="6.5" transform="translate(40 10)" fill="#010203">a &lt; b</text>
<g clip-path="url(#zr0-c0)"><path d="M0 0l4 0l0 4l-4 0Z" transform="translate(10.04 9)" fill="#0072B2"></path></g>
<g clip-path="url(#zr0-c1)"><path d="M0 0l4 0l0 4l-4 0Z" transform="translate(12 9)" fill="url(#zr0-p0)"></path>
<path d="M14 9l4 0l0 4l-4 0Z" fill="#0072B2"></path><path d="M20 9l4 0l0 4l-4 0Z" fill="none"></path></g>
` + strings.Replace(mark, "X", "20", 1) + strings.Replace(mark, "X", "30", 1) + strings.Replace(mark, "X", "40.26", 1) + `
<defs><clipPath id="zr0-c0"><path d="M0 0l9 0l0 4Z" fill="#000"></path></clipPath><clipPath id="zr0-c1"><path d="M0 0l9 0l0 4Z" fill="#000"></path></clipPath>
<pattern id="zr0-p0" width="7" height="7"><g><path d="M0 0l1 0l0 2Z" fill="rgb(0,0,0)" fill-opacity="0.28"></path></g></pattern></defs></svg>`
	want := `<svg viewBox="0 0 90 40" role="img" fill="currentColor" font-size="12" text-anchor="middle">` +
		`<defs><path d="M0 0a3 3 0 1 1 0-.3 3 3 0 0 1 0 .3" fill="#D55E00" id="F-p0"/></defs>` +
		`<path d="M2.5 30v5M12.5 30v5" stroke="currentColor" fill="none" stroke-opacity="0.45"/>` +
		`<path d="M2 39h6" stroke="#0072B2" fill="none"/>` +
		`<path d="M12.5 30v8" fill="none" stroke="currentColor" stroke-opacity="0.45"/>` +
		`<text text-anchor="end" font-size="13" x="40" y="21.1">a &lt; b</text>` +
		`<g clip-path="url(#F-c0)"><path d="M10 9h4v4h-4Z" fill="#0072B2"/>` +
		`<path d="M0 0h4v4h-4Z" transform="translate(12 9)" fill="url(#F-p1)"/><path d="M14 9h4v4h-4Z" fill="#0072B2"/></g>` +
		`<use href="#F-p0" x="23" y="20"/><use href="#F-p0" x="33" y="20"/><use href="#F-p0" x="43.3" y="20"/>` +
		`<defs><clipPath id="F-c0"><path d="M0 0h9v4Z"/></clipPath><pattern id="F-p1" width="7" height="7">` +
		`<path d="M0 0h1v2Z" fill="rgb(0,0,0)" fill-opacity="0.28"/></pattern></defs></svg>`
	got := oktest.Must(Tidy("a", in))(t)
	h, _, _ := strings.Cut(strings.SplitN(got, `id="`, 2)[1], "-")
	if got = strings.ReplaceAll(got, h+"-", "F-"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if other, err := Tidy("b", in); err != nil || strings.Contains(other, h+"-") {
		t.Errorf("two figures share identifiers (%v)", err)
	}
	for _, bad := range []string{"<svg><path d=\"M0 0T1 2\" fill=\"#000\"/></svg>", "<svg><path", "<p/>", "<svg><path d=\"M0\" fill=\"red\"/></svg>"} {
		if out, err := Tidy("a", bad); err == nil {
			t.Errorf("%s became %s in silence", bad, out)
		}
	}
}

// However long a path, its points stay within half a tenth of a pixel of where
// they were, in a hundredth's half where it has arcs.
func TestPathsKeepTheirPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, arcs := range []bool{false, true} {
		var p []pathStep
		for i := range 400 {
			s := pathStep{'L', []float64{900 * r.Float64(), 400*r.Float64() - 20}}
			switch {
			case i%50 == 0:
				s.op = 'M'
			case arcs && i%7 == 0:
				s = pathStep{'A', append([]float64{2, 2, 0, 1, 0}, s.at...)}
			case i%5 == 0: // level, upright or standing still
				s.at[i%2] = p[i-1].at[len(p[i-1].at)-2+i%2]
			}
			p = append(p, s)
		}
		d := writePath(p)
		got, err := parsePath(d)
		if err != nil || len(got) != len(p) {
			t.Fatalf("%d steps of %d: %v", len(got), len(p), err)
		}
		bound := 0.05
		if arcs {
			bound = 0.005
		}
		for i := range p {
			x, y := p[i].end()
			if gx, gy := got[i].end(); got[i].op != p[i].op || math.Abs(x-gx) > bound+1e-9 || math.Abs(y-gy) > bound+1e-9 {
				t.Fatalf("step %d: %v became %v", i, p[i], got[i])
			}
		}
	}
}
