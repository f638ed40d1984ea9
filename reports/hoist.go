package reports

import (
	"slices"
	"strings"
)

// commonWhy is what several claims of a result would each say under Why.
type commonWhy struct{ For, Text string }

// oftenEnough is how many claims must share a clause before it is said once;
// longEnough is how many bytes a clause must have if only some of them do, since
// short words are clearer in their row.
const (
	oftenEnough = 4
	longEnough  = 40
)

// hoistFound hoists what each profile says of many claims. What all profiles say
// of the same claims names no profile.
func hoistFound(rows []claimRow, judges []judge) []commonWhy {
	type said struct {
		commonWhy
		by []string
	}
	var all []said
	for p, j := range judges {
		for _, c := range slices.Concat(hoist(rows, p), hoistDiffers(rows, p)) {
			i := slices.IndexFunc(all, func(s said) bool { return s.commonWhy == c })
			if i < 0 {
				i = len(all)
				all = append(all, said{commonWhy: c})
			}
			all[i].by = append(all[i].by, j.Profile)
		}
	}
	var out []commonWhy
	for _, s := range all {
		if len(s.by) < len(judges) {
			s.For += ", " + inWords(s.by)
		}
		out = append(out, s.commonWhy)
	}
	return out
}

// hoistDiffers says once what differs from the paper for many claims.
func hoistDiffers(rows []claimRow, p int) []commonWhy {
	out := oneLineEach(hoistShared(rows, oftenEnough, "", func(r claimRow) []string { return r.Found[p].Differs },
		func(r *claimRow, part string) {
			r.Found[p].Differs = slices.DeleteFunc(r.Found[p].Differs, func(d string) bool { return d == part })
		}))
	for i := range out {
		out[i].Text = "what differs: " + out[i].Text
	}
	return out
}

// hoist takes clauses that many rows share out of what profile p says under Why,
// so that they stand once above the rows with the ids they hold for. Nothing is
// lost. The first clause is what the verdict follows from: a row that gives it up
// keeps all its others or none, and says that its reason stands above.
func hoist(rows []claimRow, p int) []commonWhy {
	holds, order := sharedClauses(rows, p)
	var out []commonWhy
	for _, clause := range order {
		at := holds[clause]
		who := "Each of these"
		if len(at) < len(rows) {
			who = span(rows, at)
		}
		if n := len(out); n > 0 && out[n-1].For == who {
			out[n-1].Text += "; " + clause
		} else {
			out = append(out, commonWhy{who, clause})
		}
		for _, i := range at {
			f := &rows[i].Found[p]
			all := clauses(f.Why)
			rest := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return c == clause })
			f.Above = f.Above || all[0] == clause
			f.Why = strings.Join(rest, "; ")
		}
	}
	return out
}

// sharedClauses lists the clauses that enough rows have to be said once, in the order in which
// they are met, and the rows that give each up.
func sharedClauses(rows []claimRow, p int) (holds map[string][]int, order []string) {
	own := make([]bool, len(rows)) // keeps all but its first clause
	for {
		holds, order = map[string][]int{}, nil
		for i, r := range rows {
			for k, clause := range clauses(r.Found[p].Why) {
				if own[i] && k > 0 {
					break
				}
				if holds[clause] == nil {
					order = append(order, clause)
				}
				if !slices.Contains(holds[clause], i) {
					holds[clause] = append(holds[clause], i)
				}
			}
		}
		order = slices.DeleteFunc(order, func(c string) bool {
			few := len(holds[c]) < oftenEnough || len(holds[c]) < len(rows) && len(c) < longEnough
			if few {
				delete(holds, c)
			}
			return few
		})
		again := false
		for i, r := range rows {
			all := clauses(r.Found[p].Why)
			if own[i] || len(all) == 0 || holds[all[0]] == nil || !slices.ContainsFunc(all, func(c string) bool { return holds[c] == nil }) {
				continue
			}
			own[i], again = true, true
		}
		if !again {
			return holds, order
		}
	}
}

// clauses splits a reason at its semicolons.
func clauses(why string) []string {
	if why == "" {
		return nil
	}
	return strings.Split(why, "; ")
}

// follows reports whether b is the id after a: D10 after D09.
func follows(a, b string) bool {
	pa, na := splitStem(a)
	pb, nb := splitStem(b)
	return pa == pb && nb == na+1
}

// span names the rows at the given places: "D10–D14, D16".
func span(rows []claimRow, at []int) string {
	var parts []string
	for i := 0; i < len(at); {
		j := i
		for j+1 < len(at) && follows(rows[at[j]].ID, rows[at[j+1]].ID) {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, rows[at[i]].ID)
		case j == i+1:
			parts = append(parts, rows[at[i]].ID, rows[at[j]].ID)
		default:
			parts = append(parts, rows[at[i]].ID+"–"+rows[at[j]].ID)
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
