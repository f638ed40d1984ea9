package draw

import (
	"bytes"
	"image"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

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
		{"a clip", `<defs><clipPath id="c"><path d="M1 0h1v4h-1Z"/></clipPath></defs><g clip-path="url(#c)"><rect width="4" height="4" fill="#f00"/></g>`,
			[]string{".R..", ".R..", ".R..", ".R.."}},
		{"a mark", `<defs><path id="m" d="M0 0h1v1h-1Z" fill="#f00"/></defs><use href="#m" x="2" y="1"/><use href="#m" x="0" y="3"/>`,
			[]string{"....", "..R.", "....", "R..."}},
		{"a decal", `<defs><pattern id="p" width="4" height="2" patternUnits="userSpaceOnUse"><path d="M0 0h4v1h-4Z" fill="#f00"/></pattern></defs><path ` +
			`d="M0 0h4v4h-4Z" fill="url(#p)"/>`, []string{"RRRR", "....", "RRRR", "...."}},
		{"a turned decal", `<defs><pattern id="p" width="4" height="2" patternTransform="rotate(90)" patternUnits="userSpaceOnUse"><path d="M0 0h4v1h-4Z" ` +
			`fill="#f00"/></pattern></defs><path d="M0 0h4v4h-4Z" fill="url(#p)"/>`, []string{".R.R", ".R.R", ".R.R", ".R.R"}},
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
	disc, area := raster4(t, `<path d="M0 2a2 2 0 1 1 4 0 2 2 0 1 1-4 0Z" fill="#f00"/>`), 0.0
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
	oktest.Nil(t, err)
	return oktest.Must(rasterise(svg, 1))(t)
}

// Text begins, is centred or ends where it says.
func TestTextsStandWhereTheySay(t *testing.T) {
	for anchor, want := range map[string][2]float64{"start": {20, 29}, "middle": {15.5, 24.5}, "end": {11, 20}} {
		svg, err := parseSVG(`<svg width="40" height="20" font-size="12"><rect width="40" height="20" fill="#fff"/><text x="20" y="15" text-anchor="` +
			anchor + `">H</text></svg>`)
		oktest.Nil(t, err)
		img, box := oktest.Must(rasterise(svg, 1))(t), image.Rectangle{}
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
		`<text x="1" y="2">曾</text>`, `<text x="1" y="2" style="font-weight:bold">a</text>`, `<use href="#no" x="1" y="1"/>`,
		`<g clip-path="url(#no)"><rect width="1" height="1"/></g>`,
		`<path d="M0 0h2" fill="none" stroke="#000" stroke-linecap="square"/>`, `<g transform="skewX(3)"><rect width="1" height="1"/></g>`,
		`<defs><clipPath id="c"><path d="M1 0h1l1 4Z"/></clipPath></defs><g clip-path="url(#c)"><rect width="4" height="4"/></g>`,
	} {
		svg := oktest.Must(parseSVG(`<svg width="4" height="4" font-size="12">` + bad + `</svg>`))(t)
		if _, err := rasterise(svg, 1); err == nil {
			t.Errorf("%s was drawn in silence", bad)
		}
	}
	img := raster4(t, `<text x="0" y="4" font-size="6">∝η</text>`)
	if bytes.Count(img.Pix, []byte{255}) == len(img.Pix) || !slices.Contains(img.Pix, 255) {
		t.Error("letters of mathematics are not drawn")
	}
}

// A drawing that stands alone has the colours of a light page.
func TestTheLightPaletteIsThePages(t *testing.T) {
	css, err := os.ReadFile("../assets/report.css")
	if err != nil || !strings.Contains(string(css), "--card: "+lightPaper+"; --ink: "+lightInk) {
		t.Errorf("the light palette of report.css is another (%v)", err)
	}
}
