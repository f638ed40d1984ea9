package codedsgd

import (
	"context"
	"fmt"

	"gradsync/datasets"
	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// fewest and most are the node counts of the paper's figures (§3.2.5: "within 10
// nodes"; §3.1 begins at two).
const fewest, most = 2, 10

// table1 is the ten nodes as we assume them, beside what the paper does state.
func table1() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/table1", Title: "The nodes: assumed hardware, stated tasks", Source: "CSSGD, Table 1", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		if profile == "standard" || profile == "paper" {
			return 5 // reads both sets
		}
		return 0.5
	}
	e.Old = func(_ context.Context, env exp.Env) (*result.Result, error) {
		p := referencePlatform()
		res := exp.NewResult(e, env, result.Stated, map[string]any{"platform": p, "networks": networks(), "redundancies": redundancies, "nodes": []int{fewest, most}})
		res.Seeds = []uint64{}
		var all []nClass
		for _, w := range networks() {
			set, err := train.OpenData(w.dataset(env.Profile), env.DataDir, w.Model)
			if err != nil {
				return res, err
			}
			addData(res, result.Data{Name: set.Name, Origin: set.Origin, Train: set.Train.Len(), Test: set.Test.Len(), SHA256: set.SHA256, Note: set.Note})
			for n := fewest; n <= most; n++ {
				t, err := taskOf(w, n, env.Profile, set)
				if err != nil {
					return res, err
				}
				all = append(all, t)
			}
		}
		rho, err := calibration(p)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{hostTable(p), statedTable(p), taskTable(all), calibrationTable(rho), assumptionTable(p)}
		res.Claims = []result.Claim{
			judgeNodes(env.Profile, p),
			judgeClasses(all),
		}
		res.Notes = table1Notes(p, all, rho)
		res.Status = complete
		return res, nil
	}
	return e
}

// judgeNodes judges C09 by the largest cluster on which this profile trains.
func judgeNodes(profile string, p *cluster.Platform) result.Claim {
	most := 0
	for _, net := range networks() {
		most = max(most, schoolingOf(profile, net).most())
	}
	return claims.Judge("C09", claims.Evidence{Value: most, Note: fmt.Sprintf(
		"the most nodes that this profile trains on; "+claims.Set+"; the platform has %d, and %s, which ASGD alone uses", len(p.Workers), servers(p))})
}

func servers(p *cluster.Platform) string {
	if p.Server == nil {
		return "no server"
	}
	return "one parameter server more"
}

// nClass is the task of one network on n nodes, as a training is configured: of how
// many classes, what its network tells apart, and which labels its images have.
type nClass struct {
	Network       network
	Nodes         int
	Classes       int // of the configuration
	Logits        int // of the network built for it
	Labels        int // that occur in the training and in the test images
	Train, Test   int // images
	Batch, Micros int
}

// taskOf reads the task off the configuration that trainings on so many nodes use.
func taskOf(w network, nodes int, profile string, set *datasets.Set) (nClass, error) {
	cfg := w.config(codedsgd.CSSGD, nodes, profile)
	t := nClass{Network: w, Nodes: cfg.Workers, Classes: cfg.Classes, Batch: cfg.BatchSize, Micros: microBlocks(nodes, redundancies...)}
	m, err := w.network(nodes)
	if err != nil {
		return t, err
	}
	t.Logits = m.Classes()
	own, err := set.FirstClasses(cfg.Classes)
	if err != nil {
		return t, err
	}
	t.Train, t.Test, t.Labels = own.Train.Len(), own.Test.Len(), min(distinct(own.Train.Labels), distinct(own.Test.Labels))
	return t, nil
}

func distinct(labels []uint8) (n int) {
	var seen [256]bool
	for _, l := range labels {
		if !seen[l] {
			seen[l] = true
			n++
		}
	}
	return n
}

// fault says in what a task is not of as many classes as there are nodes; "": in
// nothing.
func (t nClass) fault() string {
	if t.Classes == t.Nodes && t.Logits == t.Nodes && t.Labels == t.Nodes {
		return ""
	}
	return fmt.Sprintf("%s on %d nodes: configured for %d classes, %d logits, images of %d classes", t.Network.Title, t.Nodes, t.Classes, t.Logits, t.Labels)
}

// judgeClasses judges C24 on the configurations of all trainings.
func judgeClasses(all []nClass) result.Claim {
	for _, t := range all {
		if f := t.fault(); f != "" {
			return identity("C24", false, f, "")
		}
	}
	return identity("C24", true, "", fmt.Sprintf(claims.SetAsStated+": configuration, network and images of both networks on %d to %d nodes", fewest, most))
}
