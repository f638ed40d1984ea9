// Package collective holds the exchanges of gradients between the ranks of a
// run: the ring of the blog, the single reducer that it replaces, and two
// others to compare it with, recursive halving and doubling, and a ring in two
// levels; and the Crew, the living ranks of a run that goes on without those it
// loses.
//
// Each is straight-line code over cluster.Proc and sums in an order of its own
// that it states, so it leaves the same bits on every rank and runtime. Each
// has a form named …Timing that sends the same messages, at the same instants
// of virtual time, without arithmetic.
package collective
