package ring

import (
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/internal/oktest"
)

// The recording of five GPUs is the blog's, by hand: reduce-scatter's first
// exchange 0/4, 1/0, 2/1, 3/2, 4/3 and all-gather's 1/0, 2/1, 3/2, 4/3, 0/4.
func TestStepsOfFiveByHand(t *testing.T) {
	r := oktest.Must(record(t.Context(), 5))(t)
	for rank, want := range [5][4]int{{0, 4, 1, 0}, {1, 0, 2, 1}, {2, 1, 3, 2}, {3, 2, 4, 3}, {4, 3, 0, 4}} {
		a, b := r.Transfers[rank][0], r.Transfers[rank][4]
		if got := [4]int{a.Sent.Chunk, a.Received.Chunk, b.Sent.Chunk, b.Received.Chunk}; got != want {
			t.Errorf("GPU %d: %v, want %v", rank, got, want)
		}
	}
	// The blog's example: after the first exchange "the first chunk on the second
	// GPU" holds the values of the second and the first.
	if h := r.States[1][1][0].String(); h != "0+1" {
		t.Errorf("chunk 0 of GPU 1 holds %s, want 0+1", h)
	}
	if h := r.States[4][4][0].String(); h != "0+1+2+3+4" {
		t.Errorf("GPU 4 completes chunk 0, it holds %s", h)
	}
	for _, s := range blogSchedule {
		if !s.holds(r) {
			t.Error(s.key)
		}
	}
}

// Every sentence can be broken: a recording that is changed in one place is found.
func TestScheduleFaultsAreFound(t *testing.T) {
	for key, spoil := range map[string]func(r recording){
		"iterations": func(r recording) { r.Transfers[2] = r.Transfers[2][:7] },
		"neighbours": func(r recording) { r.Transfers[1][3].To = 0 },
		"first":      func(r recording) { r.Transfers[3][0].Sent.Chunk = 1 },
		"forward":    func(r recording) { r.Transfers[3][5].Sent.Chunk = 1 },
		"pairs":      func(r recording) { r.Transfers[0][1].After = 1 },
		"complete":   func(r recording) { r.States[4][4][0] = 3 },
		"gather":     func(r recording) { r.Transfers[4][4].Received.Chunk = 0 },
		"all":        func(r recording) { r.States[0][8][3] = 30 },
	} {
		r := oktest.Must(record(t.Context(), 5))(t)
		spoil(r)
		if holds(key, r) {
			t.Errorf("%s: nothing was found", key)
		}
	}
	// An all-gather that adds is no schedule of the blog's.
	r, _ := record(t.Context(), 5)
	r.Transfers[2][6].After = 1
	if holds("iterations", r) {
		t.Error("an all-gather that adds was not found")
	}
}

// holds reports whether a recording is as the sentence of a key says.
func holds(key string, r recording) bool {
	return blogSchedule[slices.IndexFunc(blogSchedule, func(s sentence) bool { return s.key == key })].holds(r)
}

func TestIterationsAreJudged(t *testing.T) {
	wantVerdict(t, judgeIterations(nil), claims.Equal, "B09")
	c := judgeIterations(map[string][]int{"iterations": {3}})
	if wantVerdict(t, c, claims.Differs, "other-words"); c.Found.Code != "B09-other" {
		t.Errorf("%+v", c.Found)
	}
}

// A message without a mark is an error, no wrong row.
func TestDecodeRefuses(t *testing.T) {
	for _, x := range [][]float32{nil, {0, 1}, {1.5, 1}, {3, 1}} {
		if p, err := decode(x); err == nil {
			t.Errorf("%v was read as %+v", x, p)
		}
	}
	if p, err := decode([]float32{5, 6}); err != nil || p != (piece{Chunk: 3, Holds: 5}) {
		t.Errorf("%+v, %v", p, err)
	}
}
