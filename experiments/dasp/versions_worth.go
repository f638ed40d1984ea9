package dasp

import (
	"fmt"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// ownGrid holds the methods' own runs at the reference link:
// [cluster][model][method][seed].
type ownGrid map[string]map[string]map[string][]ownRun

// ownGrid adds ASP and DASP to what the censuses know of SSP and DSSP. A test on
// SSP's history does not say what would follow from another answer: SSP's waits
// are what kept its versions together.
func (r *runs) ownGrid(g censusGrid) (ownGrid, error) {
	own := ownGrid{}
	for _, cluster := range versionClusters {
		own[cluster] = map[string]map[string][]ownRun{}
		for _, m := range models {
			own[cluster][m] = map[string][]ownRun{}
			for _, method := range methods[1:] {
				for _, c := range g[cluster][referenceLink][m][method] {
					own[cluster][m][method] = append(own[cluster][m][method], c.Own)
				}
				if own[cluster][m][method] != nil {
					continue
				}
				for _, seed := range r.env.Seeds {
					o, err := logged(r, "dasp/versions/own/", fmt.Sprintf("%s, %s, %s", cluster, title[m], title[method]), 1,
						timing(load(cluster), method, m, seed), func(o *train.Outcome) (ownRun, error) { return newOwnRun(o), nil })
					if err != nil {
						return own, err
					}
					own[cluster][m][method] = append(own[cluster][m][method], o)
				}
			}
		}
	}
	return own, nil
}

// worthTable sets the methods' own runs side by side.
func worthTable(own ownGrid) result.Table {
	t := result.Table{ID: "versions-worth", Title: "What the waits buy: each method's own run", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("At %s, mean over seeds (largest: over all). Had a wait in vain not been made, later pushes would have come otherwise; these are the runs in which each method decides for itself. "+
			"Waited: share of pushes (DASP: in WSS or FSS). The warm-up is left out but of the spread, the largest v_new − min(v).", referenceLink),
		Columns: []result.Column{{Key: "cluster", Title: "cluster"}, {Key: "model", Title: "model"}, {Key: "method", Title: "method"}, {Key: "waits", Title: "waited", Unit: "% of pushes", Digits: 1},
			{Key: "iteration", Title: "iteration per worker", Unit: "ms", Digits: 2}, {Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2},
			{Key: "spread", Title: "largest spread", Unit: "versions"}, {Key: "clock", Title: "largest clock gap", Unit: "clocks"}}}
	for _, cluster := range versionClusters {
		for _, m := range models {
			for _, method := range methods[1:] {
				o := meanOwn(own[cluster][m][method])
				t.Rows = append(t.Rows, []any{clusterTitle[cluster], title[m], title[method], 100 * o.Waited, 1e3 * o.Iteration, o.Staleness, o.Spread, o.Clock})
			}
		}
	}
	return t
}

// meanOwn is the mean of what has one over seeds, the largest of the rest.
func meanOwn(list []ownRun) (m ownRun) {
	n := float64(len(list))
	for _, o := range list {
		m.Waited += o.Waited / n
		m.Iteration += o.Iteration / n
		m.Staleness += o.Staleness / n
		m.Spread, m.Clock = max(m.Spread, o.Spread), max(m.Clock, o.Clock)
	}
	return m
}
