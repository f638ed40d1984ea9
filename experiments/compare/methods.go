package compare

import (
	"fmt"
	"slices"

	descriptor "gradsync/experiments/method"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// method is one way to bring gradients together, as it is compared.
type method struct {
	Key      string `json:"key"`
	Document string `json:"document"`
	Sync     string `json:"sync"`   // train.Config.Sync
	Server   bool   `json:"server"` // needs a parameter server beside the workers
	Async    bool   `json:"async"`  // applies gradients as they arrive, in parts of a round
	// Multicast says that the method sends one packet to several nodes at once.
	Multicast bool              `json:"multicast"`
	Coded     *codedsgd.Options `json:"coded,omitempty"`
	Aware     bool              `json:"aware,omitempty"`  // nodes get samples by their speed
	Bucket    int64             `json:"bucket,omitempty"` // bytes; 0: layer by layer
	// Trajectory names the synchronous training whose parameters the method has: its own, or the
	// training of another method that sums the same gradients.
	Trajectory string `json:"trajectory,omitempty"`
}

// fused is the size in bytes up to which ring and naive exchange fuse layers: small layers would
// otherwise pay a latency each at every step.
const fused = 1 << 20

// coded returns a method's options: whole-gradient messages, one gradient per block.
func coded(name string, redundancy int) *codedsgd.Options {
	return &codedsgd.Options{Method: name, Redundancy: redundancy}
}

// variants are the forms in which methods are compared, fixed before the first run. What
// they leave out (document, server, multicast) is the descriptor's.
var variants = []method{
	{Key: "bsp", Sync: "bsp", Trajectory: "bsp"},
	{Key: "asp", Sync: "asp"},
	{Key: "ssp", Sync: "ssp"},
	{Key: "dssp", Sync: "dssp"},
	{Key: "dasp", Sync: "dasp"},
	{Key: "naive", Sync: "naive", Bucket: fused, Trajectory: "bsp"},
	{Key: "ring", Sync: "ring", Bucket: fused, Trajectory: "ring"},
	{Key: "ring-layers", Sync: "ring", Trajectory: "ring"},
	{Key: "ringsparse", Sync: "ringsparse", Trajectory: "ringsparse"},
	{Key: "ssgd-unicast", Sync: codedsgd.SSGDUnicast, Coded: coded(codedsgd.SSGDUnicast, 1), Trajectory: "ssgd-multicast"},
	{Key: "ssgd-multicast", Sync: codedsgd.SSGDMulticast, Coded: coded(codedsgd.SSGDMulticast, 1), Trajectory: "ssgd-multicast"},
	{Key: "ssgd-aware", Document: "ours", Sync: codedsgd.SSGDUnicast, Coded: coded(codedsgd.SSGDUnicast, 1), Aware: true, Trajectory: "ssgd-multicast"},
	{Key: "asgd", Document: "codedsgd", Sync: "asp"},
	{Key: "cssgd", Sync: codedsgd.CSSGD, Coded: coded(codedsgd.CSSGD, 2), Trajectory: "cssgd"},
	{Key: "compressed", Sync: codedsgd.Compressed, Coded: coded(codedsgd.Compressed, 2), Trajectory: "compressed"},
}

// methods returns all that are compared: the variants, and registered methods whose
// descriptor asks for it. These have the curve of their own training, whether they wait or not.
func methods() []method {
	all := slices.Clone(variants)
	for _, d := range descriptor.All() {
		if d.Compare {
			all = append(all, method{Key: d.Name, Sync: d.Name})
		}
	}
	for i := range all {
		m := &all[i]
		d, ok := descriptor.Get(m.Sync)
		if !ok {
			panic(fmt.Sprintf("compare: no method %q", m.Sync))
		}
		m.Server, m.Async, m.Multicast = d.Family == descriptor.Server, d.Async || d.Compare, d.Multicast
		if m.Document == "" {
			m.Document = d.Document
		}
	}
	return all
}

// methodOf finds a method by its key.
func methodOf(key string) method {
	all := methods()
	i := slices.IndexFunc(all, func(m method) bool { return m.Key == key })
	if i < 0 {
		panic(fmt.Sprintf("compare: no method %q", key))
	}
	return all[i]
}

// uncharged is a rate of coding, in bytes per second, at which a gradient of any network
// here passes in less than a nanosecond, the clock's unit.
const uncharged = 1e18

// configure writes what the method's exchange needs beside its name. A method that codes
// nothing needs no int32 and is charged none: it could send floats, as many bytes.
func (m method) configure(c *train.Config) {
	if m.Coded == nil {
		c.Bucket = m.Bucket
		return
	}
	o := *m.Coded
	if !m.codes(c.Workers) {
		o.Rate = uncharged
	}
	c.BatchSize, c.Coded, c.SpeedAware = c.Workers*c.Batch, &o, m.Aware
}

// redundancy returns how often a sample's gradient is computed in a round.
func (m method) redundancy() int {
	if m.Coded == nil {
		return 1
	}
	return max(m.Coded.Redundancy, 1)
}

// codes reports whether the method, with n nodes, sends combinations of several
// gradients, which need integers to be taken apart again without an error: coded SGD
// does, sums of redundant blocks only where depth t ≥ 2 sends less than t = 1.
func (m method) codes(n int) bool {
	switch m.Sync {
	case codedsgd.CSSGD:
		return true
	case codedsgd.Compressed:
		return codedsgd.BestDepth(n, m.redundancy()) > 1
	}
	return false
}

// choose returns C(n, k); 0 where there is none.
func choose(n, k int) int {
	if k < 0 || k > n {
		return 0
	}
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return c
}
