// Package ring regenerates what the blog on ring all-reduce states: its schedule,
// its costs, its estimate for 300 million parameters and its scaling to 40 GPUs.
//
// Every experiment runs the exchanges of shared/cluster/collective, in virtual time
// or on sockets, and sets what was counted or timed beside the closed form. Results hold
// data alone; the words of their pages are reports/text/ring.
package ring
