package quiz

import (
	"fmt"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// solved are questions as a reader solves them, with the way above each. The numbers
// are part of the test, so a question that changes is solved anew.
var solved = []struct {
	seed            uint64
	key, given, own string
}{
	// Of four ranks, rank i completes chunk i+1 mod 4.
	{7, "ring.complete", "N=4 i=3", "0"},
	// 2·(4−1)·152000/4.
	{7, "ring.bytes", "N=4 K=152000", "228 000 bytes"},
	// Chunks of 3, 3, 2, 2, 2. Rank 1 sends 1, 0, 4, 3, then 2, 1, 0, 4: 3+3+2+2 + 2+3+3+2 = 20 numbers of 4 bytes.
	{7, "ring.ragged", "N=5 L=12 i=1", "80"},
	// Rank 0 sends chunk 0 in exchange 1, chunk 4 in exchange 2; rank 0 is left of 1.
	{7, "ring.receives", "N=5 i=1 k=2", "4, 0"},
	// All-gather, number 6: rank 0 begins with chunk 1, five lower is 3 mod 7; to rank 1.
	{7, "ring.sends", "N=7 i=0 k=12", "3 -> 1"},
	// Chunk 1 set out from rank 1, and rank 2 added its own.
	{7, "ring.holds", "N=3 i=2 k=1", "{2, 1}"},
	// Rank 2 sends its chunk 2, a 3, and 3 + (−4) = −1.
	{7, "ring.values", "N=4 i=3 k=1 x_0=[-1, -5, -5, 9] x_1=[1, -9, -7, -9] x_2=[1, 7, 3, 7] x_3=[4, 0, -4, 4]", "[4, 0, −1, 4]"},
	// 4 · (1.3 ms + 13·10⁶/8·10⁸ s) = 4 · 17.55 ms.
	{7, "ring.seconds", "N=3 K=39000000 B=800000000 α=1.3", "70.2 ms"},
	// 2 · (1 ms + 7 · 280 ms).
	{7, "ring.naive", "N=8 K=224000000 B=800000000 α=1", "3.922 s"},
	// 0.0005 · 6·10⁸ · 8·6/7².
	{7, "ring.break-even", "N=8 B=600000000 α=0.5", "14400000/49"},

	// Two of eight zeros in W, two in G: equal, and the patent's ≥ takes weights.
	{8, "ringsparse.kind", "W=[0, -7, 1, 9, 3, 1, -8, 0] G=[0.5, 1.5, 0, 2, -7, 2, -4, 0]", "Weights"},
	// F = 1/8 of the weights, 3/8 of the gradients.
	{7, "ringsparse.densities", "dw=0.875 dg=0.625", "gradients"},
	{7, "ringsparse.sparsity", "x=[9, -6, 0, 0, -7, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0]", "11/16"},
	// Ta = 5 s, Tb = 2.2 + 1 + 2.8 = 6 s.
	{7, "ringsparse.form", "D=15000 C=3000 B=3000 Tc=2.2 Td=2.8", "DIRECT"},
	// Dense 384/2 = 192 s; bitmap 4 + 16/2 + 4 = 16 s; coo 4 + 8/2 + 4 = 12 s.
	{7, "ringsparse.cheapest", "n=96 z=1 R=96 B=2", "COO"},
	// 18 bits are 3 bytes, and 6 values of 4.
	{7, "ringsparse.bytes", "x=[0, 0, 0.25, 0, 0, 0, 0, 2, 0, 1.5, 4, 0, 0, 0, 1.25, 0, 0.75, 0]", "27 B"},
	// (12 − 8.5)/0.5, (−32 + 28)/0.5, (−16 + 20)/0.5.
	{7, "ringsparse.to-gradients", "W0=[3, -8, -4] η=0.5 m=4 Pw=[8.5, -28, -20]", "7 −8 8"},
	// −8 − 2, −24 − 0, 8 − 4.5.
	{7, "ringsparse.to-weights", "W0=[-2, -6, 2] η=0.5 m=4 Pg=[4, 0, 9]", "-10, -24, 7/2"},
	// 9 − 4/4, −2 − 5/4, 3 − 3/4.
	{7, "ringsparse.average", "W0=[9, -2, 3] η=1 N=4 S=[4, 5, 3]", "8, -13/4, 2.25"},
	// 1 − 0.8².
	{7, "ringsparse.fill-in", "d=0.2 k=1", "36 %"},
	// 4/3 · 123/900 s.
	{7, "ringsparse.time", "N=3 D=123000000 B=900000000", "492/2700 s"},

	// 12 − 6 = 6 > Smax.
	{7, "dasp.state", "v=[6, 10, 8, 12, 12, 14] n=3 Smin=1 Smax=2", "fss"},
	{7, "dasp.oldest", "v=[26, 28, 27, 27, 23, 21]", "5, 21"},
	{7, "dasp.weight", "N=6", "0.16667"},
	// 7 − 1/8·(−4), 7 − 1/8·(−8).
	{7, "dasp.update", "N=8 γ=1 w=[7, 7] g_1=[-4, -8]", "7.5, 8"},
	// A group of two: −7 − 0.5·(1/2)·(−8 + 9), −9 − 0.5·(1/2)·(−4 − 5).
	{8, "dasp.update", "N=8 γ=0.5 w=[-7, -9] g_1=[-8, -4] g_2=[9, -5]", "-7.25, -6.75"},
	{7, "dasp.version", "v=[26, 21, 21, 21, 23] v_new=26 n=2 Smin=2 Smax=3", "27, 21"},
	// Worker 3 is in QIS: version 36, which it holds. The three who wait make 37, one ahead of it.
	{7, "dasp.next", "Smin=2 Smax=3 α=0.5 v=[34, 35, 33, 30] v_new=35 f=[24, 14, 16, 78] t=468 n=3", "3, 2, 1, 0"},
	// 22 − 20 = 2 is WSS, and T_wait = (40 − 10)/2 ms.
	{8, "dasp.next", "Smin=1 Smax=2 α=0.5 v=[21, 20, 22, 23] v_new=23 f=[22, 40, 10, 10] t=180 n=2", "nobody"},
	{7, "dasp.bound", "N=6 Smin=1 Smax=4", "8"},

	// 012, 013, 014, 023, 024, 034, 123.
	{7, "codedsgd.holders", "n=5 r=3 q=6", "1 2 3"},
	// 01, 02, 12.
	{7, "codedsgd.blocks", "n=3 r=2 i=2", "{1,2}"},
	// {1,2} is block 3, node 2 its second; {2,3} is block 5, node 2 its first.
	{8, "codedsgd.packet", "n=4 r=2 M={1, 2, 3} i=2", "5:0, 3 : 1"},
	// Blocks 0, 3, 6 are 012, 023, 123: node 3 lacks 012.
	{7, "codedsgd.unknown", "n=5 r=3 M={0, 1, 2, 3} i=2 P={0:2, 3:1, 6:1} k=3", "0:2"},
	// Segment 1 of G_1 is [1, −7]: 7 − 1, −12 + 7.
	{7, "codedsgd.decode", "n=4 r=2 P={1:1, 3:1} H=[7, -12] k=0 G_1=[3, -7, 1, -7]", "6, −5"},
	// [3, 6] + [7, 9] + [−7, 5].
	{7, "codedsgd.encode", "n=4 r=3 P={0:1, 1:1, 3:0} G_0=[4, 1, 3, 6, -6, -9] G_1=[-3, 4, 7, 9, 6, -4] G_3=[-7, 5, 9, 9, 0, 3]", "(3, 20)"},
	// C(7,3), and (8−4)/(7·4).
	{7, "codedsgd.count", "n=7 r=3", "35 blocks"},
	{7, "codedsgd.load", "n=8 r=4", "4/28"},
	// 42 + 2/42·75.
	{7, "codedsgd.time", "n=8 T_calc=7 T_comm=75 r=6", "319/7 s"},
	// √(7/6 · 74/4) = √21.583.
	{7, "codedsgd.r-star", "n=7 T_calc=4 T_comm=74", "4.6458"},
	// 7+16, 14+6.4, 21+3.2.
	{7, "codedsgd.best", "n=6 T_calc=7 T_comm=16", "2"},
}

// TestByHand: the quiz calls right what was found by hand.
func TestByHand(t *testing.T) {
	for _, c := range solved {
		q := kindOf(t, c.key, c.seed)
		if got := givenOf(q); got != c.given {
			t.Errorf("%s of seed %d is given %q, was solved for %q", c.key, c.seed, got, c.given)
		} else if right, problem := q.judge(c.own); !right {
			t.Errorf("%s: by hand %s, the quiz says %s %s", c.key, c.own, q.Answer(English), problem.EN)
		}
	}
}

// kindOf returns the question of a kind that a quiz of all kinds has under a seed.
func kindOf(t *testing.T, key string, seed uint64) Question {
	t.Helper()
	name, _, _ := strings.Cut(key, ".")
	for _, q := range oktest.Must(Make(name, seed, len(makers[name])))(t) {
		if q.Key == key {
			return q
		}
	}
	t.Fatalf("no question %s", key)
	return Question{}
}

func givenOf(q Question) string {
	var out []string
	for _, g := range q.Given {
		out = append(out, fmt.Sprintf("%s=%s", g.Symbol, g.Value))
	}
	return strings.Join(out, " ")
}
