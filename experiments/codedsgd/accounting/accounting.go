// Package accounting sets all ways of counting what a batch sends side by side.
package accounting

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// plan says what a profile counts. All of it was fixed before the first run.
type plan struct {
	Least int   `json:"least_nodes"`
	Most  int   `json:"most_nodes"` // every redundancy of every n up to it
	Drawn []int `json:"drawn_nodes"`
	// Exchanged is up to how many nodes real exchanges are made, of gradients of
	// Elements numbers, which leave no rest in any segment or slice there.
	Exchanged int `json:"exchanged_nodes"`
	Elements  int `json:"elements"`
	// Lined are the nodes whose trade-off of computing against sending is drawn, and Tried up to
	// how many the argument about it is checked.
	Lined int `json:"lined_nodes"`
	Tried int `json:"tried_nodes"`
	// Stated is the case of C29.
	Stated             int   `json:"stated_nodes"`
	StatedRedundancies []int `json:"stated_redundancies"`
}

func planOf(profile string) plan {
	return plan{Least: 2, Most: setup.Pick(profile, 6, 12), Drawn: setup.Pick(profile, []int{5, 6}, []int{8, 10}), Exchanged: setup.Pick(profile, 4, 6),
		Elements: 1440, Lined: setup.Anchor, Tried: 40, Stated: 10, StatedRedundancies: []int{1, 2, 3}}
}

// Experiment counts the loads of all ways, by closed forms and by real exchanges.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/accounting", Source: "CSSGD, §2.2 and §2.4", Kind: result.Modelled, Profiles: exp.Profiles, Seedless: true,
		Seconds: setup.Seconds(0.1, 0.6),
		Config: func(profile string) map[string]any {
			keys := kit.Map(codedsgd.Accountings(), func(a codedsgd.Accounting) string { return a.Key })
			return map[string]any{"plan": planOf(profile), "accountings": keys}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan, b := planOf(env.Profile), exp.Bar{Env: env, Total: 3}
			sizes, err := countPlacements(ctx, plan.Least, plan.Most)
			if err != nil {
				return err
			}
			b.Step("blocks and packets")
			stated := countStated(plan)
			b.Step("the stated case")
			real, err := exchangeSizes(ctx, plan)
			if err != nil {
				return err
			}
			b.Step("real exchanges")
			showLoads(r, plan, sizes, real)
			r.Claims = []result.Claim{judgeOneNth(sizes), judgeLikeForLike(sizes), judgeStated(stated)}
			return nil
		}}.Experiment()
}

// placement is one (n, r) with its counts and every accounting's load, nil where there is
// no such placement.
type placement struct {
	N, R    int
	Counted codedsgd.Counts
	Loads   map[string]*big.Rat // by the accounting's key
}

func countPlacements(ctx context.Context, least, most int) (all []placement, err error) {
	for n, r := range setup.Sizes(ctx, least, most) {
		all = append(all, count(n, r))
	}
	return all, ctx.Err()
}

func count(n, r int) placement {
	s := placement{N: n, R: r, Counted: kit.Must(codedsgd.Enumerate(n, r)).Counts(), Loads: map[string]*big.Rat{}}
	for _, a := range codedsgd.Accountings() {
		s.Loads[a.Key] = a.Load(n, r)
	}
	return s
}

// counted returns the loads that follow from the enumerated blocks and packets alone.
func (s placement) counted() map[string]*big.Rat {
	c, lacking := s.Counted, int64(s.N*s.Counted.Left)
	loads := map[string]*big.Rat{
		"coded":           big.NewRat(int64(c.Elements), int64(s.R)),
		"coded-unicast":   big.NewRat(int64(c.Deliveries), int64(s.R)), // segments of one element
		"uncoded-unicast": big.NewRat(lacking, 1),
		"uncoded":         new(big.Rat),
		"blocks":          big.NewRat(int64(c.Blocks), 1),
		"blocks-unicast":  big.NewRat(int64(c.Alone), 1),
	}
	if c.Left > 0 {
		loads["uncoded"] = big.NewRat(int64(c.Blocks), 1)
	}
	return loads
}

// countedEqual says how many of the counted loads are the closed form's, of how many.
func countedEqual(sizes []placement) (equal, of int) {
	for _, s := range sizes {
		for key, load := range s.counted() {
			of++
			equal += setup.One(load.Cmp(s.Loads[key]) == 0)
		}
	}
	return equal, of
}

// ratio returns (19), counted.
func (s placement) ratio() *big.Rat {
	return big.NewRat(int64(s.Counted.Elements), int64(s.R*s.Counted.Alone))
}

// likeForLike returns coded over uncoded, both multicast, counted; nil where nothing is sent.
func (s placement) likeForLike() *big.Rat {
	if s.Counted.Left == 0 {
		return nil
	}
	return big.NewRat(int64(s.Counted.Elements), int64(s.R*s.Counted.Blocks))
}

func countStated(plan plan) (loads []*big.Rat) {
	for _, r := range plan.StatedRedundancies {
		s := count(plan.Stated, r)
		loads = append(loads, s.counted()["coded"])
	}
	return loads
}

func judgeStated(loads []*big.Rat) result.Claim {
	var f claims.Found
	for _, l := range loads {
		f.Values = append(f.Values, float(l))
	}
	f.Notes = []result.Reason{result.Because("C29")}
	return claims.Verdict("C29", f)
}

// coding reports whether s codes anything and sends anything.
func (s placement) coding() bool { return s.R >= 2 && s.R < s.N }

// oneNth counts the sizes that code, and among them those whose ratio is 1/n and those whose
// ratio is the form of (19); smallest is the first whose ratio is not 1/n.
func oneNth(sizes []placement) (of, equal, form int, smallest *placement) {
	for _, s := range sizes {
		if !s.coding() {
			continue
		}
		of++
		if s.ratio().Cmp(big.NewRat(1, int64(s.N))) == 0 {
			equal++
		} else if smallest == nil {
			smallest = &s
		}
		form += setup.One(s.ratio().Cmp(codedsgd.LRatio(s.N, s.R)) == 0)
	}
	return of, equal, form, smallest
}

// judgeOneNth judges C18: data are reduced to 1/n "in general", at every redundancy
// that codes anything and sends anything, 2 ≤ r < n.
func judgeOneNth(sizes []placement) result.Claim {
	of, equal, form, smallest := oneNth(sizes)
	words := result.Because("C18-neither", "neither", of-form, "of", of)
	if form == of {
		words = result.Because("C18-form")
	}
	f := claims.Identity(of > 0 && equal == of, words)
	f.Notes = []result.Reason{result.Because("C18", "of", of, "most", sizes[len(sizes)-1].N, "equal", equal, "form", form)}
	if smallest != nil {
		f.Notes = append(f.Notes, result.Because("C18-smallest", "n", smallest.N, "r", smallest.R, "ratio", smallest.ratio().RatString()))
	}
	return claims.Verdict("C18", f)
}

func judgeLikeForLike(sizes []placement) result.Claim {
	of, less, late := 0, 0, 0
	words, right := result.Reason{}, true
	for _, s := range sizes {
		counted := s.likeForLike()
		if counted == nil {
			continue
		}
		of++
		if right && counted.Cmp(big.NewRat(int64(s.N-s.R), int64(s.R))) != 0 {
			words, right = result.Because("C28-other", "ratio", counted.RatString(), "n", s.N, "r", s.R), false
		}
		less += setup.One(counted.Cmp(big.NewRat(1, 1)) < 0)
		late += setup.One(2*s.R > s.N)
	}
	f := claims.Identity(of > 0 && right, words)
	f.Notes = []result.Reason{result.Because("C28", "of", of, "most", sizes[len(sizes)-1].N), result.Because("C28-less", "less", less, "late", late)}
	return claims.Verdict("C28", f)
}

// float returns a load as a table has it, NaN where there is none.
func float(x *big.Rat) float64 {
	if x == nil {
		return math.NaN()
	}
	f, _ := x.Float64()
	return f
}

// realWays are the exchanges that papers/codedsgd makes, each with the accounting that
// its bytes are, counted once, and once per receiver.
var realWays = []struct{ Method, Once, Each string }{
	{codedsgd.CSSGD, "coded", "coded-unicast"},
	{codedsgd.SSGDMulticast, "uncoded", "uncoded-unicast"},
	{codedsgd.SSGDUnicast, "uncoded-unicast", "uncoded-unicast"},
	{codedsgd.Compressed, "compressed", ""},
}

// realExchange is one real exchange with its bytes in gradients.
type realExchange struct {
	N, R       int
	Packets    int64
	Once, Each *big.Rat
	Same       bool // as the accountings say
}

// newPatterned makes a task whose gradients are numbers that depend on sample and place.
func newPatterned(elements int) *setup.Task {
	return setup.NewTask(cluster.Layer{Name: "only", Length: elements}, func(grads []float32, step int64, lo, hi int) {
		for i := range grads {
			grads[i] = float32((hi-lo)*((7*i+13*lo+int(step))%31-15)) / 1024
		}
	})
}

func exchangeOnce(ctx context.Context, n, r, elements int, method string) (t codedsgd.Totals, err error) {
	host := cluster.Host{Name: "n", FLOPS: 1e9, Bandwidth: 1e8, Latency: time.Microsecond}
	logs, _, err := cluster.Run(ctx, virtual.New(cluster.Uniform(n, host, nil), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		task := newPatterned(elements)
		return codedsgd.Run(p, codedsgd.Job{Task: task, Layers: task.Layers(), Batch: 60, Rate: 0.1, Steps: 1,
			Options: codedsgd.Options{Method: method, Redundancy: r}})
	})
	if err != nil {
		return t, fmt.Errorf("codedsgd: exchange of %s, n = %d, r = %d: %w", method, n, r, err)
	}
	for _, l := range logs {
		t.Merge(l.Totals)
	}
	return t, nil
}

// exchangeSizes makes real exchanges of every way and small size, and compares their
// bytes with the accountings.
func exchangeSizes(ctx context.Context, plan plan) (all []realExchange, err error) {
	for n, r := range setup.Sizes(ctx, plan.Least, plan.Exchanged) {
		s := count(n, r)
		for _, way := range realWays {
			t, err := exchangeOnce(ctx, n, r, plan.Elements, way.Method)
			if err != nil {
				return nil, err
			}
			unit := int64(4 * plan.Elements)
			x := realExchange{N: n, R: r, Packets: t.Packets, Once: big.NewRat(t.Bytes, unit), Each: big.NewRat(t.Delivered, unit)}
			x.Same = x.Once.Cmp(s.Loads[way.Once]) == 0 && (way.Each == "" || x.Each.Cmp(s.Loads[way.Each]) == 0)
			all = append(all, x)
		}
	}
	return all, ctx.Err()
}

func sameExchanges(all []realExchange) int {
	return kit.CountIf(all, func(x realExchange) bool { return x.Same })
}

// showLoads fills in the loads, who sends less where, and what real exchanges sent.
func showLoads(r *result.Result, plan plan, sizes []placement, real []realExchange) {
	r.Frames = append([]result.Frame{loads(sizes), ratios(sizes), exchangedFrame(real), messages(plan, sizes), lineFrame(plan)}, showWins(plan, sizes)...)
	for _, n := range plan.Drawn {
		r.Figures = append(r.Figures,
			result.Figure{ID: fmt.Sprintf("loads-%d", n), Form: "line", Frame: "loads", Where: map[string]any{"n": n, "sends": true}, X: "r", Log: "y",
				Y: []string{"coded", "uncoded", "coded-unicast", "blocks-unicast", "ssgd", "ring", "compressed"}},
			result.Figure{ID: fmt.Sprintf("messages-%d", n), Form: "line", Frame: "messages", Where: map[string]any{"n": n}, X: "r",
				Y: []string{"cssgd", "ssgd-unicast", "ssgd-multicast"}})
	}
	r.Figures = append(r.Figures, result.Figure{ID: "line", Form: "line", Frame: "line", X: "shares", Y: []string{"load"}, By: []string{"point"}})
	r.Facts = loadFacts(plan, sizes, real)
}

// loads lists every n and r with one column per accounting; sends: r < n.
func loads(sizes []placement) result.Frame {
	columns := "n r "
	for _, a := range codedsgd.Accountings() {
		columns += a.Key + "/" + gradientUnits + ".2 "
	}
	return kit.Rows("loads", columns+"sends", sizes, func(s placement) []any {
		row := []any{s.N, s.R}
		for _, a := range codedsgd.Accountings() {
			row = append(row, float(s.Loads[a.Key]))
		}
		return append(row, s.R < s.N)
	})
}

// sends compares coded packets, each counted once however many nodes it goes to, with the accounting
// key. It returns the sizes at which they send less, and all sizes compared: those with r < n at
// which the accounting exists.
func sends(sizes []placement, key string) (less, of []placement) {
	for _, s := range sizes {
		rival := s.Loads[key]
		if s.R == s.N || rival == nil {
			continue
		}
		of = append(of, s)
		if s.Loads["coded"].Cmp(rival) < 0 {
			less = append(less, s)
		}
	}
	return less, of
}

// redundanciesOf lists the redundancies of n among sizes, "" if there are none.
func redundanciesOf(sizes []placement, n int) string {
	var rs []int
	for _, s := range sizes {
		if s.N == n {
			rs = append(rs, s.R)
		}
	}
	return setup.Listed(rs)
}

// showWins returns two frames. "wins" counts, for each other accounting, the sizes at which coded
// packets send less, says whether these are all, some or none, and has as far the largest n − r
// among them. "winners" lists their redundancies r for each n of plan.Drawn.
func showWins(plan plan, sizes []placement) []result.Frame {
	wins := kit.NewSheet("wins", "rival:accounting counted:counted less of where:where far")
	winners := kit.NewSheet("winners", "rival:accounting n rs")
	for _, a := range codedsgd.Accountings()[1:] {
		less, of := sends(sizes, a.Key)
		where, far := "some", 0
		switch len(less) {
		case 0:
			where = "none"
		case len(of):
			where = "all"
		}
		for _, s := range less {
			far = max(far, s.N-s.R)
		}
		wins.Add(a.Key, map[bool]string{true: "receiver", false: "packet"}[a.PerReceiver], len(less), len(of), where, far)
		for _, n := range plan.Drawn {
			winners.Add(a.Key, n, redundanciesOf(less, n))
		}
	}
	return []result.Frame{wins.Frame, winners.Frame}
}

// ratios sets (19) beside the same blocks multicast without coding, both counted.
func ratios(sizes []placement) result.Frame {
	return kit.As(result.Counted, kit.Rows("ratios", "n r eq19/.4 overr/.4 overn/.4 like/.4 bound/.4 exact", sizes, func(s placement) []any {
		exact := ""
		if s.coding() {
			exact = s.ratio().RatString()
		}
		return []any{s.N, s.R, float(s.ratio()), 1 / float64(s.R), 1 / float64(s.N), float(s.likeForLike()), float(codedsgd.Bound(s.N, s.R)), exact}
	}))
}

// exchangedFrame lists every size with one column per way of exchanging.
func exchangedFrame(all []realExchange) result.Frame {
	columns := "n r "
	for _, w := range realWays {
		columns += w.Once + "/" + gradientUnits + ".2 "
	}
	f := kit.NewSheet("exchanged", columns+"each/"+gradientUnits+".2 packets same")
	f.Kind = result.Counted
	for of := range slices.Chunk(all, len(realWays)) {
		row := []any{of[0].N, of[0].R}
		for _, x := range of {
			row = append(row, float(x.Once))
		}
		f.Add(append(row, float(of[0].Each), of[0].Packets, sameExchanges(of) == len(of))...)
	}
	return f.Frame
}

// messages lists the paper's message model: Q micro-blocks for every r, so that all loads
// are in parts of Q.
func messages(plan plan, sizes []placement) result.Frame {
	const unit = "/" + gradientUnits
	f := kit.NewSheet("messages", "n r cssgd"+unit+" ssgd-unicast"+unit+" ssgd-multicast"+unit)
	for _, s := range sizes {
		of := func(load string) float64 { return float(new(big.Rat).Quo(s.Loads[load], s.Loads["blocks"])) }
		if s.R < s.N && slices.Contains(plan.Drawn, s.N) {
			f.Add(s.N, s.R, of("coded"), of("blocks-unicast"), of("blocks"))
		}
	}
	return f.Frame
}

// lineFrame sets CSSGD's computing and sending beside the line between one worker alone and
// SSGD by multicast, in whole gradients on one medium; over: its load over the line's.
func lineFrame(plan plan) result.Frame {
	f := kit.NewSheet("line", "point:point shares load/"+gradientUnits+".2 over/.2")
	n := plan.Lined
	for r := 1; r <= n; r++ {
		line, coded, over := codedsgd.TradeOff(n, r), codedsgd.LCoding(n, r), math.NaN()
		if line.Sign() > 0 {
			over = float(new(big.Rat).Quo(coded, line))
		}
		f.Add("line", r, float(line), nil)
		f.Add("cssgd", r, float(coded), over)
	}
	f.Add("ssgd-multicast", 1, float(codedsgd.SummedMulticast(n, 1)), nil)
	f.Add("alone", n, 0.0, nil)
	return f.Frame
}

// lined counts at how many of all sizes up to most nodes CSSGD's point lies above the line,
// and at how many on it; r < n.
func lined(most int) (points, above, on int) {
	for n := 2; n <= most; n++ {
		for r := 1; r < n; r++ {
			points++
			switch codedsgd.LCoding(n, r).Cmp(codedsgd.TradeOff(n, r)) {
			case 1:
				above++
			case 0:
				on++
			}
		}
	}
	return points, above, on
}

// placementOf finds one size; the plan has it.
func placementOf(sizes []placement, n, r int) placement {
	return sizes[slices.IndexFunc(sizes, func(s placement) bool { return s.N == n && s.R == r })]
}

// rise follows CSSGD's load on n nodes from r = 1 up to where it no longer rises.
func rise(sizes []placement, n int) (r int) {
	for r = 1; r < n && placementOf(sizes, n, r+1).Loads["coded"].Cmp(placementOf(sizes, n, r).Loads["coded"]) > 0; r++ {
	}
	return r
}

func loadFacts(plan plan, sizes []placement, real []realExchange) []result.Fact {
	n := plan.Drawn[len(plan.Drawn)-1]
	half, others, late, under, sending := 0, 0, 0, 0, 0 // half and others: like for like below 1, where r > n/2 and elsewhere
	for _, s := range sizes {
		if s.R == s.N {
			continue
		}
		sending++
		under += setup.One(s.Loads["ssgd"].Cmp(s.Loads["coded"]) < 0)
		less, more := s.likeForLike().Cmp(big.NewRat(1, 1)) < 0, 2*s.R > s.N
		late, half, others = late+setup.One(more), half+setup.One(less && more), others+setup.One(less && !more)
	}
	equal, of := countedEqual(sizes)
	nth, nthEqual, _, _ := oneNth(sizes)
	top := rise(sizes, n)
	load := func(accounting string, r int) float64 { return float(placementOf(sizes, n, r).Loads[accounting]) }
	points, above, on := lined(plan.Tried)
	return kit.Facts("line.n", plan.Lined, "line.most", plan.Tried, "line.points", points, "line.above", above, "line.on", on, "most", plan.Most, "n", n,
		"n.last", n-1, "exchanged", plan.Exchanged, "elements", plan.Elements,
		"real", len(real), "real.same", sameExchanges(real), "counted", of, "counted.same", equal, "sizes", sending, "under", under,
		"half", half == late && others == 0, "half.late", half, "half.other", others, "nth", nth, "nth.equal", nthEqual,
		"rises.to", top, "rises", top > 1, "coded.top", load("coded", top), "coded.first", load("coded", 1),
		"coded.two", load("coded", 2), "coded.last", load("coded", n-1), "coded-unicast.two", load("coded-unicast", 2), "ssgd", load("ssgd", 1),
		"sum-only.two", load("sum-only", 2), "sum-only.last", load("sum-only", n-1),
		"compressed.two", load("compressed", 2), "compressed.last", load("compressed", n-1))
}

// gradientUnits is the unit of loads: one whole gradient of one block.
const gradientUnits = "gradient-units"
