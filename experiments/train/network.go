package train

import "gradsync/shared/tensor/model"

// network builds the configured network. Width and Image become 0 where they
// say what the network has anyway: one network has one configuration, and
// results of networks in their own size do not speak of sizes.
func (c *Config) network() (*model.Model, error) {
	m, err := model.Build(model.Spec{Name: c.Model, Width: c.Width, Image: c.Image})
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
