package claims

// The plain words of verdicts: what a page says, counts and draws. Results and tables of numbers keep the
// finer verdicts.
const (
	WordHolds     = "holds"     // equal, within, or a sentence that holds
	WordDirection = "direction" // same sign: the direction holds, the size does not
	WordNot       = "not"       // differs
	WordDepends   = "depends"   // on a choice that the document leaves open
	WordCannot    = "cannot"    // undecided: the runs are too few to tell
	WordNoCase    = "no-case"   // both methods did exactly the same
	WordInput     = "input"     // we set the number
	WordNotRun    = "not-run"   // nothing here could judge it
	WordOwn       = "own"       // the document states no value: ours, which nothing counts
)

// Words lists the plain words in the order of pages. The first four are findings.
var Words = []string{WordHolds, WordDirection, WordNot, WordDepends, WordCannot, WordNoCase, WordInput, WordNotRun, WordOwn}

// Findings is how many of Words are findings.
const Findings = 4

// Most returns the word that most of some claims have; of as many, the one that speaks most against them.
func Most(words []string) (most string) {
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	for _, w := range []string{WordNot, WordDepends, WordDirection, WordHolds, WordCannot, WordNoCase, WordInput, WordNotRun, WordOwn} {
		if counts[w] > counts[most] {
			most = w
		}
	}
	return most
}

var wordOf = map[string]string{Equal: WordHolds, Within: WordHolds, Holds: WordHolds, SameSign: WordDirection, Differs: WordNot,
	dependsOnReading: WordDepends,
	Undecided:        WordCannot, NoCase: WordNoCase, Input: WordInput, NotRun: WordNotRun, NotStated: WordOwn}

// Word returns the plain word of a verdict, "" of what is none.
func Word(verdict string) string { return wordOf[verdict] }
