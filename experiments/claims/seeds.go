package claims

import (
	_ "embed"
	"fmt"
	"strconv"
)

// seedsCSV lists claims that no affordable number of seeds resolves, with the number that a paired
// test at 5 % needs to find the stated effect in four of five runs. The standard deviation is that of
// the time averaged over five targets, in trials of 12 seeds of quick's ResNet-18. It was declared
// before the first run that is judged by that measure.
//
//go:embed seeds.csv
var seedsCSV []byte

var seedsFor = map[string]int{}

func init() {
	rows, err := table(seedsCSV, "id,seeds,why")
	for _, r := range rows {
		if err == nil {
			seedsFor[r[0]], err = strconv.Atoi(r[1])
		}
	}
	if err != nil {
		panic(fmt.Errorf("claims: seeds.csv: %w", err)) // the file is embedded: only a programmer can break it
	}
}

// SeedsFor returns how many seeds the sign of a claim's stated effect needs, where that was declared to
// be more than we can afford; 0: nothing was declared. With fewer the claim is undecided, whatever its
// interval: it is too likely to miss the effect, or to find one by chance.
func SeedsFor(id string) int { return seedsFor[id] }
