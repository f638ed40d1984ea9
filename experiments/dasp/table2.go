package dasp

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// table2 is the workers of the heterogeneous cluster.
func table2() exp.Experiment {
	return stated("dasp/table2", "Heterogeneous cluster: assumed hardware", "DASP, Table 2", func(res *result.Result, _ exp.Env) {
		p := load(heterogeneous)
		res.Config = map[string]any{"platform": p}
		res.Tables = []result.Table{hostTable(p), assumptionTable(p)}
		res.Notes = []string{"The body of the paper's Table 2 is lost. Every device and link here is our assumption, with its reason and how sure we are."}
	})
}
