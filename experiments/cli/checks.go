package cli

// checks are all checks of verify, group by group.
func checks() []check {
	var out []check
	for _, group := range []func() []check{ringChecks, sparseChecks, daspChecks, runChecks, claimChecks} {
		out = append(out, group()...)
	}
	return out
}
