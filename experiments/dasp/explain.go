package dasp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// effort is how long a profile searches.
type effort struct {
	Pushes int64 `json:"gradients"` // of a run of the search; the fits are run again at the tables' length
	Warmup int64 `json:"warmup"`    // of each worker
	Full   int64 `json:"full"`      // gradients of the fits' own runs, the tables' number but in ci
	Scan   int   `json:"scan"`      // points of the Latin hypercube, per space
	Chunk  int   `json:"chunk"`     // points per saved part
	// Population and generations of an evolution. The two means that fit best go on
	// for More generations; a part of the demands alone has Alone. Rounds of
	// coordinate descent are at the tables' length.
	Population  int `json:"population"`
	Generations int `json:"generations"`
	More        int `json:"generations_more"`
	Alone       int `json:"generations_alone"`
	Rounds      int `json:"rounds"`
}

func effortOf(profile string) effort {
	switch profile {
	case "ci":
		return effort{Pushes: 60, Warmup: 2, Full: 120, Scan: 3, Chunk: 3, Population: 3}
	case "quick":
		return effort{Pushes: 180, Warmup: 6, Full: workers * perWorker, Scan: 128, Chunk: 64, Population: 16, Generations: 5, More: 10, Alone: 6, Rounds: 1}
	}
	return effort{Pushes: 240, Warmup: 8, Full: workers * perWorker, Scan: 512, Chunk: 64, Population: 32, Generations: 16, More: 40, Alone: 45, Rounds: 5}
}

// runsOf estimates the search in runs of Full gradients, for the clock.
func (e effort) runsOf() float64 {
	share := float64(e.Pushes) / float64(e.Full)
	evolved := (len(meanings)*(e.Generations+1) + goOn*e.More) * 19
	if e.Generations == 0 {
		evolved = len(meanings) * 24
	}
	searched := float64(len(spaces) * (e.Scan*24 + e.Population*evolved))
	full := float64(len(spaces) * (len(meanings) + goOn) * finalists * 24)
	if e.Alone > 0 {
		searched += float64((len(subsets())-1)*e.Population*(e.Alone+1)*9) + float64(len(axes)*len(spaces)*8*14)
		full += float64(len(spaces)*17*2*e.Rounds*14 + (len(subsets())-1)*len(axes)*2*e.Rounds*7)
	}
	return share*searched + full
}

// goOn is how many of the meanings go on for More generations, per space.
const goOn = 2

// explain asks the inverse question: which laboratories give the iteration-time
// ratios that the paper states, all of them at once.
func explain() exp.Experiment {
	e := exp.Experiment{ID: "dasp/explain", Title: "What must have been true in their laboratory", Profiles: exp.Profiles,
		Source: "ours: the paper states 18 ratios of mean iteration times and names no hardware"}
	e.Seconds = func(profile string, seeds int) float64 {
		size := effortOf(profile)
		return float64(size.Full) * (3e-6*size.runsOf() + 15e-6*float64(len(spaces)*24*seeds))
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		size := effortOf(env.Profile)
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"axes": axes, "spaces": spaces, "effort": size, "search_seed": searchSeed,
			"demands": demands(), "meanings": meanings, "loss": "root mean square of ln(ratio/stated) over D01-D18",
			"full": map[string]any{"gradients": size.Full, "warmup": warmup, "seeds": env.Seeds, "batch": fullBatch}})
		q, err := newInquiry(ctx, env, size)
		if err != nil {
			return incomplete(res), err
		}
		if err := q.search(); err != nil {
			return incomplete(res), err
		}
		q.write(res)
		res.Status = complete
		return res, nil
	}
	return e
}

// part is what one saved piece of the search leaves.
type part struct {
	Fit        fit      `json:"fit"`
	Scores     []ratios `json:"scores,omitempty"` // of a scan
	Within     float64  `json:"within,omitempty"` // loss of the fit of all 18 on a subset
	Slack      []span   `json:"slack,omitempty"`  // by axis
	Spans      spans    `json:"spans"`
	Candidates int      `json:"candidates"`
	Runs       int      `json:"runs"`
}

// part makes a piece, or loads what an earlier command left of it. A piece
// depends on the effort, the space and the pieces before it, which its name and
// start stand for; every piece has its own evaluator, so that an interrupted
// search counts the same runs.
func (q *inquiry) part(name string, start any, cost float64, pushes, warm int64, compute func(e *evaluator, p *part) error) (part, error) {
	raw, err := json.Marshal(map[string]any{"part": name, "start": start, "effort": q.size, "axes": axes, "pushes": pushes, "warmup": warm})
	if err != nil {
		return part{}, fmt.Errorf("dasp: explain: %s: %w", name, err)
	}
	sum := sha256.Sum256(raw)
	key := "dasp/explain/" + hex.EncodeToString(sum[:])
	var p part
	if q.r.env.Memo == nil || !q.r.env.Memo.Load(key, &p) {
		e := newEvaluator(q.r.ctx, q.costs, pushes, warm)
		if err := compute(e, &p); err != nil {
			return p, err
		}
		p.Spans, p.Candidates, p.Runs = e.seen, e.candidates, e.runs
		if q.r.env.Memo != nil {
			if err := q.r.env.Memo.Save(key, p); err != nil {
				return p, err
			}
		}
	}
	q.candidates += p.Candidates
	q.runs += p.Runs
	q.seen.join(&p.Spans)
	q.r.done += cost
	q.r.report(q.r.done, name)
	return p, nil
}
