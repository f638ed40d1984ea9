package widget

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/typeset"
)

// What is shown of every model, layer and hop is a row of the frames: densities,
// shares, forms and bytes, told in both languages.
func TestTheChoicesAreTheFrames(t *testing.T) {
	l := committedOf(t, "ringsparse/decisions")
	hops, kinds := l.Frame("hops"), l.Frame("kinds")
	x := oktest.Must(sparseOf(l, hops))(t)
	if x.Ranks != 8 || len(x.Models) != 6 {
		t.Fatalf("%d ranks, %d models", x.Ranks, len(x.Models))
	}
	var cases []any
	for _, row := range hops.Rows {
		if key := row[hops.At("case")]; !slices.Contains(cases, key) {
			cases = append(cases, key)
		}
	}
	rowsOf := func(f *frame, key any, n string, number float64) (out [][]any) {
		for _, row := range f.Rows {
			if row[f.At("case")] == key && row[f.At("tie")] == "weights" && row[f.At(n)] == number {
				out = append(out, row)
			}
		}
		return out
	}
	for i, m := range x.Models {
		for h := range x.Ranks {
			row := rowsOf(hops, cases[i], "m", float64(h+1))[0]
			said := fmt.Sprint(worked(t, "sparseSaid", x, i, 0, h, "en"))
			for _, kind := range []string{"weights", "gradients"} {
				d := row[hops.At("dense_"+kind)].(float64)
				text := strings.TrimSuffix(fmt.Sprint(worked(t, "percent", d)), typeset.NBSP+"%")
				var shown float64
				if _, err := fmt.Sscan(text, &shown); err != nil || math.Abs(shown-d) > 0.0501 {
					t.Errorf("%v %% is shown as %s", d, text)
				}
				if !strings.Contains(said, text+typeset.NBSP+"% of the "+kind) {
					t.Errorf("%s, m = %d: %q lacks %s %% of the %s", m.Name, h+1, said, text, kind)
				}
			}
			want := fmt.Sprintf("%s, all layers. A block that sums %d of 8 workers: ", m.Name.En(), h+1)
			if h == 0 {
				want = m.Name.En() + ", all layers. A block of one worker’s own, before any sum: "
			}
			if !strings.HasPrefix(said, want) {
				t.Errorf("%q does not begin with %q", said, want)
			}
		}
		all := rowsOf(kinds, cases[i], "n", 8)
		if len(all) != 1 || len(m.Parts) < 4 {
			t.Fatalf("%s: %d layers, %d rows of all", m.Name, len(m.Parts)-1, len(all))
		}
		share := func(key string) float64 { return all[0][kinds.At(key)].(float64) }
		if p := m.Parts[0]; p.Shares != (sparseShare{share("sparser"), share("tied"), share("gradients")}) {
			t.Errorf("%s: shares %v, row %v", m.Name, p.Shares, all[0])
		}
		for _, f := range m.Parts[0].Forms {
			if f.Share != share(f.Name) || f.Share == 0 {
				t.Errorf("%s: %s %v, row %v", m.Name, f.Name, f.Share, all[0])
			}
		}
		zh := fmt.Sprint(worked(t, "sparseSaid", x, i, 1, 1, "zh"))
		if strings.Contains(zh, "undefined") || strings.Contains(zh, "[object") || strings.Contains(zh, "layers") || !strings.Contains(zh, "8 个节点中 8 个") ||
			!strings.HasPrefix(zh, m.Name.Zh()+"，"+m.Parts[1].Name.Zh()) {
			t.Errorf("%s in Chinese: %q", m.Name, zh)
		}
	}
}

// The pruned model's first hop, by hand from its row: weights 10.0 % against 64.0 %.
func TestAChoiceInWords(t *testing.T) {
	l := committedOf(t, "ringsparse/decisions")
	x := oktest.Must(sparseOf(l, l.Frame("hops")))(t)
	want := "pruned MLP, all layers. A block of one worker’s own, before any sum: not zero are 10 % of the weights and 64 % of the gradients. The weights " +
		"are sparser. At this hop 100 % of the blocks go as weights, which are sparser. Over all hops, on links of 1 Gb/s, 39.5 % plain, 60.5 % as " +
		"bitmap and values: 71.7 % of the dense ring’s bytes."
	want = strings.ReplaceAll(want, " %", typeset.NBSP+"%")
	if got := worked(t, "sparseSaid", x, 4, 0, 0, "en"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for share, want := range map[float64]float64{0: 0, 0.01: 1, 49.6: 50, 99.97: 99, 100: 100} {
		if got := worked(t, "sparseCells", share); got != want {
			t.Errorf("%v %% fill %v cells, want %v", share, got, want)
		}
	}
}

func TestUnreadableChoicesAreRefused(t *testing.T) {
	for want, harm := range map[string]func(r *result.Result, f *frame){
		"no frame of kinds":        func(r *result.Result, _ *frame) { r.Frame("kinds").ID = "sorts" },
		"or none of layers":        func(r *result.Result, _ *frame) { r.Frame("layers").ID = "sorts" },
		"a column is missing":      func(_ *result.Result, f *frame) { f.Columns[f.At("m")].Key = "hop" },
		"frame kinds lacks":        func(r *result.Result, _ *frame) { k := r.Frame("kinds"); k.Columns[k.At("coo")].Key = "pairs" },
		"row 1: hop 9 of mlp":      func(_ *result.Result, f *frame) { f.Rows[1][f.At("m")] = 9.0 },
		"frame kinds: shares {50 ": func(r *result.Result, _ *frame) { k := r.Frame("kinds"); k.Rows[2][k.At("sparser")] = 50.0 },
		"0 rows of mlp":            func(r *result.Result, _ *frame) { k := r.Frame("kinds"); k.Rows[2][k.At("n")] = 9.0 },
		"frame layers: densities":  func(r *result.Result, _ *frame) { k := r.Frame("layers"); k.Rows[0][k.At("last")] = 111.0 },
	} {
		l := committedOf(t, "ringsparse/decisions")
		harm(l.Result, l.Frame("hops"))
		if _, err := widgetOf(l, "hops"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
