package reports

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gradsync/internal/oktest"
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

// Each figure of the pages comes out as three files, and a second export, of one paper, has the same bytes.
func TestExport(t *testing.T) {
	oktest.Slow(t)
	files, root, one := oktest.Must(exports())(t), oktest.Must(exampleRoot())(t), t.TempDir()
	oktest.Nil(t, os.CopyFS(path.Join(one, "dasp"), os.DirFS(path.Join(root, "dasp"))))
	again, err := exportFrom(one)
	if err != nil || len(again) != 3*3+1 { // bars, curves and time lines
		t.Errorf("dasp alone: %d files, %v", len(again), err)
	}
	for name, text := range again {
		if name != "README.txt" && text != files[name] {
			t.Errorf("%s is not the same twice", name)
		}
	}
	pages := oktest.Must(rendered())(t)
	anchors, n := regexp.MustCompile(`<figure class="plot[^"]*" id="([^"]+)"`), 0
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
	for _, want := range []string{"caption: ", "command: bin/gradsync run dasp/", "commit: ", "Cite the paper: 马翔", "result sha256: "} {
		if !strings.Contains(files["README.txt"], want) {
			t.Errorf("README.txt lacks %q", want)
		}
	}
	if _, err := Export(Options{Results: t.TempDir()}, t.TempDir(), nil); err == nil {
		t.Error("no figure at all passed in silence")
	}
}

// A figure's CSV file has the numbers of its frame, with every digit.
func TestExportedNumbers(t *testing.T) {
	oktest.Slow(t)
	files := oktest.Must(exports())(t)
	rows := oktest.Must(csv.NewReader(strings.NewReader(files["dasp/example5-bars.csv"])).ReadAll())(t)
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
	oktest.Slow(t)
	files, err := exports()
	oktest.Nil(t, err)
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
}

// The image has the drawing's size twice, each of its colours where it is opaque,
// and ink where each of its texts stands.
func TestImagesShowTheDrawing(t *testing.T) {
	oktest.Slow(t)
	files := oktest.Must(exports())(t)
	colours, texts := 0, 0
	for name, text := range files {
		if path.Ext(name) != ".svg" {
			continue
		}
		var svg svgElement
		oktest.Nil(t, xml.Unmarshal([]byte(text), &svg))
		img := oktest.Must(png.Decode(strings.NewReader(files[strings.TrimSuffix(name, ".svg")+".png"])))(t)
		if h := svg.number(t, "height"); img.Bounds() != image.Rect(0, 0, 1800, int(2*h)) {
			t.Fatalf("%s: the image is %v", name, img.Bounds())
		}
		has := map[[3]uint32]int{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				has[[3]uint32{r >> 8, g >> 8, b >> 8}]++
			}
		}
		svg.each(func(n *svgElement) {
			for _, key := range []string{"fill", "stroke"} {
				if v := n.get(key); strings.HasPrefix(v, "#") && n.XMLName.Local == "path" && n.get(key+"-opacity") == "" {
					var c [3]uint32
					_, err := fmt.Sscanf(v, "#%02x%02x%02x", &c[0], &c[1], &c[2])
					if colours++; err != nil || has[c] < 20 {
						t.Errorf("%s: no %s in the image (%v)", name, v, err)
					}
				}
			}
			if n.XMLName.Local == "text" && n.Text != "" && n.get("transform") == "" {
				texts++
				if dark := inkAt(t, img, n); dark < 4 {
					t.Errorf("%s: %q is not in the image", name, n.Text)
				}
			}
		})
	}
	if colours < 30 || texts < 100 {
		t.Errorf("%d colours and %d texts were looked for", colours, texts)
	}
}

// inkAt counts dark pixels where a text begins, is centred or ends.
func inkAt(t *testing.T, img image.Image, n *svgElement) (dark int) {
	x, y := n.number(t, "x"), n.number(t, "y")
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

// svgElement is an element of an exported drawing.
type svgElement struct {
	XMLName xml.Name
	Attrs   []xml.Attr    `xml:",any,attr"`
	Kids    []*svgElement `xml:",any"`
	Text    string        `xml:",chardata"`
}

// each calls f for n and all below it.
func (n *svgElement) each(f func(*svgElement)) {
	f(n)
	for _, k := range n.Kids {
		k.each(f)
	}
}

// get returns an attribute's value, "" where it is missing.
func (n *svgElement) get(key string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == key {
			return a.Value
		}
	}
	return ""
}

// number returns an attribute's number, 0 where it is missing.
func (n *svgElement) number(t *testing.T, key string) float64 {
	v := n.get(key)
	if v == "" {
		return 0
	}
	return oktest.Must(strconv.ParseFloat(v, 64))(t)
}
