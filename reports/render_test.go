package reports

import "testing"

func TestTryRender(t *testing.T) {
	pages, err := Render(Options{Results: "testdata/results", Out: "/tmp/rep/out", Command: "gradsync report"})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(pages)
	if _, err := Render(Options{Results: "testdata/results", Out: "/tmp/rep/out1", SingleFile: true}); err != nil {
		t.Fatal(err)
	}
}
