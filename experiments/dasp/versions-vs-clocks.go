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

// versionClusters are the sets of workers; each is run on the sweep's links.
var versionClusters = []string{homogeneous, heterogeneous, straggler}

const straggler = "straggler6"

// clusterTitle names them on the page.
var clusterTitle = map[string]string{homogeneous: "homogeneous", heterogeneous: "heterogeneous", straggler: "one straggler"}

// referenceLink is the link of the platform files.
const referenceLink = "10 Gb/s"

// clockMethods decide by clocks; theirs are the waits in question.
var clockMethods = []string{"ssp", "dssp"}

// linksOf are the links of a profile: all of the sweep's, in ci the reference's.
func linksOf(profile string) (links []string) {
	for _, l := range platforms.Links {
		if profile != "ci" || l.Name == referenceLink {
			links = append(links, l.Name)
		}
	}
	return links
}

// versionsVsClocks asks how many of the waits that SSP and DSSP order by clocks
// DASP's test of versions would have ordered too, at the same instant.
func versionsVsClocks() exp.Experiment {
	e := exp.Experiment{ID: "dasp/versions-vs-clocks", Title: "Why versions and not clocks", Source: "ours: §1 and §2.1 count versions where SSP counts iterations", Profiles: exp.Profiles}
	cells := func(profile string, seeds int) float64 { // censuses, the runs of waits' worth and two stories
		n := len(versionClusters) * len(models)
		return float64(seeds*n*(len(linksOf(profile))*len(clockMethods)+2) + len(storyMethods))
	}
	e.Seconds = func(profile string, seeds int) float64 { return 0.018 * cells(profile, seeds) }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		r := &runs{ctx: ctx, env: env, total: cells(env.Profile, len(env.Seeds))}
		res := exp.NewResult(e, env, result.TimingOnly, versionSetup(env))
		g, err := r.censusGrid(linksOf(env.Profile))
		if err != nil {
			return incomplete(res), err
		}
		own, err := r.ownGrid(g)
		if err != nil {
			return incomplete(res), err
		}
		res.Figures = []result.Figure{vainFigure(g)}
		for _, method := range storyMethods {
			s, err := r.story(method, env.Seeds[0])
			if err != nil {
				return incomplete(res), err
			}
			res.Figures = append(res.Figures, s.figure(method))
		}
		res.Tables = []result.Table{censusTable(g), vainSeconds(g), worthTable(own)}
		if links := linksOf(env.Profile); len(links) > 1 {
			res.Tables = append(res.Tables, vainLinks(g, links))
		}
		res.Notes = versionNotes(g, own)
		res.Status = complete
		return res, nil
	}
	return e
}

// versionSetup is what the result records of its parameters.
func versionSetup(env exp.Env) map[string]any {
	bases, bandwidths := map[string]any{}, map[string]float64{}
	for _, c := range versionClusters {
		bases[c] = load(c)
	}
	for _, l := range platforms.Links {
		if slices.Contains(linksOf(env.Profile), l.Name) {
			bandwidths[l.Name] = l.Bandwidth
		}
	}
	return map[string]any{"platforms": bases, "links": bandwidths, "reference_link": referenceLink, "methods": clockMethods, "own_runs": methods[1:],
		"models": models, "options": options(), "batch": fullBatch, "gradients": workers * perWorker, "warmup": warmup,
		"launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "seeds": env.Seeds, "story": storyConfig, "story_methods": storyMethods}
}

// censusGrid holds the censuses: [cluster][link][model][method][seed].
type censusGrid map[string]map[string]map[string]map[string][]census

// censusGrid runs the methods that decide by clocks everywhere.
func (r *runs) censusGrid(links []string) (censusGrid, error) {
	g := censusGrid{}
	for _, cluster := range versionClusters {
		g[cluster] = map[string]map[string]map[string][]census{}
		for _, v := range sweep(cluster) {
			if v.Workers != cluster || !slices.Contains(links, v.Link) {
				continue
			}
			g[cluster][v.Link] = map[string]map[string][]census{}
			for _, m := range models {
				g[cluster][v.Link][m] = map[string][]census{}
				for _, method := range clockMethods {
					for _, seed := range r.env.Seeds {
						c, err := r.census(v, method, m, seed)
						if err != nil {
							return g, err
						}
						g[cluster][v.Link][m][method] = append(g[cluster][v.Link][m][method], c)
					}
				}
			}
		}
	}
	return g, nil
}

// census is one run, counted. It keeps the warm-up: a decision needs no steady
// state.
func (r *runs) census(v platforms.Variant, method, model string, seed uint64) (census, error) {
	cfg := timing(v.Platform, method, model, seed)
	return logged(r, "dasp/versions/", fmt.Sprintf("%s, %s, %s", v.Name, title[model], title[method]), 1, cfg, func(o *train.Outcome) (census, error) {
		return newCensus(o, *cfg.Options)
	})
}
