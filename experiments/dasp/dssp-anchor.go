package dasp

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// DSSP's two clusters, as platform files.
const (
	mixedPair = "dssp2"  // GTX 1080 Ti + GTX 1060
	sixteen   = "dssp16" // 4 servers × 4 P100
)

// anchor models: DSSP's own ResNet-110, and ResNet-18 in place of its ResNet-50.
const (
	anchorModel   = "resnet110"
	anchorBatch   = 128
	epochImages   = 50_000                                                                 // CIFAR-100, as CIFAR-10
	epochs        = 300                                                                    // stated
	fullGradients = (epochs*epochImages + anchorBatch - 1) / anchorBatch                   // 117,188
	anchorTitle   = "DSSP's two-worker set-up: what timing alone gives"                    // of the experiment
	anchorSource  = "Zhao et al., ICDCS 2019 (DASP's [18]), Table I and Section V.B: ours" // no table of DASP's
)

// sixteenModels are judged on the homogeneous cluster.
var sixteenModels = []string{anchorModel, "resnet18"}

// anchorSize is how long the simulations are; times are scaled to fullGradients.
type anchorSize struct {
	Gradients int64 `json:"gradients"` // of a run that is judged
	Short     int64 `json:"short"`     // of one in the tables of other platforms
	Races     int64 `json:"races"`     // of a race by arithmetic
}

// anchorSizes were set before the first run, by time alone.
func anchorSizes(profile string) anchorSize {
	switch profile {
	case "ci":
		return anchorSize{Gradients: 1000, Short: 300, Races: 10_000}
	case "quick":
		return anchorSize{Gradients: 10_000, Short: 1500, Races: fullGradients}
	}
	return anchorSize{Gradients: fullGradients, Short: 8000, Races: fullGradients}
}

// tie is the relative difference below which two times of n gradients count as
// equal: 0.1 %, as in dasp/table5, or where it is more what the end of a run
// decides by chance: a worker that may be s_U + 1 pushes ahead.
func tie(n int64) float64 { return max(slack, float64(dsspUpper+1)/float64(n)) }

// dsspAnchor sets DSSP's published numbers beside the simulation of its
// clusters. Its times to accuracy are not run; timing alone is.
func dsspAnchor() exp.Experiment {
	e := exp.Experiment{ID: "dasp/dssp-anchor", Title: anchorTitle, Source: anchorSource, Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		s := anchorSizes(profile)
		gradients := float64(seeds)*float64(s.Gradients)*anchorRuns() + float64(s.Short)*otherRuns()
		return 12e-6*gradients + 0.3e-6*float64(seeds)*float64(s.Races*racesPerSeed)
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		s := anchorSizes(env.Profile)
		r := &runs{ctx: ctx, env: env, total: float64(len(env.Seeds))*anchorRuns() + otherRuns()}
		res := exp.NewResult(e, env, result.TimingOnly, anchorSetup(s, env.Seeds))
		if err := anchorParts(r, res, s); err != nil {
			return incomplete(res), err
		}
		res.Status = complete
		return res, nil
	}
	return e
}

// anchorSetup is what the result records of its parameters.
func anchorSetup(s anchorSize, seeds []uint64) map[string]any {
	return map[string]any{"pair": load(mixedPair), "sixteen": load(sixteen), "pair_contestants": contestants(2), "sixteen_contestants": contestants(16),
		"pair_model": anchorModel, "sixteen_models": sixteenModels, "alpha": alpha, "size": s, "batch": anchorBatch, "gradients_of_300_epochs": int64(fullGradients),
		"launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "tie": tie(s.Gradients),
		"other_factors": otherFactors, "other_links": platforms.Links, "other_pair_contestants": some(contestants(2), otherPairOf),
		"other_servers": otherServers, "other_jitters": otherJitters, "other_sixteen_contestants": some(contestants(16), otherSixteen),
		"races": raceRows, "race_bounds": []int64{dsspLower, dsspUpper}, "flops_of_training": benchRate, "seeds": seeds}
}

// anchorParts adds the tables, the figure, the claims and the notes.
func anchorParts(r *runs, res *result.Result, s anchorSize) error {
	pair, err := r.fields(load(mixedPair), contestants(2), anchorModel, s.Gradients, r.env.Seeds)
	if err != nil {
		return err
	}
	homo := map[string]field{}
	for _, m := range sixteenModels {
		if homo[m], err = r.fields(load(sixteen), contestants(16), m, s.Gradients, r.env.Seeds); err != nil {
			return err
		}
	}
	others, err := r.otherPairs(s.Short)
	if err != nil {
		return err
	}
	orders, err := r.otherOrders(s.Short)
	if err != nil {
		return err
	}
	races, raceNotes := raceTable(s.Races, r.env.Seeds)
	res.Tables = []result.Table{anchorTable(pair, s), races, others, homogeneousTable(homo, s), orders}
	res.Figures = []result.Figure{anchorFigure(pair)}
	res.Claims = append(anchorClaims(pair), homogeneousOrder(homo, s))
	notes := anchorNotes(pair, s)
	dssp := len(others.Columns) - 3 // before DASP and the closed form
	res.Notes = append(slices.Insert(notes, 2, append(raceNotes, linkNote(others.Rows, dssp))...), sixteenNote(homo))
	res.Notes = append(res.Notes, anchorAssumptions()...)
	return nil
}

// scaled says how a time of 300 epochs was made.
func scaled(n int64) string {
	if n >= fullGradients {
		return fmt.Sprintf("All %d gradients of 300 epochs (50,000 images, batch %d) were simulated.", int64(fullGradients), anchorBatch)
	}
	return fmt.Sprintf("%d gradients were simulated; what lies after their first tenth is scaled linearly to the %d of 300 epochs (50,000 images, batch %d).",
		n, int64(fullGradients), anchorBatch)
}
