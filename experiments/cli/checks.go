package cli

// checkSets make the checks of verify, group by group.
var checkSets = []func() []check{ringChecks, sparseChecks, daspChecks, codedChecks, runChecks, claimChecks}

// checks are all of them.
func checks() []check {
	var out []check
	for _, group := range checkSets {
		out = append(out, group()...)
	}
	return out
}
