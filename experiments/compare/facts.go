package compare

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// fact is what can be said of a method without running two of them.
type fact struct {
	Key     string
	Talks   string // who talks to whom
	Sends   string // formula, all machines, gradients per round
	Holds   string // gradients that a worker holds at once
	Bits    string // whether all replicas hold the same bits
	Stale   string // bound
	Slow    string // what a slow worker does to the others
	Dead    string // what a dead one does
	Network string
}

// allWait is what a slow node does to synchronous methods.
const (
	allWait    = "all wait for it"
	runEnds    = "the run ends; no step for it in the document"
	serverGoes = "with a lease (ours) the server goes on without it"
	sameBits   = "yes, after every round"
)

// factList is stated by hand from the documents and the code; what it says of bytes is
// counted beside it.
func factList() []fact {
	return []fact{
		{"bsp", "every worker ↔ the server", "2N", "1; the server N", "yes, all get the server's weights", "0", allWait, serverGoes, "a server"},
		{"asp", "every worker ↔ the server", "2N", "1; the server 1", "no: workers hold different versions", "none", "it is overtaken; its gradients are stale", serverGoes, "a server"},
		{"ssp", "every worker ↔ the server", "2N", "1; the server 1", "no", "fastest at most s clocks ahead", "others wait once s clocks ahead", serverGoes, "a server"},
		{"dssp", "every worker ↔ the server", "2N", "1; the server 1", "no", "fastest at most s_L to s_U clocks ahead", "as SSP, with a bound chosen per wait", serverGoes, "a server"},
		{"dasp", "every worker ↔ the server", "2N", "1; the server one per waiting worker", "no", "versions apart at most Smax + N − 2 (ours, with the re-check)", "the others wait, a share of its lag or until it is done", serverGoes, "a server"},
		{"naive", "every node ↔ one of them", "2(N−1)", "1; the one N", sameBits, "0", allWait, runEnds, "any"},
		{"ring", "left neighbour → right neighbour", "2(N−1)", "1 and a chunk of 1/N", sameBits, "0", allWait, runEnds, "any"},
		{"ringsparse", "left neighbour → right neighbour", "2(N−1) if dense, less where zeros pay", "1, W′ beside it, and a block of 1/N", sameBits, "0", allWait, runEnds, "any; gains on slow links with sparse gradients"},
		{"ssgd-unicast", "every node → every other", "N(N−1)", "1 and the sum", sameBits, "0", allWait, runEnds, "any"},
		{"ssgd-multicast", "every node → all others at once", "N", "1 and the sum", sameBits, "0", allWait, runEnds, "multicast, or it is SSGD unicast"},
		{"asgd", "as ASP", "2N", "1; the server 1", "no", "none", "as ASP", "as ASP", "a server"},
		{"cssgd", "every node → r others at once, in all groups of r+1", "C(N,r)·(N−r)/r", "C(N−1,r−1) and the sum", sameBits, "0", allWait + ", though r nodes hold its samples", runEnds + ", though r−1 others hold its samples", "multicast, or bytes grow r times"},
		{"compressed", "reduce-scatter of sums, then every node → all others", "N−r+1 where sums alone are best", "C(N−1,r−1), a slice of 1/N and the sum", sameBits, "0", allWait, runEnds, "multicast"},
	}
}

// load is what a round of n nodes sends by formula in whole gradients, a multicast once,
// and what it delivers; delivered is 0 where no formula is stated.
func (m method) load(n int) (sent, delivered float64) {
	r := m.redundancy()
	N := float64(n)
	switch {
	case m.Server:
		return 2 * N, 2 * N
	case m.Sync == codedsgd.SSGDUnicast:
		return N * (N - 1), N * (N - 1)
	case m.Sync == codedsgd.SSGDMulticast:
		return N, N * (N - 1)
	case m.Sync == codedsgd.CSSGD:
		blocks := float64(choose(n, r) * (n - r))
		return blocks / float64(r), blocks
	case m.Sync == codedsgd.Compressed:
		sent, _ := codedsgd.CompressedLoad(n, r, 0).Float64()
		if codedsgd.BestDepth(n, r) == 1 { // sums go to one node each, slices to all
			return sent, float64(n-r) + N - 1
		}
		return sent, 0
	}
	return 2 * (N - 1), 2 * (N - 1)
}

// counted is what a real exchange sent.
type counted struct {
	Sent, Delivered float64 // whole gradients per round, all machines
}

// facts lists what is stated of every method, and counts its bytes.
func facts() exp.Experiment {
	e := exp.Experiment{ID: "compare/facts", Title: "What every method is", Source: "ours: the methods of all four documents side by side", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0.3 }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.Stated, map[string]any{"methods": methods(), "platform": groundsOf(equalSet)[0].Platform, "rounds": factRounds})
		res.Seeds = []uint64{}
		r := &runs{ctx: ctx, env: env, bar: &exp.Bar{Env: env, Total: float64(len(methods()))}}
		counts := map[string]counted{}
		for _, f := range factList() {
			c, err := r.count(methodOf(f.Key))
			if err != nil {
				return interrupted(res), err
			}
			counts[f.Key] = c
		}
		res.Tables = []result.Table{trafficTable(counts), propertyTable()}
		res.Notes, res.Status = factNotes(counts), complete
		return res, nil
	}
	return e
}

// factRounds are the rounds of a counted exchange; the last of an asynchronous one
// leaves gradients under way, at most N of its factRounds·N.
const factRounds = 50

// count runs the method's exchange without arithmetic.
func (r *runs) count(m method) (counted, error) {
	g := groundsOf(equalSet)[0]
	o := options(workers)
	c := train.Config{Sync: m.Sync, Model: model, Platform: g.Platform, Workers: workers, Batch: 16, Launch: -1, Overhead: -1, TimingOnly: true, EvalEvery: -1,
		MaxPushes: factRounds * workers, Options: &o}
	m.configure(&c)
	p, err := r.get("bytes of "+m.Title, c)
	if err != nil {
		return counted{}, err
	}
	unit := 4 * float64(lenetParams) * float64(p.Pushes) / workers
	return counted{float64(p.Sent) / unit, float64(p.Delivered) / unit}, nil
}

// lenetParams is the length of LeNet-5's gradient.
const lenetParams = 61_706
