package reports

import (
	"fmt"
	"strings"
)

// fact is one line of a provenance block.
type fact struct {
	Name, Value string
	Code        bool
	Words       bool // has Chinese; names, versions and times are the same in both languages
	Warn        bool
	SHA256      string // follows the value
}

// provenance lists what a reader needs to run a result again and to compare
// the bytes, in a fixed order.
func provenance(r loaded) []fact {
	fs := []fact{}
	add := func(name, value string) {
		if value != "" {
			fs = append(fs, fact{Name: name, Value: value})
		}
	}
	say := func(name, value string) {
		if value != "" {
			fs = append(fs, fact{Name: name, Value: value, Words: true})
		}
	}
	code := func(name, value string) {
		if value != "" {
			fs = append(fs, fact{Name: name, Value: value, Code: true})
		}
	}
	if r.Run == nil {
		fs = append(fs, fact{Name: "run", Value: "No record of the run lies beside this result: command, commit and machine are unknown.", Words: true, Warn: true})
	} else {
		code("command", r.Run.Command)
		say("how", inWords(kindsOf(r.Result))+": "+kindMeans(kindsOf(r.Result)))
		code("commit", r.Run.Commit)
		switch {
		case r.Run.Dirty:
			fs = append(fs, fact{Name: "changes", Value: "The working tree had changes that no commit holds.", Words: true, Warn: true})
		case known(r.Run.Commit):
			say("changes", "none: the working tree was clean")
		default:
			say("changes", "unknown")
		}
		add("version", r.Run.Version)
		add("Go", strings.TrimSpace(fmt.Sprintf("%s %s, GOMAXPROCS %d", r.Run.Go, r.Run.Platform, r.Run.GOMAXPROCS)))
		add("CPU", r.Run.CPU)
		say("accelerator", r.Run.Accelerator)
	}
	say("engine", engine(r))
	if len(r.Seeds) > 0 && seedless(r.Result) {
		say("seeds", seeds(r.Seeds)+" given; "+noSeed)
	} else {
		say("seeds", seeds(r.Seeds))
	}
	for _, d := range r.Sets() {
		text := fmt.Sprintf("%s (%s), %s training and %s test images", d.Name, d.Origin, number(float64(d.Train), 0), number(float64(d.Test), 0))
		if d.Note != "" {
			text += "; " + d.Note
		}
		say("data", text)
		code("data sha256", d.SHA256)
	}
	code("configuration sha256", r.ConfigSHA256)
	if r.Run != nil {
		add("started", r.Run.Started)
		say("wall time", wallTime(r))
		if r.Run.PeakRSSBytes > 0 {
			add("peak memory", bytesOf(r.Run.PeakRSSBytes))
		}
	}
	code("result sha256", r.SHA256)
	if r.Stale {
		fs = append(fs, fact{Name: "warning", Warn: true, Words: true, SHA256: r.Run.ResultSHA256,
			Value: "Command, commit and machine above may not be this result’s: the record of the run names another result, sha256"})
	}
	add("schema", r.Schema)
	return fs
}

// wallTime is how long the run took, "" where its record does not say.
func wallTime(r loaded) string {
	if r.Run.WallSeconds <= 0 {
		return ""
	}
	took := seconds(r.Run.WallSeconds)
	if len(r.Sets()) > 0 {
		took += ", without trainings that were finished before"
	}
	return took
}

// engine prefers the result's own word, which is compared, to the sidecar's.
func engine(r loaded) string {
	if r.Engine != "" || r.Run == nil {
		return r.Engine
	}
	return r.Run.Engine
}

func seeds(ss []uint64) string {
	words := make([]string, len(ss))
	for i, s := range ss {
		words[i] = fmt.Sprint(s)
	}
	return strings.Join(words, ", ")
}
