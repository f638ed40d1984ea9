package reports

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	result "gradsync/experiments/result1"
)

// units keeps a number and its unit on one line.
func units(s string) string { return united.ReplaceAllString(s, "$1"+nbsp+"$2") }

// tie does that, and gives a negative number its minus.
func tie(s string) string { return negative.ReplaceAllString(units(s), "$1−$2") }

// unitsHTML is units for the words of HTML: not in tags, and not in code, which is copied.
func unitsHTML(s string) string {
	return pieces.ReplaceAllStringFunc(s, func(piece string) string {
		if strings.HasPrefix(piece, "<") {
			return piece
		}
		return units(piece)
	})
}

var (
	united   = regexp.MustCompile(`(\d) (%|(?:[mµn]?s|min|[kMGT]B|[KMGT]iB|[kMGT]b/s|GFLOP/s|bits?|bytes|points)\b)`)
	pieces   = regexp.MustCompile(`(?s)<(?:code|pre)\b.*?</(?:code|pre)>|<[^>]*>|[^<]+`)
	negative = regexp.MustCompile(`(^|[\s(\[])-(\d)`)
	commas   = regexp.MustCompile(`\{[^{}]*\}`)
	span2    = regexp.MustCompile(`^\d+(\.\d+)?-\d+(\.\d+)?$`)
	// typed are signs as a keyboard has them beside what a page prints; a
	// comparison clings to what follows it, so that a line breaks before it.
	typed = strings.NewReplacer("+-", "±", "<= ", "≤"+nbsp, ">= ", "≥"+nbsp, "<=", "≤", ">=", "≥", " x ", " × ", "->", "→")
	// What formulas are typed with. Names such as ResNet-18 and r* stay.
	times   = regexp.MustCompile(`([\w)′″])( ?)\*( ?)([\w(])`)
	minus   = regexp.MustCompile(`\b([Nnkr])-(\d|r)\b`)
	minusOf = regexp.MustCompile(`([\w)])-(\(|eta\b|C\()`)
	primes  = regexp.MustCompile(`\b(P[wg])(''?)`)
	eta     = regexp.MustCompile(`\beta\b`)
	inf     = regexp.MustCompile(`→inf\b`)
)

// formulae are typed formulas with their proper letters:
// "Pw = eta*Pg'+(N-1)*W0" is Pw = η·Pg′+(N−1)·W0.
func formulae(s string) string {
	s = primes.ReplaceAllStringFunc(s, func(p string) string { return p[:2] + map[int]string{1: "′", 2: "″"}[len(p)-2] })
	for range 2 { // the operands of a product of three overlap
		s = times.ReplaceAllString(s, "$1$2·$3$4")
	}
	s = minusOf.ReplaceAllString(minus.ReplaceAllString(s, "$1−$2"), "$1−$2")
	return inf.ReplaceAllString(eta.ReplaceAllString(s, "η"), "→∞")
}

// pretty prints typed mathematics with its proper signs and lets the members of
// a set break lines.
func pretty(s string) string {
	s = commas.ReplaceAllStringFunc(s, func(set string) string {
		return strings.ReplaceAll(strings.ReplaceAll(set, ", ", ","), ",", ", ")
	})
	return tie(formulae(typed.Replace(s)))
}

// claimValues prints the paper's and our value of a claim. Where both are lists
// of numbers of one length, ours takes the decimals of the paper's; each number
// stands behind what it is of.
func claimValues(c result.Claim) (p, o string) {
	ours := c.Measured
	ps, ok := c.Paper.(string)
	qs, also := ours.(string)
	if ok && also {
		ours = likeList(ps, qs)
	}
	return claimValue(labelled(c.ID, c.Paper), c.Unit), claimValue(labelled(c.ID, ours), c.Unit)
}

// claimValue is value with its typed signs replaced and its ranges dashed.
func claimValue(v any, unit string) string {
	s, ok := v.(string)
	if !ok {
		return value(v, unit)
	}
	if span2.MatchString(s) {
		return withUnit(strings.Replace(s, "-", "–", 1), unit)
	}
	return pretty(s)
}

// likeList prints the numbers of list with as many decimals as those of model,
// in the layout of model; anything else comes back as it is.
func likeList(model, list string) string {
	ms, ls := strings.Split(model, "; "), strings.Split(list, "; ")
	if len(ms) < 2 || len(ms) != len(ls) {
		return list
	}
	for i := range ls {
		x, err := strconv.ParseFloat(ls[i], 64)
		if _, bad := strconv.ParseFloat(ms[i], 64); err != nil || bad != nil {
			return list
		}
		_, decimals, _ := strings.Cut(ms[i], ".")
		ls[i] = strings.Replace(strconv.FormatFloat(x, 'f', len(decimals), 64), "-", "−", 1)
	}
	return strings.Join(ls, "; ")
}

// hoistTerms takes what most claims of a result repeat in their last brackets,
// such as the cluster, out of the claims, so that it stands once above them with
// the ids that it holds for. What only some share tells the rows apart and
// stays. Nothing is lost.
func hoistTerms(rows []claimRow) []commonWhy {
	bracketed := 0
	terms := func(r claimRow) []string {
		_, ts := splitTerms(r.Statement)
		return ts
	}
	for _, r := range rows {
		if len(terms(r)) > 0 {
			bracketed++
		}
	}
	return hoistShared(rows, max(oftenEnough, bracketed/2+1), "", terms, func(r *claimRow, term string) {
		stem, ts := splitTerms(r.Statement)
		r.Statement = stem
		if ts = slices.DeleteFunc(ts, func(t string) bool { return t == term }); len(ts) > 0 {
			r.Statement += " (" + strings.Join(ts, "; ") + ")"
		}
	})
}

// hoistSources says once where many claims of a result stand in the paper.
func hoistSources(rows []claimRow) []commonWhy {
	return hoistShared(rows, oftenEnough, "source: ", func(r claimRow) []string { return []string{r.Source} },
		func(r *claimRow, _ string) { r.Source = "" })
}

// hoistShared takes out of the rows each of their parts that at least enough of
// them have, and lists them with the ids they hold for.
func hoistShared(rows []claimRow, enough int, word string, parts func(claimRow) []string, take func(*claimRow, string)) []commonWhy {
	holds := map[string][]int{} // part to its rows
	var order []string
	for i, r := range rows {
		for _, p := range parts(r) {
			if holds[p] == nil {
				order = append(order, p)
			}
			holds[p] = append(holds[p], i)
		}
	}
	var out []commonWhy
	for _, p := range order {
		if len(holds[p]) < enough {
			continue
		}
		who := "Each of these"
		if len(holds[p]) < len(rows) {
			who = span(rows, holds[p])
		}
		out = append(out, commonWhy{who, word + p})
		for _, i := range holds[p] {
			take(&rows[i], p)
		}
	}
	return out
}

// oneLineEach joins what holds for the same claims.
func oneLineEach(common []commonWhy) []commonWhy {
	var out []commonWhy
	for _, c := range common {
		if i := slices.IndexFunc(out, func(o commonWhy) bool { return o.For == c.For }); i >= 0 {
			out[i].Text += "; " + c.Text
			continue
		}
		out = append(out, c)
	}
	return out
}

// splitTerms cuts "words (a; b)" into the words and the terms in brackets.
// Nested brackets are left alone.
func splitTerms(s string) (stem string, terms []string) {
	stem, inner, ok := strings.Cut(s, " (")
	if !ok || !strings.HasSuffix(inner, ")") || strings.ContainsAny(inner[:len(inner)-1], "()") {
		return s, nil
	}
	return stem, strings.Split(inner[:len(inner)-1], "; ")
}
