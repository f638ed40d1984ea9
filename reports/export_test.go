package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// exports is one export of the examples that several tests read.
var exports = sync.OnceValues(func() (map[string]string, error) {
	root, err := exampleRoot()
	if err != nil {
		return nil, err
	}
	return exportFrom(root)
})

func exportFrom(results string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := Export(Options{Results: results}, dir, nil); err != nil {
		return nil, err
	}
	return readTree(dir)
}

// Each figure of the pages comes out as three files, and a second export, of one paper,
// has the same bytes.
func TestExport(t *testing.T) {
	files, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	root, err := exampleRoot()
	if err != nil {
		t.Fatal(err)
	}
	one := t.TempDir()
	if err := os.CopyFS(path.Join(one, "dasp"), os.DirFS(path.Join(root, "dasp"))); err != nil {
		t.Fatal(err)
	}
	again, err := exportFrom(one)
	if err != nil || len(again) != 3*3+1 { // bars, curves and time lines
		t.Errorf("dasp alone: %d files, %v", len(again), err)
	}
	for name, text := range again {
		if name != "README.txt" && text != files[name] {
			t.Errorf("%s is not the same twice", name)
		}
	}
	pages, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	anchors := regexp.MustCompile(`<figure class="chart[^"]*" id="([^"]+)"`)
	n := 0
	for name, page := range pages {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range anchors.FindAllStringSubmatch(page, -1) {
			n++
			stem := path.Dir(name) + "/" + m[1]
			for _, kind := range exportKinds {
				if _, ok := files[stem+kind]; !ok {
					t.Errorf("%s%s is not there", stem, kind)
				}
			}
			if !strings.Contains(files["README.txt"], "\n"+stem+"\n  title: ") {
				t.Errorf("README.txt does not name %s", stem)
			}
		}
	}
	if n != 6 || len(files) != 3*n+1 {
		t.Errorf("%d figures on the pages, %d files", n, len(files))
	}
	for _, want := range []string{"caption: ", "command: bin/gradsync run dasp/", "commit: ", "Cite the paper: Ma Xiang", "result sha256: "} {
		if !strings.Contains(files["README.txt"], want) {
			t.Errorf("README.txt lacks %q", want)
		}
	}
	if _, err := Export(Options{Results: t.TempDir()}, t.TempDir(), nil); err == nil {
		t.Error("no figure at all passed in silence")
	}
}

// The numbers of a figure's CSV file are those of its frame, with every digit.
func TestExportedNumbers(t *testing.T) {
	files, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(files["dasp/example5-bars.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(slices.Concat(rows...), " ")
	for _, row := range asRead(t, exampleTimes()).Frames[0].Rows {
		for _, x := range row[2:] {
			if x, ok := x.(float64); ok && !strings.Contains(text, strconv.FormatFloat(x, 'g', -1, 64)) {
				t.Errorf("the file lacks %v", x)
			}
		}
	}
	if len(rows) != 1+14 {
		t.Errorf("%d rows, want a head and the bars that there are", len(rows))
	}
}

// A drawing needs no page: it is XML with a size, a title and words, and no colour
// that a style sheet would have to know.
func TestExportedDrawingsStandAlone(t *testing.T) {
	files, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if path.Ext(name) != ".svg" {
			continue
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for err = nil; err == nil; {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []string{`xmlns="http://www.w3.org/2000/svg"`, ` width="900"`, "<title>", "<desc>", `fill="#ffffff"`, `font-family="system-ui, `} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
		if regexp.MustCompile(`currentColor|var\(|class=| style=|xlink`).MatchString(text) {
			t.Errorf("%s depends on a page", name)
		}
	}
	css, err := assets.ReadFile("assets/report.css")
	if err != nil || !strings.Contains(string(css), "--card: "+lightPaper+"; --ink: "+lightInk) {
		t.Errorf("the light palette of report.css is another (%v)", err)
	}
}

// The image has the drawing's size twice, each of its colours where it is opaque,
// and ink where each of its texts stands.
func TestImagesShowTheDrawing(t *testing.T) {
	files, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	colours, texts := 0, 0
	for name, text := range files {
		if path.Ext(name) != ".svg" {
			continue
		}
		svg, err := parseSVG(text)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(strings.NewReader(files[strings.TrimSuffix(name, ".svg")+".png"]))
		if err != nil {
			t.Fatal(err)
		}
		h, _ := svg.number("height", 0)
		if img.Bounds() != image.Rect(0, 0, 1800, int(2*h)) {
			t.Fatalf("%s: the image is %v", name, img.Bounds())
		}
		has := map[[3]uint32]int{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				has[[3]uint32{r >> 8, g >> 8, b >> 8}]++
			}
		}
		svg.each(func(n *node) {
			for _, key := range []string{"fill", "stroke"} {
				if v := n.get(key); strings.HasPrefix(v, "#") && n.name == "path" && n.get(key+"-opacity") == "" {
					c, err := colour(v, "")
					if colours++; err != nil || has[[3]uint32{uint32(c.R), uint32(c.G), uint32(c.B)}] < 20 {
						t.Errorf("%s: no %s in the image (%v)", name, v, err)
					}
				}
			}
			if n.name == "text" && n.text != "" && n.get("transform") == "" {
				texts++
				if dark := inkAt(t, img, n); dark < 4 {
					t.Errorf("%s: %q is not in the image", name, n.text)
				}
			}
		})
	}
	if colours < 30 || texts < 100 {
		t.Errorf("%d colours and %d texts were looked for", colours, texts)
	}
}

// inkAt counts dark pixels where a text begins, is centred or ends.
func inkAt(t *testing.T, img image.Image, n *node) (dark int) {
	x, err1 := n.number("x", 0)
	y, err2 := n.number("y", 0)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	from, to := x-8, x+8
	switch n.get("text-anchor") {
	case "start":
		from = x
	case "end":
		to = x
	}
	for py := int(2*y) - 22; py < int(2*y)+6; py++ {
		for px := int(2 * from); px < int(2*to); px++ {
			if r, g, b, _ := img.At(px, py).RGBA(); (r+g+b)/3 < 0x6000 {
				dark++
			}
		}
	}
	return dark
}

// By hand, a pixel a unit: what each thing covers.
func TestRaster(t *testing.T) {
	for _, c := range []struct {
		what, svg string
		red       []string // R: all red, h: half; rows of pixels
	}{
		{"a fill", `<path d="M1 1h2v1.5h-2Z" fill="#f00"/>`, []string{"....", ".RR.", ".hh.", "...."}},
		{"an opacity", `<path d="M1 1h2v1h-2Z" fill="#ff0000" fill-opacity="0.5"/>`, []string{"....", ".hh.", "....", "...."}},
		{"a line", `<path d="M0 2h4" stroke="rgb(255,0,0)" stroke-width="2" fill="none"/>`, []string{"....", "RRRR", "RRRR", "...."}},
		{"dashes", `<path d="M0.5 0v4" stroke="#f00" fill="none" stroke-dasharray="1,2"/>`, []string{"R...", "....", "....", "R..."}},
		{"a pointed corner", `<path d="M0 1h3v3" stroke="#f00" stroke-width="2" fill="none"/>`, []string{"RRRR", "RRRR", "..RR", "..RR"}},
		{"a blunt corner", `<path d="M0 1h3v3" stroke="#f00" stroke-width="2" fill="none" stroke-linejoin="bevel"/>`, []string{"RRRh", "RRRR", "..RR", "..RR"}},
		{"a clip", `<defs><clipPath id="c"><path d="M1 0h1v4h-1Z"/></clipPath></defs><g clip-path="url(#c)"><rect width="4" height="4" fill="#f00"/></g>`, []string{".R..", ".R..", ".R..", ".R.."}},
		{"a mark", `<defs><path id="m" d="M0 0h1v1h-1Z" fill="#f00"/></defs><use href="#m" x="2" y="1"/><use href="#m" x="0" y="3"/>`, []string{"....", "..R.", "....", "R..."}},
		{"a decal", `<defs><pattern id="p" width="4" height="2" patternUnits="userSpaceOnUse"><path d="M0 0h4v1h-4Z" fill="#f00"/></pattern></defs><path d="M0 0h4v4h-4Z" fill="url(#p)"/>`, []string{"RRRR", "....", "RRRR", "...."}},
		{"a turned decal", `<defs><pattern id="p" width="4" height="2" patternTransform="rotate(90)" patternUnits="userSpaceOnUse"><path d="M0 0h4v1h-4Z" fill="#f00"/></pattern></defs><path d="M0 0h4v4h-4Z" fill="url(#p)"/>`, []string{".R.R", ".R.R", ".R.R", ".R.R"}},
		{"a transformation", `<path transform="matrix(0,-1,1,0,1,4)" d="M0 0h2v1h-2Z" fill="#f00"/>`, []string{"....", "....", ".R..", ".R.."}},
	} {
		img := raster4(t, c.svg)
		for y, row := range c.red {
			for x, want := range row {
				px := img.RGBAAt(x, y)
				got := 255 - float64(px.G)
				if math.Abs(got-map[rune]float64{'.': 0, 'h': 127.5, 'R': 255}[want]) > 2 || px.R != 255 {
					t.Errorf("%s: pixel %d, %d is %v, want %c", c.what, x, y, px, want)
				}
			}
		}
	}
	disc := raster4(t, `<path d="M0 2a2 2 0 1 1 4 0 2 2 0 1 1-4 0Z" fill="#f00"/>`)
	area := 0.0
	for i := 0; i < len(disc.Pix); i += 4 {
		area += (255 - float64(disc.Pix[i+1])) / 255
	}
	if math.Abs(area-4*math.Pi) > 0.2 {
		t.Errorf("a disc of radius 2 covers %.2f pixels", area)
	}
}

// raster4 draws four by four pixels on white.
func raster4(t *testing.T, inner string) *image.RGBA {
	t.Helper()
	svg, err := parseSVG(`<svg width="4" height="4" font-size="12"><rect width="4" height="4" fill="#fff"/>` + inner + `</svg>`)
	if err != nil {
		t.Fatal(err)
	}
	img, err := rasterise(svg, 1)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// Text begins, is centred or ends where it says.
func TestTextsStandWhereTheySay(t *testing.T) {
	for anchor, want := range map[string][2]float64{"start": {20, 29}, "middle": {15.5, 24.5}, "end": {11, 20}} {
		svg, err := parseSVG(`<svg width="40" height="20" font-size="12"><rect width="40" height="20" fill="#fff"/><text x="20" y="15" text-anchor="` + anchor + `">H</text></svg>`)
		if err != nil {
			t.Fatal(err)
		}
		img, err := rasterise(svg, 1)
		if err != nil {
			t.Fatal(err)
		}
		box := image.Rectangle{}
		for i := 0; i < len(img.Pix); i += 4 {
			if img.Pix[i] < 128 {
				x, y := i/4%40, i/4/40
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
		if box.Max.Y != 15 || box.Dy() < 8 || math.Abs(float64(box.Min.X)-want[0]) > 1.6 || math.Abs(float64(box.Max.X)-want[1]) > 1.6 {
			t.Errorf("%s: an H covers %v, want %v", anchor, box, want)
		}
	}
}

// What the image could not show is an error, not a gap.
func TestImagesLoseNothingInSilence(t *testing.T) {
	for _, bad := range []string{
		`<circle r="2"/>`, `<path d="M0 0C1 1 2 2 3 3" fill="#000"/>`, `<path d="M0 0h2v2Z" fill="red"/>`, `<path d="M0 0h2v2Z" fill="url(#no)"/>`,
		`<text x="1" y="2">曾</text>`, `<text x="1" y="2" style="font-weight:bold">a</text>`, `<use href="#no" x="1" y="1"/>`, `<g clip-path="url(#no)"><rect width="1" height="1"/></g>`,
		`<path d="M0 0h2" fill="none" stroke="#000" stroke-linecap="square"/>`, `<g transform="skewX(3)"><rect width="1" height="1"/></g>`,
		`<defs><clipPath id="c"><path d="M1 0h1l1 4Z"/></clipPath></defs><g clip-path="url(#c)"><rect width="4" height="4"/></g>`,
	} {
		svg, err := parseSVG(`<svg width="4" height="4" font-size="12">` + bad + `</svg>`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rasterise(svg, 1); err == nil {
			t.Errorf("%s was drawn in silence", bad)
		}
	}
	img := raster4(t, `<text x="0" y="4" font-size="6">∝η</text>`)
	if bytes.Count(img.Pix, []byte{255}) == len(img.Pix) || !slices.Contains(img.Pix, 255) {
		t.Error("letters of mathematics are not drawn")
	}
}
