// Package bench measures gradsync beside its peers. A Question is a Go benchmark of this package's tests, whose
// names say case and contender by keys and values, BenchmarkStep/model=lenet5/batch=64/threads=2/by=asm; peers in other
// languages (experiments/peers) print lines of the same form. A Runner starts contenders in turns, a process for each
// round of each, golang.org/x/perf reads and sums up what they print, and a Book holds all of it: BENCHMARKS.json, of
// which BENCHMARKS.md is made.
package bench

import (
	_ "embed"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gradsync/internal/strict"
)

// Question holds what one table answers.
type Question struct {
	Name  string // of the benchmark, without "Benchmark"
	Title string
	Note  string
	Rate  bool     // compared by bytes per second, not by seconds
	Ours  string   // the contender whose speed is divided by each peer's
	Peers []string // in the order of the columns
	Cases []string
	Only  map[string]string // cases that a contender takes, a regular expression; none: all
}

//go:embed questions.json
var questions []byte

// Questions lists the tables.
func Questions() []Question { return strict.Embedded[[]Question](questions) }

// Find returns the question of a name in any case, nil if there is none.
func Find(name string) *Question {
	all := Questions()
	i := slices.IndexFunc(all, func(q Question) bool { return strings.EqualFold(q.Name, name) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// unit returns the unit by which contenders are compared, as benchfmt calls it.
func (q *Question) unit() string {
	if q.Rate {
		return "B/s"
	}
	return "sec/op"
}

// contenders lists who measures a case, ours first.
func (q *Question) contenders(name string) []string {
	return slices.DeleteFunc(append([]string{q.Ours}, q.Peers...), func(by string) bool {
		only, some := q.Only[by]
		return some && !regexp.MustCompile(only).MatchString(name)
	})
}

// keys are the values of a case's name, which itself has the key "case".
type keys map[string]string

// keysOf splits a case's name.
func keysOf(name string) keys {
	k := keys{"case": name}
	for _, part := range strings.Split(name, "/") {
		key, value, _ := strings.Cut(part, "=")
		k[key] = value
	}
	return k
}

// Int returns a whole number, with KiB or MiB in bytes, and otherwise where the name has no such key.
func (k keys) Int(key string, otherwise int) int {
	text, shift := k[key], 0
	for unit, s := range map[string]int{"KiB": 10, "MiB": 20} {
		if cut, ok := strings.CutSuffix(text, unit); ok {
			text, shift = cut, s
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return otherwise
	}
	return n << shift
}

// cores returns how many cores each process of a case uses.
func (k keys) cores() int {
	if np := k.Int("np", 0); np > 0 {
		return max(runtime.NumCPU()/np, 1)
	}
	return min(k.Int("threads", 1)*k.Int("at-once", 1), runtime.NumCPU())
}
