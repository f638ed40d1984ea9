package claims

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
)

// The verdicts of committed numbers are those that the rules of today give their intervals.
func TestCommittedVerdictsFollowTheRules(t *testing.T) {
	judged := 0
	err := filepath.WalkDir("../results", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".run.json") {
			return err
		}
		r, err := result.Read(path)
		if err != nil {
			return err
		}
		for _, x := range r.Claims {
			c, _ := Get(x.ID)
			f := Found{CI95: x.CI95, Seeds: x.Seeds, Differs: x.Differs}
			switch m := x.Measured.(type) {
			case float64:
				f.Values = []float64{m}
			case []any:
				for _, v := range m {
					f.Values = append(f.Values, v.(float64))
				}
			}
			bySign := slices.ContainsFunc(x.Reasons, func(r result.Reason) bool { return strings.HasPrefix(r.Code, "sign-test") })
			number := slices.Contains([]string{Equal, Within, SameSign, Differs, Undecided}, x.Verdict) && len(f.Values) > 0 && f.CI95 != nil
			if !number || bySign || len(c.Numbers()) != len(f.Values) || x.Found != nil {
				continue
			}
			judged++
			if got := Verdict(x.ID, f); got.Verdict != x.Verdict {
				t.Errorf("%s: %s is %s, the rules say %s (%v)", path, x.ID, x.Verdict, got.Verdict, got.Reasons)
			}
		}
		return nil
	})
	if err != nil || judged < 50 {
		t.Errorf("%d judged, %v", judged, err)
	}
}
