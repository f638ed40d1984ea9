package cli

import (
	"fmt"

	"gradsync/experiments/train"
)

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
