// Package codedsgd regenerates the tables and figures of the paper on synchronous
// SGD with coded exchange: what its nodes hold, send and save, what that costs and
// gains in time and traffic, and where its counting does not hold.
//
// Every experiment runs papers/codedsgd, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form. Bodies of the
// paper's tables and pictures of its figures are lost: what stands in their place
// is said on each page.
package codedsgd
