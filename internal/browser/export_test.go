package browser

import (
	"strconv"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"gradsync/internal/oktest"
)

// copies: the first and the last copy button put their text on the clipboard.
func copies(b *tab) {
	t := b.t
	t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		p := browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}
		oktest.Must(chromedp.CallBrowser(b.ctx, browser.SetPermission, p))(t)
	}
	n := eval[int](b, `document.querySelectorAll("button[data-copy]").length`)
	if n == 0 {
		t.Fatal("nothing can be copied, not even the citation")
	}
	for _, i := range []int{0, n - 1} {
		got := eval[struct{ Want, Got, Says string }](b, `(async () => {
			const b = document.querySelectorAll("button[data-copy]")[`+strconv.Itoa(i)+`], was = b.textContent, of = document.getElementById(b.dataset.copy);
			// A command of the playground is there when its module has started.
			for (let k = 0; k < 6000 && !of.textContent; k++) await new Promise(done => setTimeout(done, 20));
			const want = of.textContent;
			b.click();
			for (let k = 0; k < 6000 && b.textContent === was; k++) await new Promise(done => setTimeout(done, 20));
			return { want: want, got: await navigator.clipboard.readText(), says: b.textContent };
		})()`)
		if got.Got != got.Want || got.Want == "" {
			t.Errorf("button %d copies %q, want %q (it says %q)", i, got.Got, got.Want, got.Says)
		}
	}
}
