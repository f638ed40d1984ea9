package reports

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	zrID    = regexp.MustCompile(`zr\d+-`)
	sizes   = regexp.MustCompile(`^<svg width="(\d+)" height="(\d+)"`)
	numbers = regexp.MustCompile(`\d+\.\d{3,}`)
	tags    = regexp.MustCompile(`<[^>]*>`) // coordinates are in tags, words between them
	// idle is what only a live chart needs: its marks on shapes and the looks
	// under the pointer. The page's style sheet has the font.
	idle = regexp.MustCompile(`(?s) (?:ecmeta_\w+|class|pointer-events)="[^"]*"|<style ?>.*?</style>\n?|font-family:[^;"]*;`)
)

// tidySVG makes ECharts' SVG scale, gives it identifiers of its own, the text's
// colour for ink, coordinates no finer than a hundredth of a pixel, and takes a
// third of its bytes away, which a drawing does not need.
func tidySVG(id, svg string) string {
	svg = idle.ReplaceAllString(svg, "")
	svg = zrID.ReplaceAllString(svg, id+"-")
	svg = sizes.ReplaceAllString(svg, `<svg viewBox="0 0 $1 $2" role="img" focusable="false"`)
	if i := strings.LastIndex(svg[:strings.Index(svg, ">")], ` viewBox="0 0`); i > 10 {
		end := i + len(` viewBox="`) + strings.Index(svg[i+len(` viewBox="`):], `"`) + 1
		svg = svg[:i] + svg[end:]
	}
	svg = strings.NewReplacer(ink, "currentColor", "rgb(1,2,3)", "currentColor").Replace(svg)
	svg = tags.ReplaceAllStringFunc(svg, func(tag string) string {
		return numbers.ReplaceAllStringFunc(tag, func(n string) string {
			x, err := strconv.ParseFloat(n, 64)
			if err != nil {
				return n
			}
			return strconv.FormatFloat(x, 'f', 2, 64)
		})
	})
	return reuse(id, oneClip(svg))
}

var (
	clip  = regexp.MustCompile(`(?s)<clipPath id="([^"]+)">(.*?)</clipPath>\n?`)
	shape = regexp.MustCompile(`<path d="([^"]{24,})"([^>]*)></path>`)
)

// oneClip keeps one of the clip paths that are the same.
func oneClip(svg string) string {
	first := map[string]string{} // what it holds to its id
	var swap []string
	svg = clip.ReplaceAllStringFunc(svg, func(c string) string {
		m := clip.FindStringSubmatch(c)
		if id, ok := first[m[2]]; ok {
			swap = append(swap, "url(#"+m[1]+")", "url(#"+id+")")
			return ""
		}
		first[m[2]] = m[1]
		return c
	})
	return strings.NewReplacer(swap...).Replace(svg)
}

// reuse says a shape that stands in many places, as the marks of a line do, once.
func reuse(id, svg string) string {
	count := map[string]int{}
	for _, m := range shape.FindAllStringSubmatch(svg, -1) {
		count[m[1]]++
	}
	names := map[string]string{}
	var defs strings.Builder
	svg = shape.ReplaceAllStringFunc(svg, func(p string) string {
		m := shape.FindStringSubmatch(p)
		if count[m[1]] < 3 {
			return p
		}
		if names[m[1]] == "" {
			names[m[1]] = fmt.Sprintf("%s-m%d", id, len(names))
			fmt.Fprintf(&defs, `<path id="%s" d="%s"></path>`, names[m[1]], m[1])
		}
		return `<use href="#` + names[m[1]] + `"` + m[2] + "></use>"
	})
	if defs.Len() == 0 {
		return svg
	}
	end := strings.Index(svg, ">") + 1
	return svg[:end] + "<defs>" + defs.String() + "</defs>" + svg[end:]
}
