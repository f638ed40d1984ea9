// Package bench measures gradsync beside its peers. A Question is a Go benchmark of this package's tests, whose
// names say case and contender by keys and values, BenchmarkStep/model=lenet5/batch=64/threads=2/by=asm; peers in other
// languages (experiments/peers) print lines of the same form. A Runner starts contenders in turns, a process for each
// round of each, golang.org/x/perf reads and sums up what they print, and a Book holds all of it: BENCHMARKS.json, of
// which BENCHMARKS.md is made.
package bench

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
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
	only  map[string]string // cases that a contender takes, a regular expression; none: all
}

// Questions lists the tables.
func Questions() []Question {
	return []Question{
		{Name: "Step", Title: "A training step beside other frameworks",
			Note: "Forward, backward, SGD in float32 on random images; `at-once` steps have weights of their own: goroutines here, " +
				"processes in PyTorch. `portable` is our engine without assembly.",
			Ours: "asm", Peers: []string{"pytorch", "gorgonia", "portable"},
			Cases: []string{"model=lenet5/batch=16/threads=1/at-once=2",
				"model=resnet18/width=0.125/image=16/batch=16/threads=1/at-once=2", "model=lenet5/batch=64/threads=2",
				"model=cnn/batch=32/threads=2", "model=resnet18/batch=32/threads=2", "model=vgg19_bn/batch=32/threads=2"},
			only: map[string]string{"gorgonia": "lenet5|cnn", "portable": "lenet5|cnn|width"}},
		{Name: "GPU", Title: "A training step on a GPU", Note: "On the first NVIDIA GPU, in float32 without TF32.",
			Ours: "cuda", Peers: []string{"pytorch-cuda"},
			Cases: product([]string{"model=lenet5", "model=resnet18", "model=vgg19_bn"}, []string{"batch=64"})},
		{Name: "Product", Title: "A matrix product", Note: "Square, float32; `openblas` by way of NumPy.",
			Ours: "asm", Peers: []string{"openblas", "gonum", "portable"},
			Cases: product([]string{"size=512"}, []string{"threads=1", "threads=2"})},
		{Name: "Codec", Title: "The codecs' kernels beside copy()", Rate: true,
			Note: "64 MiB of float32 on one core, bytes read and written; copy() reads and writes each byte once.",
			Ours: "gradsync", Peers: []string{"copy"},
			Cases: append(product([]string{"op=pack", "op=unpack-add"}, []string{"density=1", "density=10", "density=100"}),
				"op=quantise", "op=add-int32")},
		{Name: "Coded", Title: "Coded SGD's packets beside copy()", Rate: true,
			Note: "A packet of one layer at redundancy r on one core: the bytes of the r segments that make it, or of it and the " +
				"r − 1 taken from it, beside bytes copied.",
			Ours: "gradsync", Peers: []string{"copy"},
			Cases: product([]string{"layer=64KiB", "layer=1MiB", "layer=16MiB"}, []string{"op=encode", "op=decode"},
				[]string{"r=2", "r=5"})},
		{Name: "Push", Title: "What a training costs beside its arithmetic",
			Note: "Six pushes of six workers in virtual time whose network computes nothing, beside six copies and SGD updates of the " +
				"parameters on one thread; bsp and ring update once.",
			Ours: "gradsync", Peers: []string{"copy+update"},
			Cases: product([]string{"model=resnet18/batch=64/threads=2"}, []string{"sync=dasp", "sync=asp", "sync=bsp", "sync=ring"})},
		{Name: "Ring", Title: "An all-reduce between processes over TCP", Rate: true,
			Note: "Bus bandwidth, bytes/time · 2(N−1)/N. MPI's contenders use TCP alone, `openmpi-ring` is the ring in C; " +
				"`gradsync-tls` is the same ring with certificates, TLS 1.3.",
			Ours: "gradsync", Peers: []string{"openmpi-allreduce", "mpich-allreduce", "openmpi-ring", "gradsync-tls"},
			Cases: append(product([]string{"np=2", "np=4"}, []string{"size=4KiB", "size=64KiB", "size=1MiB", "size=16MiB"}),
				"np=2/size=64MiB")},
		{Name: "MPI", Title: "The same ring over Open MPI", Rate: true,
			Note: "Open MPI takes the transport of its choice; `gradsync` is the ring over TCP.",
			Ours: "gradsync-mpi", Peers: []string{"gradsync", "openmpi-allreduce", "openmpi-ring"},
			Cases: product([]string{"np=2"}, []string{"size=4KiB", "size=64KiB", "size=1MiB", "size=16MiB"})},
		{Name: "Messages", Title: "Messages of virtual time",
			Note: "200,000 messages on one core: every rank of a ring sends its neighbour one and waits for one, beside goroutines and " +
				"channels without a clock.",
			Ours: "virtual", Peers: []string{"channels"}, Cases: []string{"ranks=64", "ranks=1000", "ranks=10000"}},
	}
}

// product joins each of the first parts with each of the next ones, and so on.
func product(parts ...[]string) []string {
	all := parts[0]
	for _, next := range parts[1:] {
		var longer []string
		for _, a := range all {
			for _, b := range next {
				longer = append(longer, a+"/"+b)
			}
		}
		all = longer
	}
	return all
}

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
		only, some := q.only[by]
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
