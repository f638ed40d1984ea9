package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"gradsync/experiments/train"
)

// codedMethods are those of codedsgd, as methodFlags names them.
const codedMethods = "cssgd ssgd-unicast ssgd-multicast compressed"

// defineCoded are the flags of coded SGD and its rivals.
func (f *trainFlags) defineCoded(s *pflag.FlagSet) {
	o := &f.coded
	s.IntVar(&o.Redundancy, "redundancy", 2, "coded SGD: nodes that compute each block, r, from 1 to all")
	s.IntVar(&o.MicroBlocks, "micro-blocks", 0, "coded SGD: cut the batch into so many pieces, a multiple of C(n,r), whose gradients travel one by one (0: one gradient per block)")
	s.StringVar(&o.Split, "split", "rows", "coded SGD: cut gradients into segments by rows or columns")
	s.BoolVar(&o.Literal, "literal", false, "cssgd: the loop of Algorithm 3 as printed, with the packets that nobody needs")
	s.IntVar(&o.Depth, "depth", 0, "compressed: common holders of the blocks that are summed before coding (default: the least load)")
	s.Float64Var(&o.Range, "range", 10, "coded SGD: what the largest int32 stands for")
	s.BoolVar(&f.SpeedAware, "speed-aware", false, "coded SGD: uneven blocks, images by the nodes' speeds")
	s.BoolVar(&f.Best, "best", false, "end with the parameters of least loss on 1,000 training images, of those at evaluations")
}

// printCoded prints what coded SGD sent.
func (a *app) printCoded(c *train.CodedOutcome) {
	if c == nil {
		return
	}
	t := c.Totals
	fmt.Fprintf(a.out, "  packets         %d, redundancy %d; %d bytes, a multicast counted once; %d counted per receiver\n",
		t.Packets, c.Options.Redundancy, t.Bytes, t.Delivered)
	if t.Useful != t.Received {
		fmt.Fprintf(a.out, "  useful          %d of %d bytes received\n", t.Useful, t.Received)
	}
	if t.Saturated > 0 {
		fmt.Fprintf(a.out, "  saturated       %d elements beyond the range of int32: raise --range or cut the batch finer\n", t.Saturated)
	}
}
