package ring

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// costLink is one of the links that the blog names.
type costLink struct {
	Claim     string  `json:"claim"`
	Name      string  `json:"name"`
	Bandwidth float64 `json:"bandwidth"` // bytes per second, as the blog states it
	Unit      float64 `json:"unit"`      // of the claim, bytes per second
}

var costLinks = []costLink{
	{"B06", "good internet connection", 15e6, 1e6},
	{"B07", "gigabit Ethernet", 125e6, 1e6},
	{"B03", "the blog's example", blogLink, 1e9},
}

// linkTime is what one of them makes of 1.2 GB.
type linkTime struct {
	costLink
	Two, Ten naiveTime
}

func linkTimes(ctx context.Context, b *exp.Bar) ([]linkTime, error) {
	var out []linkTime
	for _, l := range costLinks {
		t := linkTime{costLink: l}
		var err error
		if t.Two, err = naiveAt(ctx, 2, l.Bandwidth); err != nil {
			return nil, err
		}
		if t.Ten, err = naiveAt(ctx, 10, l.Bandwidth); err != nil {
			return nil, err
		}
		out = append(out, t)
		b.Step(l.Name)
	}
	return out, nil
}

// got is the bandwidth that one transfer of 1.2 GB really got.
func (t linkTime) got() float64 { return blogBytes / t.Two.Gather }

func judgeLinks(links []linkTime) []result.Claim {
	var out []result.Claim
	for _, l := range links {
		out = append(out, taken(l.Claim, l.got()/l.Unit, "a number that the blog gives and the platform takes over: what one transfer of 1.2 GB got in virtual time, headers included; no link of the blog's was measured"))
	}
	return out
}

func linkTable(links []linkTime) result.Table {
	t := result.Table{ID: "links", Title: "1.2 GB over the links that the blog names", Kind: result.TimingOnly,
		Caption: "Ideal links of the stated bandwidth, virtual time. “got”: 1.2 GB over the time of one transfer. The exchanges are those of the table above.",
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "stated", Title: "stated", Unit: "MB/s", Digits: 0}, {Key: "got", Title: "got", Unit: "MB/s", Digits: 3},
			{Key: "one", Title: "one transfer", Unit: "s", Digits: 2}, {Key: "naive10", Title: "single reducer of 10, both ways", Unit: "s", Digits: 1}, {Key: "ring10", Title: "ring of 10", Unit: "s", Digits: 2}}}
	for _, l := range links {
		t.Rows = append(t.Rows, []any{l.Name, l.Bandwidth / 1e6, l.got() / 1e6, l.Two.Gather, l.Ten.Both, l.Ten.Ring})
	}
	return t
}
