package reports

import (
	"strings"
	"testing"
	"testing/fstest"

	"gradsync/internal/oktest"
	"gradsync/reports/page"
)

// TestCards: the page of GPUs lists what files came, as wrong what is wrong; a file of something else is refused.
func TestCards(t *testing.T) {
	rendered := func(files fstest.MapFS) (string, error) {
		r, err := newRenderer(Options{})
		oktest.Nil(t, err)
		r.frame.Sites = map[string]page.Site{"": {}}
		err = r.addCards(files)
		return string(r.out["cards.html"]), err
	}
	file := func(right string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"cards":["NVIDIA <H200>"],"date":"2027-01-02","right":` + right + `,"steps":[{"model":"lenet5","gradsync_ms":1.25}]}`)}
	}
	got, err := rendered(fstest.MapFS{"cards/b.json": file("false"), "cards/a.json": file("true"), "cards/README.md": {}})
	if err != nil || strings.Count(got, "NVIDIA &lt;H200&gt;") != 2 || strings.Count(got, ">wrong<") != 1 ||
		strings.Index(got, "a.json") > strings.Index(got, "b.json") {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := rendered(fstest.MapFS{}); err != nil || !strings.Contains(got, "None. Our GPU kernels have run on no real card yet") {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := rendered(fstest.MapFS{"cards/c.json": {Data: []byte(`{}`)}}); err == nil || !strings.Contains(err.Error(), "cards/c.json: it names no card") {
		t.Errorf("%v", err)
	}
	if all, err := readCards(received); err != nil {
		t.Errorf("%v %v", all, err)
	}
}
