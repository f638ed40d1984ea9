// Package ran says how results came about: the provenance of each (Provenance), and the box
// "What I ran" of a page that is handed in (Compare), which sets results beside the published
// ones (List). It reads result files and the records beside them, and no clock.
package ran

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/internal/readfile"
	"gradsync/reports/notebook"
)

// said is a text in both languages.
type said = notebook.Both

// DefaultProfile names the profile whose results lie directly in a paper's folder and whose
// anchors carry no suffix.
const DefaultProfile = "quick"

// File is a result with the record of its run and the facts of both files.
type File struct {
	*result.Result
	Run    *result.Run // nil: no sidecar
	Stem   string      // "table5"
	SHA256 string      // of the result file's bytes
	Stale  bool        // the sidecar belongs to other bytes
}

// Read reads a result file and, where it is there, the record beside it.
func Read(path string) (File, error) {
	r, err := result.Read(path)
	if err != nil {
		return File{}, err
	}
	raw, err := readfile.Limited(path, result.MaxFile)
	if err != nil {
		return File{}, err
	}
	f := File{Result: r, Stem: strings.TrimSuffix(filepath.Base(path), ".json"), SHA256: result.Sum(raw)}
	if f.Run, err = result.ReadRun(path); errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return File{}, err
	}
	f.Stale = f.Run.ResultSHA256 != "" && f.Run.ResultSHA256 != f.SHA256
	return f, nil
}

// Anchor returns the id of the result's section on the page.
func (f File) Anchor() string {
	if f.Profile == DefaultProfile {
		return f.Stem
	}
	return f.Stem + "-" + f.Profile
}

// Box holds the box "What I ran" of a page that is handed in: one page holds the
// results of one person's runs, and the box says whether they are the published ones.
type Box struct {
	Commands []string // in the order of the page, each once
	Facts    []boxLine
	Results  []row
	Changes  said // uncommitted ones: yes, none recorded or unknown

	Seedless int  // results with the published bits but for their list of seeds
	NoRecord int  // results without a record of their run
	Dirty    bool // a run's tree had changes that no commit holds

	// Partial says that the page's results are not all the published ones, of which its
	// texts tell. Claims of AllClaims have a result on it.
	Partial           bool
	Claims, AllClaims int

	count map[standing]int
}

// row is one result beside the published one of its profile.
type row struct {
	ID, Profile, Anchor string
	SHA256, Started     string
	Standing            standing
	Seedless            bool     // the bits are the published ones but for the list of seeds
	Why                 []reason // where the bits are others
	Command             string   // whose result could be compared; "" where that is not known
}

// reason is one reason for other bits: What, in words, and the two values where
// there are two.
type reason struct {
	What, Mine, Published said
}

// Compare sets the results of a page, which lie below root, beside the published ones, as
// List wrote them. There is at least one result, and all are of one document.
func Compare(root string, rs []File, list []byte) (*Box, error) {
	pub, err := read(list)
	if err != nil {
		return nil, err
	}
	return compare(root, rs, pub), nil
}

func compare(root string, rs []File, pub map[string]published) *Box {
	v := &Box{count: map[standing]int{}}
	var own []File
	for _, r := range rs {
		p, ok := pub[keyOf(r.Result)]
		x := row{ID: r.ID, Profile: r.Profile, Anchor: r.Anchor(), SHA256: r.SHA256}
		x.Standing, x.Seedless = stand(root, r, p, ok)
		if x.Seedless && x.Standing == same {
			v.Seedless++
		}
		v.count[x.Standing]++
		if r.Run == nil {
			v.NoRecord++
		} else {
			x.Started = utc(r.Run.Started)
		}
		if x.Standing != itself {
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
	v.Commands = values(own, func(r File) string {
		if r.Run == nil {
			return ""
		}
		return r.Run.Command
	})
	v.Facts, v.Changes = boxLines(own), changes(own)
	return v
}

// Bits counts the results that have the published bits, and says of each other which it is and why it has not.
func (v *Box) Bits() (n int, others []string) {
	for _, x := range v.Results {
		var why []string
		switch x.Standing {
		case same, itself, unrecorded:
			n++
			continue
		case unpublished:
			why = []string{"none is published of this profile"}
		}
		for _, r := range x.Why {
			says := r.What.En()
			if mine := r.Mine.En(); mine != "" {
				says += " (" + mine + "; published: " + r.Published.En() + ")"
			}
			why = append(why, says)
		}
		others = append(others, x.ID+": "+strings.Join(why, "; "))
	}
	return n, others
}

// explain gives each result that has other bits its reasons. A commit whose other
// results have the published bits is none.
func (v *Box) explain(rs []File, pub map[string]published) {
	agree := map[string]bool{}
	for i, r := range rs {
		if v.Results[i].Standing == same && r.Run != nil {
			agree[r.Run.Commit] = true
		}
	}
	for i, r := range rs {
		x, p := &v.Results[i], pub[keyOf(r.Result)]
		switch x.Standing {
		case changed:
			x.Why = []reason{{What: said{"the file was changed after its run: the record names other bytes", "文件在运行之后被改动：运行记录对应另一份内容"}}}
			if p.SHA256 == r.SHA256 {
				x.Why = append(x.Why, reason{What: said{"its bytes are now the published ones", "现在的内容与发布的逐位相同"}})
			}
		case apart:
			x.Why, x.Command = whyApart(r, p), comparable(r, p)
		case other:
			x.Why = whyOther(r, p, agree)
		}
	}
}

// whole finds out whether the page has every published result of its document, and no
// other, and how many of the claims have a result on it. Checks of profile ci are not
// what the texts tell of.
func (v *Box) whole(rs []File, pub map[string]published) {
	here, judged, every := map[string]bool{}, map[string]bool{}, map[string]bool{}
	paper := rs[0].ID[:strings.Index(rs[0].ID, "/")+1]
	for i, r := range rs {
		here[keyOf(r.Result)] = true
		v.Partial = v.Partial || !slices.Contains([]standing{itself, same, unrecorded}, v.Results[i].Standing)
		for _, c := range r.Claims {
			every[r.ID+" "+c.ID] = true
			if c.Verdict != "not-run" {
				judged[r.ID+" "+c.ID] = true
			}
		}
	}
	for key, p := range pub {
		id, profile, _ := strings.Cut(key, " ")
		if !strings.HasPrefix(id, paper) {
			continue
		}
		v.Partial = v.Partial || profile != "ci" && !here[key]
		for _, c := range p.Claims {
			every[id+" "+c] = true
		}
	}
	v.Claims, v.AllClaims = len(judged), len(every)
}
