package reports

import (
	"gradsync/experiments/result"
	"gradsync/reports/page"
	"gradsync/reports/ran"
)

// Counts counts the claims of documents below root by the words of pages, without restatements and what is out
// of scope: in the results of a profile, or, of profile "", in those that the stories tell. n is the number of
// results that it read.
func Counts(root, profile string, documents ...string) (n int, counts []page.VerdictCount, err error) {
	var all []result.Claim
	for _, key := range documents {
		if profile != "" {
			rs, err := loadProfile(root, key, profile)
			if err != nil {
				return 0, nil, err
			}
			for _, l := range rs {
				n, all = n+1, append(all, l.Claims...)
			}
			continue
		}
		rs, err := loadPaper(root, key)
		if err != nil {
			return 0, nil, err
		}
		for _, e := range byExperiment(rs) {
			if l := firstTold(e); l != nil {
				n, all = n+1, append(all, l.Claims...)
			}
		}
	}
	return n, counted(all), nil
}

// Bits says how many results of a profile have the published bits, and of each of the others which it is and
// why it has not, or may not.
func Bits(root, profile string, documents ...string) (same, all int, others []string, err error) {
	for _, key := range documents {
		rs, err := loadProfile(root, key, profile)
		if err != nil {
			return 0, 0, nil, err
		}
		if len(rs) == 0 {
			continue
		}
		box, err := ran.Compare(root, files(rs), publishedJSON)
		if err != nil {
			return 0, 0, nil, err
		}
		n, why := box.Bits()
		same, all, others = same+n, all+len(rs), append(others, why...)
	}
	return same, all, others, nil
}
