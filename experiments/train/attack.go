package train

import (
	"fmt"
	"slices"
	"strconv"

	"gradsync/papers/codedsgd"
)

// Attack makes some pieces of every batch of a method of codedsgd adversarial. All nodes that
// compute a bad piece get the same bad gradient, as of bad data: nodes themselves are honest.
type Attack struct {
	Kind   string `json:"kind"`   // one of Attacks
	Pieces int    `json:"pieces"` // f; whichever they are, they stay so, and more pieces include fewer's
}

// Attacks lists the kinds of an Attack.
//
//   - labels: of class c of C, label C−1−c is learnt (Yin et al. 2018, §7).
//   - flipped: the opposite of the piece's own gradient, FlipScale times as long. Blanchard et
//     al. 2017 have an omniscient adversary, who proposes the opposite of what all honest
//     gradients give, scaled up: it knows more, and can do more harm.
//   - gaussian: noise of mean 0 and standard deviation NoiseDeviation in every coordinate of
//     the piece's mean (Blanchard et al. 2017, §6).
//
// None adapts to the rule.
var Attacks = []string{"labels", "flipped", "gaussian"}

// What Attacks scale by.
const (
	FlipScale      = 10
	NoiseDeviation = 200
)

// check refuses an attack that cannot be made; nil is none.
func (a *Attack) check(c *Config) error {
	switch {
	case a == nil:
		return nil
	case !slices.Contains(Attacks, a.Kind):
		return fmt.Errorf("train: no attack %q: known are %v", a.Kind, Attacks)
	case c.SpeedAware:
		return fmt.Errorf("train: an attack counts equal pieces, not pieces by speed")
	case a.Pieces < 0 || a.Pieces > c.pieces():
		return fmt.Errorf("train: %d adversarial pieces, want 0 to the %d of a batch", a.Pieces, c.pieces())
	}
	return nil
}

// pieces returns into how many pieces a batch is cut, 0 if the options do not say it.
func (c *Config) pieces() int {
	o := c.codedOptions()
	if o.MicroBlocks > 0 {
		return o.MicroBlocks
	}
	a, err := codedsgd.Assign(c.Workers, max(o.Redundancy, 1))
	if err != nil {
		return 0
	}
	return a.Blocks()
}

// first returns the first images of the bad pieces: piece i of Q begins at ⌊i·batch/Q⌋.
func (a *Attack) first(c *Config) []int {
	pieces := c.pieces()
	order := stream(c.Seed, -1, "attack").Perm(pieces)
	var at []int
	for _, i := range order[:a.Pieces] {
		at = append(at, i*c.BatchSize/pieces)
	}
	return at
}

// attacked tells whether images lo … hi−1 of a batch are a bad piece.
func (t *codedTask) attacked(lo, hi int) bool { return lo < hi && slices.Contains(t.bad, lo) }

// badGrad writes what a bad piece has for its gradient.
func (t *codedTask) badGrad(step int64, lo, hi int, grads []float32, done func(layer int)) (loss float64, err error) {
	if t.attack.Kind == "labels" {
		return t.imagesGrad(step, lo, hi, true, grads, done)
	}
	if loss, err = t.imagesGrad(step, lo, hi, false, grads, func(int) {}); err != nil {
		return 0, err
	}
	if t.attack.Kind == "gaussian" {
		r := stream(t.seed, lo, "attack "+strconv.FormatInt(step, 10))
		for i := range grads {
			grads[i] = float32(float64(hi-lo) * NoiseDeviation * r.NormFloat64())
		}
	} else {
		for i := range grads {
			grads[i] *= -FlipScale
		}
	}
	for l := len(t.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}
