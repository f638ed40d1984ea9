package train

import (
	"fmt"
	"slices"

	"gradsync/shared/tensor/model"
)

// dataSides are the sides to which data sets can be brought for the networks
// that take several.
var dataSides = []int{16, 32}

// network builds the configured network. Width and Image become 0 where they
// say what the network has anyway: one network has one configuration, and
// results of networks in their own size do not speak of sizes.
func (c *Config) network() (*model.Model, error) {
	if err := c.checkSide(); err != nil {
		return nil, err
	}
	m, err := model.Build(model.Spec{Name: c.Model, Width: c.Width, Image: c.Image, Classes: c.Classes})
	if err != nil {
		return nil, err
	}
	if c.Width == 1 {
		c.Width = 0
	}
	if c.Image > 0 {
		own, err := model.New(c.Model)
		if err != nil {
			return nil, err
		}
		if _, h, _ := own.Input(); h == c.Image {
			c.Image = 0
		}
	}
	return m, nil
}

// checkSide refuses a side that the network might take but no data set has. What
// a network of one size takes it says itself.
func (c *Config) checkSide() error {
	if c.TimingOnly || c.Image == 0 || slices.Contains(dataSides, c.Image) {
		return nil
	}
	for _, side := range dataSides {
		if _, err := model.Build(model.Spec{Name: c.Model, Image: side}); err != nil {
			return nil // it comes in one size
		}
	}
	return fmt.Errorf("train: images of %d×%[1]d: %s is trained on 16×16 or 32×32", c.Image, c.Model)
}
