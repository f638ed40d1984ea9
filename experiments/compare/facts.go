package compare

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// load returns what a round of n nodes sends by formula in whole gradients, a multicast
// once, and what it delivers; delivered is 0 where no formula is stated.
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

// counts holds what a real exchange of a method sent.
type counts struct {
	method
	Sent, Delivered float64 // whole gradients per round, all machines
}

// off returns how far the count is from the formula, as a share.
func (c counts) off() float64 { sent, _ := c.load(workers); return c.Sent/sent - 1 }

// each returns the bytes that a round brings a worker.
func (c counts) each() float64 {
	if c.Server {
		return c.Delivered / workers / 2 // half of it goes to the server
	}
	return c.Delivered / workers
}

// facts counts the bytes of every method.
func facts() exp.Experiment {
	return kit.Inquiry{ID: "compare/facts", Source: source, Kind: result.Stated, Profiles: exp.Profiles, Seedless: true,
		Seconds: func(string, int) float64 { return 0.3 },
		Config: func(string) map[string]any {
			return map[string]any{"methods": methods(), "platform": kit.Platform(testbedOf(equalSet, links[0]).Platform), "rounds": factRounds}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			r.Seeds = []uint64{}
			list := slices.DeleteFunc(methods(), func(m method) bool { // they move what their siblings do
				return m.Key == "ring-layers" || m.Aware
			})
			bar, rows := exp.Bar{Env: env, Total: float64(len(list))}, []counts{}
			for _, m := range list {
				c, err := countOf(ctx, env, m)
				if err != nil {
					return err
				}
				rows = append(rows, c)
				bar.Step("bytes of " + m.Key)
			}
			r.Frames, r.Facts = []result.Frame{kit.As(result.Counted, trafficFrame(rows))}, trafficFacts(rows)
			return nil
		}}.Experiment()
}

// factRounds are the rounds of a counted exchange; the last of an asynchronous one
// leaves gradients under way, at most N of its factRounds·N.
const factRounds = 50

// lenetParams is the length of LeNet-5's gradient.
const lenetParams = 61_706

// countOf runs the method's exchange without arithmetic.
func countOf(ctx context.Context, env exp.Env, m method) (counts, error) {
	o := options(workers)
	c := train.Config{Sync: m.Sync, Model: model, Platform: testbedOf(equalSet, links[0]).Platform, Workers: workers, Batch: 16, Launch: -1, Overhead: -1,
		TimingOnly: true, EvalEvery: -1, MaxPushes: factRounds * workers, Server: train.Server{Options: &o}}
	m.configure(&c)
	p, err := get(ctx, env, c)
	unit := 4 * float64(lenetParams) * float64(p.Pushes) / workers
	return counts{m, float64(p.Sent) / unit, float64(p.Delivered) / unit}, err
}

// trafficFrame sets counts beside formulas.
func trafficFrame(rows []counts) result.Frame {
	return kit.Rows("traffic",
		"method:method document:document formula/gradients.2 counted/gradients.2 off/%.2 "+
			"delivered/gradients.2 received/gradients.2 each/gradients.2 work", rows, func(c counts) []any {
			sent, delivered := c.load(workers)
			return []any{c.Key, c.Document, sent, c.Sent, 100 * c.off(),
				kit.OnlyIf(delivered > 0, delivered), c.Delivered, c.each(), c.redundancy()}
		})
}

func trafficFacts(rows []counts) []result.Fact {
	worst, agree, least, most := 0.0, 0, rows[0], rows[0]
	for _, c := range rows {
		if worst = max(worst, math.Abs(c.off())); math.Abs(c.off()) < 1e-3 {
			agree++
		}
		if c.Sent < least.Sent {
			least = c
		}
		if c.Delivered > most.Delivered {
			most = c
		}
	}
	return kit.Facts("workers", workers, "rounds", factRounds, "methods", len(rows), "agree", agree,
		"worst/%.1", 100*worst, "least:method", least.Key, "least_sent/gradients.2", least.Sent,
		"most:method", most.Key, "most_delivered/gradients.0", most.Delivered)
}
