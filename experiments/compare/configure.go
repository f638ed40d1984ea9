package compare

import "gradsync/experiments/train"

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
