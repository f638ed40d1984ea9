package reports

import (
	"encoding/json"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/assets"
	"gradsync/reports/page"
)

// reportScript returns a machine that has the functions of report.js.
func reportScript(t *testing.T) *page.Scripts {
	t.Helper()
	s, err := page.NewScripts()
	if err == nil {
		err = s.Load(page.NewLibrary("report.js", func() (string, error) {
			b, err := assets.ReadFile("report.js")
			return string(b), err
		}))
	}
	oktest.Nil(t, err)
	return s
}

// Anchors that a document's page had before its parts got pages of their own still arrive, also those of
// another profile.
func TestAnchorsThatMovedStillArrive(t *testing.T) {
	s, story := reportScript(t), pageOfTwins(t, "dasp.html")
	var m map[string]any
	oktest.Nil(t, json.Unmarshal([]byte(cut(t, story, `id="moved">`, "</script>")), &m))
	for id, want := range map[string]string{"example5": "dasp/example5.html#example5", "example5-standard": "dasp/example5.html#example5-standard",
		"D10": "dasp/claims.html#D10", "claim-example5-standard-d10": "dasp/claims.html#D10", "claims": "dasp/claims.html", "alg1": "dasp/code.html#alg1",
		"alg1-3": "dasp/code.html#alg1-3", "formulas": "dasp/code.html#formulas", "eq1": "dasp/code.html#eq1", "errata": "dasp/assumptions.html#errata",
		"prov-example5-standard": "dasp/provenance.html#prov-example5-standard", "short": "", "nowhere": ""} {
		got, err := s.Call("gradsyncMoved", m, id)
		if err != nil || got != want {
			t.Errorf("#%s has gone to %q, %v, want %q", id, got, err, want)
		}
		if file, at, ok := strings.Cut(got, "#"); ok && at != "alg1-3" && !strings.Contains(pageOfTwins(t, file), ` id="`+at+`"`) {
			t.Errorf("%s has no %s", file, at)
		}
		if want == "" && strings.Contains(story, ` id="`+id+`"`) {
			t.Errorf("#%s is there", id)
		}
	}
	for _, id := range []string{"idea", "lost", "cite", "s2.2"} {
		if !strings.Contains(story, ` id="`+id+`"`) {
			t.Errorf("the story has no #%s", id)
		}
	}
}

// The search finds by words of either language, what begins with them first.
func TestSearch(t *testing.T) {
	s, files := reportScript(t), oktest.Must(rendered())(t)
	var list []map[string]any
	oktest.Nil(t, json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(files[searchFile], "var gradsyncFound = "), ";\n")), &list))
	for asked, want := range map[string]string{"d10": "dasp/claims.html#D10", "assumed devices": "dasp/example1.html", "来源": "provenance.html",
		"no such word": ""} {
		got, err := s.Call("(function(l,q){return gradsyncFind(l,q).map(function(f){return f.h}).join(' ')})", list, asked)
		first, _, _ := strings.Cut(got, " ")
		if err != nil || !strings.HasSuffix(first, want) || (want == "") != (got == "") {
			t.Errorf("%q finds %q, %v, want %s", asked, got, err, want)
		}
	}
}
