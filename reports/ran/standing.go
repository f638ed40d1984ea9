package ran

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// standing compares a result on a page with the published one.
type standing string

const (
	unpublished standing = "unpublished" // there is none of its id and profile
	itself      standing = "itself"      // the committed one, with that one's record: nothing was run
	changed     standing = "changed"     // its record names other bytes
	unrecorded  standing = "unrecorded"  // it has that one's bits, and no record says that it was run
	same        standing = "same"        // run anew, it has that one's bits
	apart       standing = "apart"       // run otherwise, it must have other bits
	other       standing = "other"       // run alike, it has other bits
)

// stand compares a result that lies below root with the published one, if there is one.
// seedless says that the two files differ in their lists of seeds and nowhere else: then
// no seed decided any number.
func stand(root string, r File, p published, ok bool) (s standing, seedless bool) {
	if r.Stale {
		return changed, false
	}
	if !ok {
		return unpublished, false
	}
	seedless = r.SHA256 != p.SHA256 && sameButSeeds(root, r, p)
	switch {
	case r.SHA256 != p.SHA256 && !seedless && len(whyApart(r, p)) > 0:
		return apart, false
	case r.SHA256 != p.SHA256 && !seedless:
		return other, false
	case r.Run == nil || r.Run.ResultSHA256 == "":
		return unrecorded, seedless
	case p.Run != "" && recordSum(r.Run) == p.Run:
		return itself, false
	}
	return same, seedless
}

// sameButSeeds reads a result again and gives it the published list of seeds.
func sameButSeeds(root string, l File, p published) bool {
	if slices.Equal(l.Seeds, p.Seeds) || l.ConfigSHA256 != p.Config {
		return false
	}
	r, err := result.Read(result.Path(root, l.ID, l.Profile))
	if err != nil {
		return false
	}
	r.Seeds = p.Seeds
	raw, err := result.Encode(r)
	return err == nil && result.Sum(raw) == p.SHA256
}

// whyApart returns the reasons for which a result cannot have the published bits, however
// right it is.
func whyApart(r File, p published) []reason {
	var why []reason
	mine := factsOf(r)
	if r.Status != "complete" {
		why = append(why, reason{What: said{"the run was interrupted", "运行被中断"}})
	}
	given, theirs := flagOf(mine.Command, "--seeds"), flagOf(p.Command, "--seeds")
	switch {
	case !slices.Equal(mine.Seeds, p.Seeds):
		why = append(why, reason{said{"other seeds", "种子不同"}, notebook.Alike(cmp.Or(seeds(mine.Seeds), "–")), notebook.Alike(cmp.Or(seeds(p.Seeds), "–"))})
	case mine.Config != p.Config && given != theirs && mine.Command != "" && p.Command != "":
		why = append(why, reason{said{"other seeds", "种子不同"}, notebook.Alike(cmp.Or(given, defaultSeeds)), notebook.Alike(cmp.Or(theirs, defaultSeeds))})
	}
	if !slices.Equal(mine.Data, p.Data) {
		why = append(why, reason{said{"other data", "数据不同"}, notebook.Alike(shortSets(mine.Data)), notebook.Alike(shortSets(p.Data))})
	}
	if mine.Engine != p.Engine && mine.Engine != "" && p.Engine != "" {
		why = append(why, reason{said{"another engine", "引擎不同"}, engineName(mine.Engine), engineName(p.Engine)})
	}
	return why
}

// defaultSeeds are the seeds of a command that names none.
const defaultSeeds = "0,1,2"

// comparable returns the command whose result has the published seeds and engine; "" where
// the data are others, which no flag decides.
func comparable(r File, p published) string {
	mine := factsOf(r)
	if p.Command == "" || !slices.Equal(mine.Data, p.Data) {
		return ""
	}
	c := page.Program + " run " + r.ID + " --profile " + r.Profile + " --seeds " + cmp.Or(flagOf(p.Command, "--seeds"), defaultSeeds)
	if e := flagOf(p.Command, "--engine"); e != "" && mine.Engine != p.Engine {
		c += " --engine " + e
	}
	return c
}

// flagOf returns the value of a flag of a command, "" where it has none.
func flagOf(command, name string) string {
	words := strings.Fields(command)
	for i, w := range words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return value
		}
		if w == name && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// whyOther says why the bits of a result that was run alike are not the published ones,
// as far as both files tell; and where nothing differs, that they should not be. agree
// are the commits of which other results have the published bits.
func whyOther(r File, p published, agree map[string]bool) []reason {
	var why []reason
	differ := func(what said, mine, theirs string) {
		if mine != theirs && known(mine) && known(theirs) {
			why = append(why, reason{what, notebook.Alike(mine), notebook.Alike(theirs)})
		}
	}
	mine := factsOf(r)
	if mine.Config != p.Config {
		why = append(why, reason{said{"other settings in the experiment, by the hash of its configuration", "实验设置不同（配置的哈希值）"},
			notebook.Alike(mine.Config[:min(12, len(mine.Config))] + "…"), notebook.Alike(p.Config[:min(12, len(p.Config))] + "…")})
	}
	differ(said{"another system", "系统不同"}, mine.Platform, p.Platform)
	if !agree[mine.Commit] {
		differ(said{"another commit", "提交不同"}, mine.Commit, p.Commit)
	}
	if r.Run != nil && r.Run.Dirty {
		why = append(why, reason{What: said{"changes that no commit holds", "有未提交的修改"}})
	}
	differ(said{"another Go", "Go 版本不同"}, mine.Go, p.Go)
	switch {
	case len(why) > 0:
		return why
	case !known(mine.Commit):
		return []reason{{What: said{"same settings, other bits, and which commit made them is unknown", "设置相同而结果不同，且由哪个提交得到未知"}}}
	case mine.Commit != p.Commit:
		return []reason{{What: said{"same settings, other bits, though other results of this commit have the published ones", "设置相同而结果不同，但同一提交的其他结果与发布的逐位相同"}}}
	}
	return []reason{{What: said{"same settings, other bits: please report this", "设置相同而结果不同：请报告"}}}
}

// known reports whether a record says a thing: a program built outside a repository
// names its commit "unknown".
func known(s string) bool { return s != "" && s != "unknown" }

// shortSets shortens the hashes of data sets for a reader.
func shortSets(sets []string) string {
	var out []string
	for _, s := range sets {
		i := strings.LastIndex(s, " ")
		out = append(out, fmt.Sprintf("%s (%.12s…)", s[:i], s[i+1:]))
	}
	return cmp.Or(strings.Join(out, " / "), "–")
}
