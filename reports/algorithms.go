package reports

import (
	"html/template"
	"regexp"
)

// algorithm is one algorithm of a source in our words, by its own line numbers.
type algorithm struct {
	ID, Name, In, Out string
	Mark              string // what its lines that are ours are called; "" is restored
	Steps             []step
	// Place is what a mark in the source begins with: "Alg. 1, line" or "all-gather, step".
	Place string
	// Code are the declarations that carry it out, as "papers/dasp Config.Decide".
	Code []string
	// Elsewhere says of the steps that none of their lines is marked with, why.
	Elsewhere map[int]string

	Views []stepView // with their places; of a page
	Go    []excerpt  // of a page that is made with the source
}

// Ours is the word on the lines of it that are not the source's.
func (a algorithm) Ours() string {
	if a.Mark != "" {
		return a.Mark
	}
	return "restored"
}

// step is one line; Depth is how far it is set in, Lost whether the source's
// line is missing, garbled or wrong, so that it is ours.
type step struct {
	Depth int
	Text  string
	Lost  bool
}

// daspAlgorithms are the two algorithms of DASP. The lines not marked lost are
// paraphrased from the source's text, which kept their words and numbers.
var daspAlgorithms = []algorithm{
	{
		ID: "alg1", Name: "Algorithm 1: which state a worker is in",
		In:    "the version v each worker holds, the duration f of its last iteration",
		Out:   "the state of worker n",
		Place: "Alg. 1, line",
		Code:  []string{"papers/dasp policy.Step", "papers/dasp policy.push", "papers/dasp Config.Decide", "papers/dasp policy.completed", "papers/dasp policy.within"},
		Elsewhere: map[int]string{
			16: "closes line 5; in Go the brace of the switch",
			17: "closes line 1: the server calls Step anew for the next gradient",
		},
		Steps: []step{
			{0, "for each gradient that arrives, from worker n:", false},
			{1, "f_n ← how long the iteration took that has just ended", true},
			{1, "v_n ← the version that n holds", false},
			{1, "v_min ← min(v), the oldest version in use", false},
			{1, "if v_n − v_min ≤ S_min:", false},
			{2, "n is in QIS", false},
			{1, "else if S_min < v_n − v_min ≤ S_max:", false},
			{2, "n is in WSS", false},
			{2, "id_min ← the worker that holds v_min", false},
			{2, "f_i ← f of n; f_j ← f of id_min", true},
			{2, "T_wait ← α (f_j − f_i), Eq. (1)", true},
			{2, "wait T_wait", false},
			{1, "else:", false},
			{2, "n is in FSS", false},
			{2, "wait until id_min, the worker with the oldest version, has ended its iteration", false},
			{1, "end if", false},
			{0, "end for", false},
		},
	},
	{
		ID: "alg2", Name: "Algorithm 2: the update of the weights",
		In:    "the number of workers N, the learning rate γ",
		Out:   "the newest weights",
		Place: "Alg. 2, line",
		Code: []string{"papers/dasp server.arrived", "papers/dasp policy.push", "papers/dasp policy.release", "papers/dasp Config.Weight",
			"papers/dasp server.update", "papers/dasp Optimiser.Step", "papers/dasp server.send", "papers/dasp View.Handed"},
		Steps: []step{
			{0, "receive a gradient from worker n", false},
			{0, "Algorithm 1 finds the state of n", false},
			{0, "if n is in QIS:", false},
			{1, "Δw ← 1/N of the gradient, Eq. (2), first case", true},
			{0, "else:", false},
			{1, "Δw ← the mean of the K gradients that came during the wait, Eq. (2), second case", true},
			{0, "w ← w − γ Δw", false},
			{0, "send the new weights to n", false},
			{0, "v_n ← the version sent, in one indivisible step", false},
		},
	},
}

var (
	subscript   = regexp.MustCompile(`_([A-Za-z0-9]+)`)
	superscript = regexp.MustCompile(`\^(?:([A-Za-z0-9]+)|\(([^()]+)\))`)
)

// prose is a sentence of a result for the page.
func prose(s string) template.HTML { return subs(tie(s)) }

// subs sets what follows an underscore as a subscript, a caret as a superscript.
func subs(s string) template.HTML {
	s = units(s)
	s = subscript.ReplaceAllString(template.HTMLEscapeString(s), "<sub>$1</sub>")
	return template.HTML(superscript.ReplaceAllString(s, "<sup>$1$2</sup>"))
}
