package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// Ids are stems of files and anchors, each once, and every experiment says how long it takes.
func TestExperimentsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Experiments() {
		if seen[e.ID] || !regexp.MustCompile(`^[a-z0-9]+/[a-z0-9-]+$`).MatchString(e.ID) || e.Title == "" || e.Source == "" || len(e.Profiles) == 0 {
			t.Errorf("experiment %+v", e)
		}
		seen[e.ID] = true
		for _, p := range e.Profiles {
			if s := e.Seconds(p, 3); s < 0 || s > 30*24*3600 {
				t.Errorf("%s, profile %s: an estimate of %g s", e.ID, p, s)
			}
			found := false
			for _, known := range exp.Profiles {
				found = found || p == known
			}
			if !found {
				t.Errorf("%s: no profile %q", e.ID, p)
			}
		}
	}
}

// What the quick experiments write obeys the schema, repeats byte for byte and judges only claims that exist.
func TestResultsObeyTheSchema(t *testing.T) {
	oktest.Slow(t)
	obeys := schema(t, result.SchemaJSON)
	ids := []string{"dasp/table1", "dasp/table2", "dasp/table3", "dasp/thresholds"}
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		if rc, _, msg := gradsync(append([]string{"run", "--profile", "ci", "--seeds", "0", "--quiet", "--out", dir}, ids...)...); rc != exitOK {
			t.Fatalf("run: exit code %d, %s", rc, msg)
		}
	}
	for _, id := range ids {
		path := result.Path(dirs[0], id, "ci")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err == nil {
			err = obeys.Validate(doc)
		}
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if again, _ := os.ReadFile(result.Path(dirs[1], id, "ci")); !bytes.Equal(raw, again) {
			t.Errorf("%s: two runs give different bytes", id)
		}
		r, err := result.Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, got := range r.Claims {
			if _, ok := claims.Get(got.ID); !ok {
				t.Errorf("%s: claim %s is none of claims.csv", id, got.ID)
			}
		}
		oktest.Must(os.Stat(filepath.Join(filepath.Dir(path), filepath.Base(id)+".run.json")))(t)
	}
}

func schema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc := oktest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := jsonschema.NewCompiler()
	oktest.Nil(t, c.AddResource("result.json", doc))
	return oktest.Must(c.Compile("result.json"))(t)
}
