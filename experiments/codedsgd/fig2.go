package codedsgd

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// shownExchange is one cluster's exchange with CSSGD, and the same blocks' gradients
// by the methods without a code.
type shownExchange struct {
	A       *codedsgd.Assignment
	Batch   int
	Run     run
	Packets []shownPacket
	Plain   []plainRun
	Same    bool // all ranks of all methods have the parameters of one node alone
}

// plainRun is one method.
type plainRun struct {
	Method string
	run
}

// show runs everything for n nodes at redundancy r.
func show(ctx context.Context, n, r int) (shownExchange, error) {
	x := shownExchange{}
	var err error
	if x.A, err = codedsgd.Assign(n, r); err != nil {
		return x, err
	}
	x.Batch = shownSamples * x.A.Blocks()
	alone, err := listen(ctx, 1, x.Batch, codedsgd.Options{MicroBlocks: x.A.Blocks()})
	if err != nil {
		return x, err
	}
	x.Same = true
	for _, method := range []string{codedsgd.SSGDUnicast, codedsgd.SSGDMulticast, codedsgd.CSSGD} {
		got, err := listen(ctx, n, x.Batch, codedsgd.Options{Method: method, Redundancy: r})
		if err != nil {
			return x, err
		}
		x.Same = x.Same && got.sameAs(alone.Ranks[0].Params)
		x.Plain = append(x.Plain, plainRun{method, got})
		x.Run = got // the last is CSSGD's
	}
	x.Packets, err = follow(x.Run, x.A, x.Batch)
	return x, err
}

// wrong is how many decoded numbers are not the holder's, compared how many.
func (x shownExchange) wrong() (wrong, compared, packets int) {
	for _, p := range x.Packets {
		for _, d := range p.Decoded {
			wrong += d.Wrong
			compared += p.Bytes / 4
		}
	}
	return wrong, compared, len(x.Packets)
}

// fig2 is the coding: every packet of one exchange, when it travels, what is in it and
// what each receiver makes of it.
func fig2() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/fig2", Title: "Coding: every packet of one exchange", Source: "CSSGD, Fig. 2", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0.8 }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.Counted, map[string]any{"pictures": pictures, "platform": calm(referencePlatform()),
			"layer": shownLayer, "shape": [2]int{shownRows, shownColumns}, "samples_per_block": shownSamples})
		res.Seeds = []uint64{}
		b := exp.Bar{Env: env, Total: float64(len(pictures))}
		var all []shownExchange
		for _, at := range pictures {
			x, err := show(ctx, at[0], at[1])
			if err != nil {
				return res, err
			}
			all = append(all, x)
			res.Figures = append(res.Figures, exchangeFigure(x))
			res.Tables = append(res.Tables, packetTable(x), completeTable(x))
			b.Step(clusterName(x.A))
		}
		res.Tables = append(res.Tables, methodTable(all))
		res.Notes = fig2Notes(all)
		res.Status = complete
		return res, nil
	}
	return e
}
