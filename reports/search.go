package reports

import (
	"encoding/json"
	"slices"

	"gradsync/reports/cited"
	"gradsync/reports/notebook"
)

// searchFile holds what the search box looks through: a script, since a page opened from a folder may not
// fetch a file. report.js loads it when the box is first used.
const searchFile = "assets/search-index.js"

// found is one entry: page, its name and where it belongs, in both languages.
type found struct {
	Href  string        `json:"h"`
	Title notebook.Both `json:"t"`
	Under notebook.Both `json:"u"`
}

// searchIndex writes titles of pages and sentences of claims.
func (r *renderer) searchIndex(all map[string][]loaded) error {
	var list []found
	for i := range cited.Documents {
		p := &cited.Documents[i]
		rs := all[p.Key]
		if len(rs) == 0 {
			continue
		}
		for _, l := range r.frame.Sites[p.Key].Pages {
			list = append(list, found{l.Page + ".html", l.Title, p.Short()})
		}
		var claimed []found
		for _, e := range byExperiment(rs) {
			list = append(list, found{e[0].ID + ".html", e[0].Page.Title, notebook.Both{e[0].Source, e[0].Source}})
			for _, c := range e[0].ClaimRows {
				x := found{p.Key + "/claims.html#" + c.ID, notebook.Both{c.ID + " " + c.Statement[0], c.ID + " " + c.Statement[1]}, c.Source}
				if !slices.ContainsFunc(claimed, func(f found) bool { return f.Href == x.Href }) {
					claimed = append(claimed, x)
				}
			}
		}
		list = append(list, claimed...)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	r.out.Add(searchFile, append(append([]byte("var gradsyncFound = "), raw...), ";\n"...))
	return nil
}
