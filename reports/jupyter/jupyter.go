package jupyter

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"gradsync/reports/typeset"
)

// Notebook collects the cells of a notebook. About is what its metadata say of it.
type Notebook struct {
	Title string
	About map[string]string
	cells []any
	ids   map[string]bool
}

// Output holds the forms of one thing that a cell shows: Plain for whoever has no pictures, and the HTML of a table, or a
// drawing as SVG or as a PNG of Width × Height pixels on a screen, which Alt describes.
type Output struct {
	Plain, HTML, SVG string
	Alt              string
	PNG              []byte
	Width, Height    int
}

// The fields of cells stand in the order of their names, as nbformat writes them.
type markdownCell struct {
	Type     string   `json:"cell_type"`
	ID       string   `json:"id"`
	Metadata struct{} `json:"metadata"`
	Source   []string `json:"source"`
}

type codeCell struct {
	Type     string       `json:"cell_type"`
	Count    *int         `json:"execution_count"`
	ID       string       `json:"id"`
	Metadata struct{}     `json:"metadata"`
	Outputs  []cellOutput `json:"outputs"`
	Source   []string     `json:"source"`
}

type cellOutput struct {
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
	Type     string         `json:"output_type"`
}

// Text adds a cell of Markdown; an empty one is left out.
func (n *Notebook) Text(id, markdown string) {
	if markdown = strings.TrimSpace(markdown); markdown != "" {
		n.cells = append(n.cells, markdownCell{Type: "markdown", ID: n.id(id), Source: lines(markdown)})
	}
}

// Code adds a cell of Python with what it shows.
func (n *Notebook) Code(id, source string, shows ...Output) {
	c := codeCell{Type: "code", ID: n.id(id), Outputs: []cellOutput{}, Source: lines(strings.TrimSpace(source))}
	for _, o := range shows {
		out := cellOutput{Type: "display_data", Data: map[string]any{"text/plain": lines(o.Plain)}, Metadata: map[string]any{}}
		if o.HTML != "" {
			out.Data["text/html"] = lines(o.HTML)
		}
		if o.SVG != "" {
			out.Data["image/svg+xml"] = lines(o.SVG)
			out.Metadata["image/svg+xml"] = map[string]any{"alt": o.Alt}
		}
		if o.PNG != nil {
			out.Data["image/png"] = base64.StdEncoding.EncodeToString(o.PNG)
			out.Metadata["image/png"] = map[string]any{"alt": o.Alt, "height": o.Height, "width": o.Width}
		}
		c.Outputs = append(c.Outputs, out)
	}
	n.cells = append(n.cells, c)
}

// mostOfID is how many letters the id of a cell may have, less room for a number.
const mostOfID = 60

// id returns an id of a cell that no other has.
func (n *Notebook) id(name string) string {
	name = typeset.Slug(name)
	name = strings.Trim(name[:min(mostOfID, len(name))], "-")
	id := name
	for i := 2; n.ids[id]; i++ {
		id = fmt.Sprintf("%s-%d", name, i)
	}
	if n.ids == nil {
		n.ids = map[string]bool{}
	}
	n.ids[id] = true
	return id
}

// lines cuts a text behind the ends of its lines.
func lines(s string) []string {
	out := strings.SplitAfter(s, "\n")
	if out[len(out)-1] == "" {
		return out[:len(out)-1]
	}
	return out
}

// Bytes returns the notebook's file.
func (n *Notebook) Bytes() ([]byte, error) {
	type kernel struct {
		Display  string `json:"display_name"`
		Language string `json:"language"`
		Name     string `json:"name"`
	}
	type metadata struct {
		Gradsync map[string]string `json:"gradsync"`
		Kernel   kernel            `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
		Title string `json:"title"`
	}
	m := metadata{Gradsync: n.About, Kernel: kernel{"Python 3", "python", "python3"}, Title: n.Title}
	m.Language.Name = "python"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(struct {
		Cells    []any    `json:"cells"`
		Metadata metadata `json:"metadata"`
		Format   int      `json:"nbformat"`
		Minor    int      `json:"nbformat_minor"`
	}{n.cells, m, 4, 5})
	if err != nil {
		return nil, fmt.Errorf("jupyter: %w", err)
	}
	return b.Bytes(), nil
}

//go:embed show.py
var show string

// Show returns Python that defines table and figure, which show rows of the CSV files in a folder
// and drawings in another.
func Show(csv, figures string) string {
	return fmt.Sprintf("CSV = %s\nFIGURES = %s\n\n%s", quoted(csv), quoted(figures), show)
}

// quoted writes a string of Python.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // never: a string
		return `""`
	}
	return string(b)
}
