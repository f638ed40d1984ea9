package reports

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// received has the files of devices --check that came from machines with a GPU.
//
//go:embed cards
var received embed.FS

// card holds what the page shows of one such file.
type card struct {
	File  string
	Cards []string
	Date  string
	Right bool
	Sum   *struct{} // nil: there were no two cards
	Steps []struct {
		Model   string
		Ours    float64 `json:"gradsync_ms"`
		PyTorch float64 `json:"pytorch_ms"`
	}
}

// cardsPage tells which GPUs were checked, and how one checks one's own.
type cardsPage struct {
	page.Head
	Cards []card
}

// readCards reads the files of a folder, by name.
func readCards(from fs.FS) (all []card, err error) {
	names, err := fs.Glob(from, "cards/*.json")
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		var c card
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err == nil && len(c.Cards) == 0 {
			err = fmt.Errorf("it names no card: devices --check writes such files")
		}
		if err != nil {
			return nil, fmt.Errorf("reports: %s: %w", name, err)
		}
		c.File = strings.TrimPrefix(name, "cards/")
		all = append(all, c)
	}
	return all, err
}

// addCards makes the page of the GPUs that were checked.
func (r *renderer) addCards(from fs.FS) (err error) {
	doc := &cardsPage{}
	if doc.Cards, err = readCards(from); err != nil {
		return err
	}
	if doc.Head, err = r.frame.Named("Checked GPUs, gradsync", "cards"); err != nil {
		return err
	}
	doc.Crumb = notebook.Both{"GPUs", "显卡"}
	r.names = append(r.names, "cards.html")
	return r.out.Page(r.pages, "cards.html", "cards.html", doc)
}
