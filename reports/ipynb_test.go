package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// jupyterFormat holds a notebook as the tests read it; a field that it lacks is an error.
type jupyterFormat struct {
	Cells []struct {
		Type     string          `json:"cell_type"`
		ID       string          `json:"id"`
		Metadata map[string]any  `json:"metadata"`
		Source   []string        `json:"source"`
		Count    json.RawMessage `json:"execution_count"`
		Outputs  *[]struct {
			Type     string                     `json:"output_type"`
			Data     map[string]json.RawMessage `json:"data"`
			Metadata map[string]any             `json:"metadata"`
		} `json:"outputs"`
	} `json:"cells"`
	Metadata struct {
		Gradsync map[string]string `json:"gradsync"`
		Kernel   map[string]string `json:"kernelspec"`
		Language map[string]string `json:"language_info"`
		Title    string            `json:"title"`
	} `json:"metadata"`
	Major int `json:"nbformat"`
	Minor int `json:"nbformat_minor"`
}

// cellID is nbformat's rule for the ids of cells.
var cellID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// wellFormed checks a notebook by the rules of nbformat 4.5's JSON schema, and returns it.
func wellFormed(t *testing.T, name string, raw []byte) (n jupyterFormat) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&n); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	m := n.Metadata
	if n.Major != 4 || n.Minor != 5 || m.Kernel["name"] != "python3" || m.Kernel["display_name"] == "" || m.Language["name"] != "python" || m.Title == "" {
		t.Errorf("%s: nbformat %d.%d, metadata %v", name, n.Major, n.Minor, n.Metadata)
	}
	ids := map[string]bool{}
	for _, c := range n.Cells {
		if !cellID.MatchString(c.ID) || ids[c.ID] {
			t.Errorf("%s: cell id %q, taken: %v", name, c.ID, ids[c.ID])
		}
		ids[c.ID] = true
		if c.Metadata == nil || len(c.Source) == 0 {
			t.Errorf("%s: cell %s without metadata or source", name, c.ID)
		}
		switch c.Type {
		case "markdown":
			if c.Outputs != nil || c.Count != nil {
				t.Errorf("%s: text %s has outputs or a count", name, c.ID)
			}
		case "code":
			if string(c.Count) != "null" || c.Outputs == nil {
				t.Errorf("%s: code %s has the count %s, or no outputs", name, c.ID, c.Count)
				continue
			}
			for _, o := range *c.Outputs {
				if o.Type != "display_data" || o.Metadata == nil || o.Data["text/plain"] == nil || len(o.Data) != 2 {
					t.Errorf("%s: %s shows a %s of %d kinds, metadata %v", name, c.ID, o.Type, len(o.Data), o.Metadata)
				}
			}
		default:
			t.Errorf("%s: a cell of type %q", name, c.Type)
		}
	}
	return n
}

// said returns the texts, or the code, of all cells.
func (n jupyterFormat) said(kind string) string {
	var b strings.Builder
	for _, c := range n.Cells {
		if c.Type == kind {
			b.WriteString(strings.Join(c.Source, "") + "\n\n")
		}
	}
	return b.String()
}

// shows counts the outputs of a type.
func (n jupyterFormat) shows(mime string) (count int) {
	for _, c := range n.Cells {
		if c.Outputs == nil {
			continue
		}
		for _, o := range *c.Outputs {
			if o.Data[mime] != nil {
				count++
			}
		}
	}
	return count
}

// jupytersOf makes the notebooks of one experiment, the English before the Chinese.
func jupytersOf(t *testing.T, root string, e []loaded) (out [2][]byte) {
	t.Helper()
	s, err := page.NewScripts()
	if err != nil {
		t.Fatal(err)
	}
	for l := range notebook.Languages {
		if out[l], err = jupyterOf(Options{Results: root, Experiment: e[0].ID, Lang: l}, firstShownFirst(e), s); err != nil {
			t.Fatalf("%s: %v", e[0].ID, err)
		}
	}
	return out
}

const committed = "../experiments/results"

// inJupyter are experiments with figures of every form; GRADSYNC_LONG=1 takes all.
var inJupyter = []string{"dasp/table3", "dasp/table7", "ring/steps", "codedsgd/fig2"}

// The notebook of each committed experiment is well formed in both languages, and has its tables, its
// figures, its claims, its record and its citation. nbformat, where Python has it, finds it valid and
// writes the same bytes again.
func TestJupyter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	all, err := load(committed)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, key := range []string{"ring", "ringsparse", "dasp", "codedsgd", "compare"} {
		for _, e := range byExperiment(all[key]) {
			if os.Getenv("GRADSYNC_LONG") == "" && !slices.Contains(inJupyter, e[0].ID) {
				continue
			}
			for l, raw := range jupytersOf(t, committed, e) {
				name := notebook.Languages[l] + " " + e[0].ID
				n := wellFormed(t, name, raw)
				checkParts(t, name, n, firstShownFirst(e)[0])
				if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".ipynb"), raw, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	validate(t, dir)
}

// checkParts compares a notebook with the page that it is made of.
func checkParts(t *testing.T, name string, n jupyterFormat, from loaded) {
	t.Helper()
	tables, figures := 0, 0
	if len(from.ClaimRows) > 0 {
		tables++
	}
	for _, p := range from.Page.Parts {
		switch {
		case p.Table != nil && p.Table.From != nil: // others are text
			tables++
		case p.Figure != nil:
			figures++
		}
	}
	if a, b := n.shows("text/html"), n.shows("image/png")+n.shows("image/svg+xml"); a != tables || b != figures {
		t.Errorf("%s shows %d tables and %d figures, the page has %d and %d", name, a, b, tables, figures)
	}
	text, code := n.said("markdown"), n.said("code")
	wanted := []string{"@software{gradsync-", from.SHA256, "# " + n.Metadata.Title}
	if from.ID == "dasp/table3" { // LaTeX of letters with an index, and of the document's formulas
		wanted = append(wanted, `$S_{\max}$`, "$$\nT_{\\mathrm{wait}}^{\\,i} = ")
	}
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in its texts", name, want)
		}
	}
	if strings.ContainsAny(text, "\x02\x03") || !strings.Contains(code, "!gradsync ") || !strings.Contains(code, "!gradsync export "+from.ID+" ") {
		t.Errorf("%s: a mark is left, or a command is not there:\n%s", name, code)
	}
}

// validate asks nbformat of every notebook in a folder.
func validate(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.ipynb"))
	if err != nil || len(files) == 0 {
		t.Fatal("no notebooks: ", err)
	}
	python := os.Getenv("GRADSYNC_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import nbformat").Run(); err != nil {
		t.Logf("%s has no nbformat: its validator was not asked", python)
		return
	}
	const script = `import sys, nbformat
for p in sys.argv[1:]:
    raw = open(p, encoding="utf-8").read()
    nb = nbformat.reads(raw, as_version=4)
    nbformat.validate(nb)
    if nbformat.writes(nb).rstrip("\n") != raw.rstrip("\n"):
        sys.exit(p + ": nbformat writes other bytes")
    for c in nb.cells:
        if c.cell_type == "code":
            compile("\n".join("pass" if l.startswith("!") else l for l in c.source.split("\n")), p + " " + c.id, "exec")
`
	if out, err := exec.Command(python, append([]string{"-c", script}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("nbformat: %v\n%s", err, out)
	}
	if err := exec.Command(python, "-c", "import nbconvert").Run(); err != nil {
		t.Logf("%s has no nbconvert: it was not asked", python)
		return
	}
	for _, to := range []string{"html", "markdown"} {
		c := exec.Command(python, "-m", "nbconvert", "--log-level", "ERROR", "--to", to, "--stdout", files[0])
		if out, err := c.CombinedOutput(); err != nil || len(out) < 1000 {
			t.Errorf("nbconvert to %s: %v\n%.2000s", to, err, out)
		}
	}
}
