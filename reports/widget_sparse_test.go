package reports

import (
	"fmt"
	"math"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// What is shown of every model, layer and hop is a row of the tables: densities,
// shares, forms and bytes, told in both languages.
func TestTheChoicesAreTheTables(t *testing.T) {
	r, hops := committedTable(t, "ringsparse/decisions", "hops")
	x, err := sparseOf(r, hops)
	if err != nil {
		t.Fatal(err)
	}
	if x.Ranks != 8 || len(x.Models) != 6 {
		t.Fatalf("%d ranks, %d models", x.Ranks, len(x.Models))
	}
	_, kinds := committedTable(t, "ringsparse/decisions", "kinds")
	for i, m := range x.Models {
		for h := range x.Ranks {
			said := fmt.Sprint(worked(t, "sparseSaid", x, i, 0, h, "en"))
			for k, kind := range []string{"weights", "gradients"} {
				d := hops.Rows[2*i+k][2+h].(float64)
				text := strings.TrimSuffix(fmt.Sprint(worked(t, "percent", d)), nbsp+"%")
				var shown float64
				if _, err := fmt.Sscan(text, &shown); err != nil || math.Abs(shown-d) > 0.0501 {
					t.Errorf("%v %% is shown as %s", d, text)
				}
				if !strings.Contains(said, text+nbsp+"% of the "+kind) {
					t.Errorf("%s, m = %d: %q lacks %s %% of the %s", m.Name, h+1, said, text, kind)
				}
			}
			if want := fmt.Sprintf("sum of %d of 8 ranks", h+1); !strings.Contains(said, want) {
				t.Errorf("%q lacks %q", said, want)
			}
		}
		found := false
		for _, row := range kinds.Rows {
			if row[0] == m.Name && row[1] == 8.0 && row[2] != "gradients" {
				found = true
				p := m.Parts[0]
				if p.Shares != (sparseShare{row[3].(float64), row[4].(float64), row[5].(float64)}) {
					t.Errorf("%s: shares %v, row %v", m.Name, p.Shares, row)
				}
				var forms []string
				for _, f := range p.Forms {
					forms = append(forms, fmt.Sprintf("%s %v %%", f.Name, f.Share))
				}
				if got := strings.Join(forms, ", "); got != row[8] {
					t.Errorf("%s: forms %s, row %v", m.Name, got, row[8])
				}
			}
		}
		if !found || len(m.Parts) < 4 {
			t.Errorf("%s: %d layers, in the table of kinds: %t", m.Name, len(m.Parts)-1, found)
		}
		zh := fmt.Sprint(worked(t, "sparseSaid", x, i, 1, 1, "zh"))
		if strings.Contains(zh, "undefined") || strings.Contains(zh, "layers") || !strings.Contains(zh, "8 / 8") {
			t.Errorf("%s in Chinese: %q", m.Name, zh)
		}
	}
}

// The pruned model's first hop, by hand from its row: weights 10.0 % against 64.0 %.
func TestAChoiceInWords(t *testing.T) {
	r, hops := committedTable(t, "ringsparse/decisions", "hops")
	x, err := sparseOf(r, hops)
	if err != nil {
		t.Fatal(err)
	}
	want := "pruned MLP, all layers, a block that holds the sum of 1 of 8 ranks: not zero are 10 % of the weights and 64 % of the gradients. The weights are sparser. " +
		"Of the blocks at this hop, the choice (S41) sends 100 % as weights for being sparser. Forms (S42, 1 Gb/s, all hops): 39 % direct and 61 % bitmap. Bytes over the dense ring’s: 0.717."
	want = strings.ReplaceAll(want, " %", nbsp+"%")
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
	for want, harm := range map[string]func(r *result.Result, tb *result.Table){
		"or no table of kinds":        func(r *result.Result, _ *result.Table) { r.Tables[0].ID = "sorts" },
		"weights of pruned MLP, then": func(_ *result.Result, tb *result.Table) { tb.Rows[9][0] = "another" },
		"no table of the layers":      func(r *result.Result, _ *result.Table) { r.Tables[5].Title = "layer by layer" },
		"shares that sum to 150":      func(r *result.Result, _ *result.Table) { r.Tables[0].Rows[1][3] = 50.0 },
		"0 rows of MLP, raw":          func(r *result.Result, _ *result.Table) { r.Tables[0].Rows[1][1] = 9.0 },
	} {
		r, tb := committedTable(t, "ringsparse/decisions", "hops")
		harm(r, &tb)
		if _, err := widgetOf(r, tb, tableView{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
