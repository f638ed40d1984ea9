package codedsgd

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

// gradientUnits is the unit of loads: one whole gradient of one block.
const gradientUnits = "gradient-units"

// takes returns an estimate that profile ci differs in.
func takes(ci, rest float64) func(string, int) float64 {
	return func(profile string, _ int) float64 {
		if profile == "ci" {
			return ci
		}
		return rest
	}
}

// listed spells a list as a key: "0,2".
func listed(xs []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(xs)), ","), "[]")
}

// addData notes that r was trained or counted on d too; a set is listed once.
func addData(r *result.Result, d result.Data) {
	if !slices.ContainsFunc(r.Data, func(x result.Data) bool { return x.Name == d.Name }) {
		r.Data = append(r.Data, d)
	}
}
