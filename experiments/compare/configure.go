package compare

import "gradsync/experiments/train"

// configure writes what the method's exchange needs beside its name.
func (m method) configure(c *train.Config) {
	if m.Coded == nil {
		c.Bucket = m.Bucket
		return
	}
	c.BatchSize, c.Coded, c.SpeedAware = c.Workers*c.Batch, m.Coded, m.Aware
}
