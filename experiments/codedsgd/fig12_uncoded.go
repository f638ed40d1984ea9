package codedsgd

import (
	"fmt"
	"slices"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// What a code gains is seen beside the same blocks at the same redundancy without one.
// Added after the first runs; no claim is judged on it.

// plain is a way without a code: each block's gradient goes whole from its first holder
// to all nodes that lack it.
type plain struct {
	Title   string `json:"title"`
	Method  string `json:"method"`
	Variant int    `json:"variant"` // the one of variants that it is set beside
}

// The plain ways. Unicasts on a switch are left out: the first holders' links, which
// are the same few, would be what is timed.
var plains = []plain{
	{"multicast, one medium", codedsgd.SSGDMulticast, 0},
	{"unicast (29), one medium", codedsgd.SSGDUnicast, 0},
	{"multicast, switch", codedsgd.SSGDMulticast, 2},
	{"multicast, switch, overlap", codedsgd.SSGDMulticast, onSwitchOverlap},
}

// onSwitchOverlap is the place in variants, and multicastOverlap the one in plains, of
// micro-blocks on a switch with overlap, the setting in which coding seems to gain.
const (
	onSwitchOverlap  = 3
	multicastOverlap = 3
)

// timedPlain is its time per batch in seconds by r − 1, mean over seeds.
type timedPlain struct {
	plain
	Mean []float64
}

func (w *studies) plains(net network) ([]timedPlain, error) {
	var out []timedPlain
	for _, p := range plains {
		v, mean := variants[p.Variant], make([]float64, anchor)
		err := each(anchor, func(i int) error {
			seconds, _, err := w.seeds(base(net, exchange{Method: p.Method, Redundancy: i + 1, Whole: v.Whole, NoOverlap: !v.Overlap}, v.Shared))
			mean[i] = meanOf(seconds)
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, timedPlain{p, mean})
	}
	w.bar.Step(net.Title + ", the same without a code")
	return out, nil
}

func uncodedTable(s *study) result.Table {
	t := result.Table{ID: "uncoded-" + s.Net.Key, Title: s.Net.Title + ": the same redundancy without a code", Kind: result.TimingOnly,
		Caption: howTimed(s) + "Micro-blocks; without a code each gradient goes whole from its block's first holder to all nodes that lack it. Unicasts of all that is lacked are eq. (29)'s load. Node 0 is the first holder of all that it holds, r/n of the blocks, and each node lacks (n−r)/n: for r > n/2 its link out binds on a switch, and senders that share the work would be sooner. Added after the first runs; no claim is judged on it.",
		Columns: []result.Column{{Key: "r", Title: "r"}}}
	var columns [][]float64
	add := func(key, title string, mean []float64) {
		t.Columns = append(t.Columns, result.Column{Key: key, Title: title, Unit: "ms", Digits: 1})
		columns = append(columns, mean)
	}
	for i, p := range s.Plain {
		if i == 0 || p.Variant != s.Plain[i-1].Variant {
			v := &s.Variants[p.Variant]
			add(v.Key, "CSSGD, "+v.Title[len("micro-blocks, "):], v.Mean)
		}
		add(fmt.Sprintf("plain-%d", i), p.Title, p.Mean)
	}
	for i := range allRedundancies() {
		row := []any{i + 1}
		for _, c := range columns {
			row = append(row, 1e3*c[i])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// uncodedNote says whose gain it is that CSSGD beats SSGD with multicasts on a switch:
// the code's, or redundancy's and overlap's.
func uncodedNote(s *study) string {
	v, p := s.Variants[onSwitchOverlap].Mean, s.Plain[multicastOverlap].Mean
	ssgd, b := p[0], bestOf(v[:slices.Max(redundancies)])
	if v[b-1] >= ssgd {
		return fmt.Sprintf("With overlap on a switch CSSGD takes %.0f ms at r = %d and SSGD that multicasts %.0f ms: no gain there either.", 1e3*v[b-1], b, 1e3*ssgd)
	}
	text := fmt.Sprintf("That CSSGD is nevertheless sooner than SSGD Multicast on a switch in Figs. 8 to 11, 14 and 15, here by %.0f %% (%.0f against %.0f ms at r = %d, with overlap), is not for its code: ", 100*(1-v[b-1]/ssgd), 1e3*v[b-1], 1e3*ssgd, b)
	if p[b-1] > v[b-1] {
		return text[:len(text)-len("not for its code: ")] + fmt.Sprintf("in part for its code: the same blocks at the same redundancy, multicast whole, take %.0f ms.", 1e3*p[b-1])
	}
	return text + fmt.Sprintf("the same blocks at the same redundancy, multicast whole, take %.0f ms. With redundancy a node lacks fewer gradients, (n−r)/n of them, and overlap hides the exchange behind the longer computing.", 1e3*p[b-1])
}

// settingsTable is the best redundancy of every setting.
func settingsTable(s *study) result.Table {
	t := result.Table{ID: "settings-" + s.Net.Key, Title: s.Net.Title + ": " + settingsTitle, Kind: result.TimingOnly,
		Caption: "From the table of times; of equal times the smaller r. The claims are judged on the first row.",
		Columns: []result.Column{{Key: "setting", Title: "messages, medium"}, {Key: "best", Title: "best r"}, {Key: "time", Title: "time at it", Unit: "ms", Digits: 1}, {Key: "one", Title: "at r = 1", Unit: "ms", Digits: 1}}}
	for i := range s.Variants {
		v := &s.Variants[i]
		t.Rows = append(t.Rows, []any{v.Title, v.best(), 1e3 * v.Mean[v.best()-1], 1e3 * v.Mean[0]})
	}
	return t
}

const settingsTitle = "best redundancy by setting"
