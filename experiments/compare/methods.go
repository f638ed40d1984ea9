package compare

import (
	"fmt"
	"slices"

	"gradsync/papers/codedsgd"
)

// method is one way to bring gradients together, as it is compared.
type method struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Document string `json:"document"`
	Sync     string `json:"sync"`   // train.Config.Sync
	Server   bool   `json:"server"` // needs a parameter server beside the workers
	Async    bool   `json:"async"`  // applies gradients as they arrive, in parts of a round
	// Multicast says that the method sends one packet to several nodes at once.
	Multicast bool              `json:"multicast"`
	Coded     *codedsgd.Options `json:"coded,omitempty"`
	Aware     bool              `json:"aware,omitempty"`  // nodes get samples by their speed
	Bucket    int64             `json:"bucket,omitempty"` // bytes; 0: layer by layer
	// Trajectory names the synchronous training whose parameters the method has: its
	// own, or that of another method that sums the same gradients.
	Trajectory string `json:"trajectory,omitempty"`
}

// fused is what ring and naive exchange fuse layers to: small layers would otherwise
// pay a latency each at every step.
const fused = 1 << 20

// coded are a method's options: whole-gradient messages, one gradient per block.
func coded(name string, redundancy int) *codedsgd.Options {
	return &codedsgd.Options{Method: name, Redundancy: redundancy}
}

// The documents, as the tables name them.
const (
	ofDASP  = "DASP"
	ofBlog  = "ring blog"
	ofSparx = "sparse-ring patent"
	ofCoded = "coded SGD"
	ofOurs  = "ours"
)

// methods are all that are compared, fixed before the first run.
func methods() []method {
	return []method{
		{Key: "bsp", Title: "BSP", Document: ofDASP, Sync: "bsp", Server: true, Trajectory: "bsp"},
		{Key: "asp", Title: "ASP", Document: ofDASP, Sync: "asp", Server: true, Async: true},
		{Key: "ssp", Title: "SSP", Document: ofDASP, Sync: "ssp", Server: true, Async: true},
		{Key: "dssp", Title: "DSSP", Document: ofDASP, Sync: "dssp", Server: true, Async: true},
		{Key: "dasp", Title: "DASP", Document: ofDASP, Sync: "dasp", Server: true, Async: true},
		{Key: "naive", Title: "naive exchange", Document: ofBlog, Sync: "naive", Bucket: fused, Trajectory: "bsp"},
		{Key: "ring", Title: "ring", Document: ofBlog, Sync: "ring", Bucket: fused, Trajectory: "ring"},
		{Key: "ring-layers", Title: "ring, layer by layer", Document: ofBlog, Sync: "ring", Trajectory: "ring"},
		{Key: "ringsparse", Title: "RingSparse", Document: ofSparx, Sync: "ringsparse", Trajectory: "ringsparse"},
		{Key: "ssgd-unicast", Title: "SSGD unicast", Document: ofCoded, Sync: codedsgd.SSGDUnicast, Coded: coded(codedsgd.SSGDUnicast, 1), Trajectory: "ssgd-multicast"},
		{Key: "ssgd-multicast", Title: "SSGD multicast", Document: ofCoded, Sync: codedsgd.SSGDMulticast, Multicast: true, Coded: coded(codedsgd.SSGDMulticast, 1), Trajectory: "ssgd-multicast"},
		{Key: "ssgd-aware", Title: "SSGD unicast, samples by speed", Document: ofOurs, Sync: codedsgd.SSGDUnicast, Coded: coded(codedsgd.SSGDUnicast, 1), Aware: true, Trajectory: "ssgd-multicast"},
		{Key: "asgd", Title: "ASGD", Document: ofCoded, Sync: "asp", Server: true, Async: true},
		{Key: "cssgd", Title: "CSSGD, r = 2", Document: ofCoded, Sync: codedsgd.CSSGD, Multicast: true, Coded: coded(codedsgd.CSSGD, 2), Trajectory: "cssgd"},
		{Key: "compressed", Title: "sums of redundant blocks, r = 2", Document: ofOurs, Sync: codedsgd.Compressed, Multicast: true, Coded: coded(codedsgd.Compressed, 2), Trajectory: "compressed"},
	}
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

// redundancy is how often a sample's gradient is computed in a round.
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

// choose is C(n, k); 0 where there is none.
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
