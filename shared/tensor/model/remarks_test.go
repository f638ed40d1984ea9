package model_test

import (
	"slices"
	"testing"

	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
)

// The last pool of VGG-19 on 16×16 meets 1×1; on 32×32, and in other networks,
// none does, though a global average has a map of 1×1 too.
func TestRemarks(t *testing.T) {
	const last = "vgg19_bn at 16×16: a 2×2 max-pool (layer 53 of 55) meets a 1×1 map and passes it through"
	for spec, want := range map[model.Spec][]string{
		{Name: "vgg19_bn", Image: 16}: {last}, {Name: "vgg19_bn", Image: 16, Width: 0.125}: {last}, {Name: "vgg19_bn"}: nil,
		{Name: "resnet18", Image: 16}: nil, {Name: "cnn"}: nil, {Name: "lenet5"}: nil, {Name: "mlp"}: nil,
	} {
		m := sure(model.Build(spec))(t)
		if got := m.Remarks(); !slices.Equal(got, want) {
			t.Errorf("%+v: %q, want %q", spec, got, want)
		}
	}
	// The pool's own input counts, not the step before.
	pool := layer.MaxPool{Size: 2, Stride: 2}
	m, err := model.FromSteps(layer.Shape{C: 1, H: 2, W: 2},
		[]model.Step{{Layer: pool}, {Layer: pool, Inputs: []int{-1}}, {Layer: layer.Add{}, Inputs: []int{0, 1}}})
	if err != nil || m.Remarks() != nil {
		t.Errorf("%v, %q, want no remark", err, m.Remarks())
	}
}
