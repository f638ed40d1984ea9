package reports

import (
	"slices"
	"strings"
)

// ranView is the box "What I ran" of a page that is handed in: one page holds the
// results of one person's runs, and the box says whether they are the published ones.
type ranView struct {
	Commands []string // in the order of the page, each once
	Facts    []ranFact
	Results  []ranResult
	Changes  said // uncommitted ones: yes, none recorded or unknown

	Seedless int  // results with the published bits but for their list of seeds
	NoRecord int  // results without a record of their run
	Dirty    bool // a run's tree had changes that no commit holds

	// Partial says that the page's results are not all the published ones, of which its
	// texts tell. Claims of AllClaims have a result on it.
	Partial           bool
	Claims, AllClaims int

	count map[ranStanding]int
}

// ranResult is one result beside the published one of its profile.
type ranResult struct {
	ID, Profile, Anchor string
	SHA256, Started     string
	Standing            ranStanding
	Seedless            bool     // the bits are the published ones but for the list of seeds
	Why                 []ranWhy // where the bits are others
	Command             string   // whose result could be compared; "" where that is not known
}

// ranWhy is one reason for other bits: What, in words, and the two values where
// there are two.
type ranWhy struct {
	What, Mine, Published said
}

// ranBox returns the box of a page that stands alone; nil, no box, where pages share a
// folder: those are for reading on, not for handing in.
func ranBox(o Options, rs []loaded) (*ranView, error) {
	if !o.SingleFile {
		return nil, nil
	}
	pub, err := embeddedPublished()
	if err != nil {
		return nil, err
	}
	return ran(o.Results, rs, pub), nil
}

// ran compares the results of a page, which lie below root, with the published ones.
func ran(root string, rs []loaded, pub map[string]published) *ranView {
	v := &ranView{count: map[ranStanding]int{}}
	var own []loaded
	for _, r := range rs {
		p, ok := pub[publishedKey(r.Result)]
		x := ranResult{ID: r.ID, Profile: r.Profile, Anchor: r.Anchor(), SHA256: r.SHA256}
		x.Standing, x.Seedless = stand(root, r, p, ok)
		if x.Seedless && x.Standing == ranSame {
			v.Seedless++
		}
		v.count[x.Standing]++
		if r.Run == nil {
			v.NoRecord++
		} else {
			x.Started = utc(r.Run.Started)
		}
		if x.Standing != ranItself {
			own = append(own, r)
		}
		v.Results = append(v.Results, x)
	}
	v.explain(rs, pub)
	v.whole(rs, pub)
	if len(own) == 0 {
		own = rs // whose they are, the box says
	}
	for _, r := range own {
		v.Dirty = v.Dirty || r.Run != nil && r.Run.Dirty
	}
	v.Commands = ranValues(own, func(r loaded) string {
		if r.Run == nil {
			return ""
		}
		return r.Run.Command
	})
	v.Facts, v.Changes = ranFacts(own), ranChanges(own)
	return v
}

// explain gives each result that has other bits its reasons. A commit whose other
// results have the published bits is none.
func (v *ranView) explain(rs []loaded, pub map[string]published) {
	agree := map[string]bool{}
	for i, r := range rs {
		if v.Results[i].Standing == ranSame && r.Run != nil {
			agree[r.Run.Commit] = true
		}
	}
	for i, r := range rs {
		x, p := &v.Results[i], pub[publishedKey(r.Result)]
		switch x.Standing {
		case ranChanged:
			x.Why = []ranWhy{{What: said{"the file was changed after its run: the record names other bytes", "文件在运行之后被改动：运行记录对应另一份内容"}}}
			if p.SHA256 == r.SHA256 {
				x.Why = append(x.Why, ranWhy{What: said{"its bytes are now the published ones", "现在的内容与发布的逐位相同"}})
			}
		case ranApart:
			x.Why, x.Command = whyApart(r, p), comparable(r, p)
		case ranOther:
			x.Why = whyOther(r, p, agree)
		}
	}
}

// whole finds out whether the page has every published result of its document, and no
// other, and how many of the claims have a result on it. Checks of profile ci are not
// what the texts tell of.
func (v *ranView) whole(rs []loaded, pub map[string]published) {
	here, judged, every := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, r := range rs {
		here[publishedKey(r.Result)] = true
		v.Partial = v.Partial || !slices.Contains([]ranStanding{ranItself, ranSame, ranUnrecorded}, v.Results[i].Standing)
		for _, c := range r.Claims {
			every[r.ID+" "+c.ID] = true
			if c.Verdict != "not-run" {
				judged[r.ID+" "+c.ID] = true
			}
		}
	}
	for key, p := range pub {
		id, profile, _ := strings.Cut(key, " ")
		if len(rs) == 0 || paperOf(id) != paperOf(rs[0].ID) {
			continue
		}
		v.Partial = v.Partial || profile != "ci" && !here[key]
		for _, c := range p.Claims {
			every[id+" "+c] = true
		}
	}
	v.Claims, v.AllClaims = len(judged), len(every)
}

// paperOf returns the document of an experiment: "dasp" of "dasp/table5".
func paperOf(id string) string {
	paper, _, _ := strings.Cut(id, "/")
	return paper
}
