package browser

import (
	"os"
	"path/filepath"
	"testing"

	"gradsync/internal/oktest"
)

// axeRun lists what axe-core finds in a page as it stands: the rule, and the first places that break it.
const axeRun = `axe.run(document, { preload: false, resultTypes: ["violations"] }).then(r => r.violations.map(v => v.id + ", " + v.nodes.length + " times: " +
	v.nodes.slice(0, 3).map(n => n.target.join(" ") + " (" + ((n.any[0] || n.all[0] || n.none[0] || {}).message || v.help) + ")").join("; ")))`

// TestAxe: axe-core finds no violation on any page, light and dark, 1280 and 390 px wide. GRADSYNC_AXE names
// axe.min.js; .ci/run gets it from the npm registry. A page is
// loaded once, and all pages take some two minutes on two cores.
func TestAxe(t *testing.T) {
	path := os.Getenv("GRADSYNC_AXE")
	if path == "" {
		t.Skip("GRADSYNC_AXE names no axe.min.js, so axe-core does not judge the pages: .ci/run does where Node is")
	}
	source := oktest.Must(os.ReadFile(path))(t)
	t.Parallel()
	for _, page := range committed(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			for i, x := range []look{{1280, "light", "en"}, {1280, "dark", "en"}, {390, "dark", "en"}, {390, "light", "en"}} {
				b.size(x.width, 900)
				b.media("screen", "prefers-color-scheme", x.theme, "prefers-reduced-motion", "reduce")
				if i == 0 {
					b.open(filepath.Join(folder(t), page))
					b.unfold(true)
					eval[any](b, string(source)+";0")
				}
				b.frames(2)
				for _, v := range eval[[]string](b, axeRun) {
					t.Errorf("%d px, %s: %s", x.width, x.theme, v)
				}
			}
		})
	}
}
