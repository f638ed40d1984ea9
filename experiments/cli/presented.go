package cli

import (
	"gradsync/experiments/result"
	"gradsync/reports"
	"gradsync/reports/notebook"
)

// presented reads a result file with its page, for what is written in words.
func presented(path string) (*notebook.Page, error) {
	r, err := result.Read(path)
	if err != nil {
		return nil, err
	}
	return reports.Presented(r)
}

// drawings are the figures of a page, with their words in English.
func drawings(p *notebook.Page) (out []notebook.Drawing) {
	for _, part := range p.Parts {
		if part.Figure != nil {
			out = append(out, part.Figure.Drawn[0])
		}
	}
	return out
}
