package model

// CostTable lists the layers with parameters of a full-size network in forward
// order, for runs that time it without its arithmetic: New's networks, resnet18
// and vgg19_bn for 32×32×3 images and 10 classes. A batch norm is a layer of its
// own: two parameters per channel, bytes but no FLOP counted. See LayerInfo for
// the units. The error lists the known names.
//
// Source: ours: the models of the DASP tables at full size
func CostTable(name string) ([]LayerInfo, error) {
	m, err := New(name)
	if err != nil {
		return nil, err
	}
	return m.Layers(), nil
}
