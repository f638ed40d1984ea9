package reports

import (
	"regexp"
	"strings"
)

// A claim's words are what the source says, and in brackets under which conditions. Some
// brackets hold, besides, what we found of the text itself: that it contradicts another
// place, that its formula was lost. The first is what a reader judges by; the second
// belongs to the reasons.

// aside is a term in a claim's brackets that speaks of the text and not of conditions: it
// begins with a verdict in capitals, or says that something is lost, rebuilt, not defined,
// misprinted, or worked out by us. Whoever adds such a term to claims.csv in other words
// adds the words here.
var aside = regexp.MustCompile(`^(?:FALSE|INCONSISTENT|OPPOSITE|CONFLICTS|NOT SUPPORTED)\b` +
	`|^(?:reconstructed|derived|text error|only as|compare halving|loses at|algebra checked|all versions agree|confirmed in|no number anywhere)\b` +
	`|\blost$|\bundefined$|^sign of \w+ should be\b|\bmust be read as\b`)

// capitals are the verdicts that begin an aside, which a page does not shout.
var capitals = regexp.MustCompile(`^(?:FALSE|INCONSISTENT|OPPOSITE|CONFLICTS|NOT SUPPORTED)\b`)

// splitAsides parts a claim's words from what is said of its text. A claim without asides
// comes back as it was.
func splitAsides(statement string) (claim, asides string) {
	claim = statement
	var groups []string // of brackets at the end, the last first
	for {
		stem, inner, ok := lastBrackets(claim)
		if !ok {
			break
		}
		claim, groups = stem, append(groups, inner)
	}
	var found []string
	for i := len(groups) - 1; i >= 0; i-- {
		var stay []string
		terms := clausesOf(groups[i])
		for k, t := range terms {
			if !aside.MatchString(t) {
				stay = append(stay, t)
				continue
			}
			if head, _, colon := strings.Cut(t, ":"); colon && !strings.Contains(head, "(") {
				found = append(found, unshouted(strings.Join(terms[k:], "; "))) // its list goes on to the end
				break
			}
			found = append(found, unshouted(t))
		}
		if len(stay) > 0 {
			claim += " (" + strings.Join(stay, "; ") + ")"
		}
	}
	if len(found) == 0 {
		return statement, ""
	}
	return claim, strings.Join(found, "; ")
}

// lastBrackets cuts the brackets with which s ends, nested ones and all, and the space
// before them.
func lastBrackets(s string) (stem, inner string, ok bool) {
	if !strings.HasSuffix(s, ")") {
		return s, "", false
	}
	deep := 0
	for i := len(s) - 1; i > 0; i-- {
		switch s[i] {
		case ')':
			deep++
		case '(':
			if deep--; deep == 0 {
				return s[:i-1], s[i+1 : len(s)-1], s[i-1] == ' '
			}
		}
	}
	return s, "", false
}

func unshouted(s string) string { return capitals.ReplaceAllStringFunc(s, strings.ToLower) }
