package reports

import (
	"fmt"
	"html"
	"strings"

	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// exportIndex is what README.txt says.
func exportIndex(all map[string][]loaded, list []exportFigure) string {
	var b strings.Builder
	b.WriteString("Figures of gradsync\n\nEach figure is a drawing to scale (.svg), the same at twice its size (.png, 192 dots per inch) and its numbers (.csv).\n" +
		"A band or whisker is a 95 % confidence interval over the seeds.\n")
	last := ""
	for _, x := range list {
		key, _, _ := strings.Cut(x.name, "/")
		if key != last {
			last = key
			p := cited.Find(key)
			fmt.Fprintf(&b, "\n%s\n%s\n\n", p.Short, strings.Repeat("=", len([]rune(p.Short.En()))))
			if p.Plain != "" {
				fmt.Fprintf(&b, "Cite the %s: %s\n", p.Noun, p.Plain)
			}
			fmt.Fprintf(&b, "Cite the drawings: %s\n", software(all[key], "").Plain)
		}
		fmt.Fprintf(&b, "\n%s\n", x.name)
		for _, line := range x.facts() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// facts says what a reader of the figure must know.
func (x exportFigure) facts() []string {
	out := []string{"title: " + x.Page.Title[0]}
	if caption := typeset.Plain(string(x.of.Caption[0])); caption != "" {
		out = append(out, "caption: "+strings.Join(strings.Fields(caption), " "))
	}
	if how := chart.HowDrawn(x.of).En(); how != "" {
		out = append(out, "drawn: "+strings.ReplaceAll(how, typeset.NBSP, " "))
	}
	if x.lacks != nil {
		out = append(out, fmt.Sprintf("image: none: the fonts of the images have no letter %q (%U)", x.lacks.Letter, x.lacks.Letter))
	}
	source := x.ID
	if x.Source != "" {
		source = x.Source + " (" + x.ID + ")"
	}
	kind := page.KindOr(x.of.Drawn[0].Kind, x.Kind)
	out = append(out, "shows: "+source, "numbers: "+kind+": "+html.UnescapeString(page.Kinds[kind].En()), "profile: "+who(x.Result).En())
	out = append(out, fmt.Sprintf("command: %s run %s --profile %s", program, x.ID, x.Profile))
	commit := "unknown: no record of the run lies beside the result"
	if x.Run != nil && x.Run.Commit != "" {
		commit = x.Run.Commit
		if x.Run.Dirty {
			commit += ", with changes that no commit holds"
		}
	}
	return append(out, "commit: "+commit, "result sha256: "+x.SHA256)
}
