// Package ringsparse regenerates what the patent application on sparse ring
// all-reduce states: what it chooses, what it sends, what that costs and gains, and
// what becomes of accuracy.
//
// Every experiment runs papers/ringsparse, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form.
package ringsparse
