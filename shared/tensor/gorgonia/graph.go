package gorgonia

import (
	"fmt"

	g "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
)

// real is the arithmetic of a graph: float32 as a backend, float64 as oracle.
type real interface{ float32 | float64 }

// graph is one network for one batch size: Gorgonia bakes the size in.
type graph[T real] struct {
	m       *model.Model
	n       int
	dtype   tensor.Dtype
	expr    *g.ExprGraph
	machine g.VM

	x, target     []T // what the input nodes hold
	params        [][]T
	logits, loss  g.Value
	seen          func(param int, gradient []T) error // set for the time of a step
	nodes         []*g.Node
	input, oneHot *g.Node
}

// newGraph builds the network; with the loss and its gradients if training.
func newGraph[T real](m *model.Model, n int, training bool) (*graph[T], error) {
	gr := &graph[T]{m: m, n: n, expr: g.NewGraph(), dtype: tensor.Float64}
	if _, single := any(T(0)).(float32); single {
		gr.dtype = tensor.Float32
	}
	c, h, w := m.Input()
	gr.input, gr.x = gr.leaf("x", n, c, h, w)
	z, shape := gr.input, layer.Shape{C: c, H: h, W: w}
	for _, s := range m.Steps() {
		if err := possible(s); err != nil {
			return nil, fmt.Errorf("gorgonia: %s: %w", m.Name(), err)
		}
		var err error
		if z, err = gr.step(s, shape, z); err != nil {
			return nil, fmt.Errorf("gorgonia: %s, layer %q: %w", m.Name(), s.Name, err)
		}
		if shape, err = s.Layer.Out(shape); err != nil {
			return nil, err
		}
	}
	g.Read(z, &gr.logits)
	if training {
		if err := gr.addLoss(z); err != nil {
			return nil, fmt.Errorf("gorgonia: %s, loss: %w", m.Name(), err)
		}
	}
	gr.machine = g.NewTapeMachine(gr.expr)
	return gr, nil
}

// leaf adds an input node and returns the memory behind it.
func (gr *graph[T]) leaf(name string, shape ...int) (*g.Node, []T) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]T, n)
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	return g.NewTensor(gr.expr, gr.dtype, len(shape), g.WithShape(shape...), g.WithName(name), g.WithValue(value)), data
}

// param adds the next parameter and its tap.
func (gr *graph[T]) param() (*g.Node, error) {
	index := len(gr.params)
	p := gr.m.Params()[index]
	n, data := gr.leaf(p.Name, p.Shape...)
	gr.params = append(gr.params, data)
	gr.nodes = append(gr.nodes, n)
	return g.ApplyOp(&tap{name: p.Name, seen: func(v g.Value) error {
		gradient, ok := v.Data().([]T)
		if !ok {
			return fmt.Errorf("gorgonia: gradient of %s is a %T", p.Name, v.Data())
		}
		return gr.seen(index, gradient)
	}}, n)
}

// possible refuses what this adapter does not build: Gorgonia's batch norm loses
// its running statistics when it changes mode, and its deep networks take several
// times PyTorch's memory, so the networks that need them run on the engines only.
func possible(s model.Step) error {
	switch s.Layer.(type) {
	case layer.ReLU, layer.MaxPool, layer.Conv2D, layer.Linear:
		if s.Inputs == nil {
			return nil
		}
	}
	return fmt.Errorf("layer %q (%T) is not done by this backend, which takes chains of convolutions, max-pools, ReLUs and "+
		"linear layers: use an engine (--backend native)", s.Name, s.Layer)
}

// step adds one layer behind x.
func (gr *graph[T]) step(s model.Step, in layer.Shape, x *g.Node) (*g.Node, error) {
	switch l := s.Layer.(type) {
	case layer.ReLU:
		return g.Rectify(x)
	case layer.MaxPool:
		if l.Memory(in).Identity {
			return x, nil
		}
		return g.MaxPool2D(x, tensor.Shape{l.Size, l.Size}, []int{0, 0}, []int{l.Stride, l.Stride})
	case layer.Conv2D:
		w, err := gr.param()
		if err != nil {
			return nil, err
		}
		y, err := g.Conv2d(x, w, tensor.Shape{l.K, l.K}, []int{l.Pad, l.Pad}, []int{l.Stride, l.Stride}, []int{1, 1})
		if err != nil {
			return nil, err
		}
		if l.NoBias {
			return y, nil
		}
		return gr.addBias(y, tensor.Shape{1, l.Outputs, 1, 1}, 0, 2, 3)
	case layer.Linear:
		flat, err := g.Reshape(x, tensor.Shape{gr.n, in.Len()})
		if err != nil {
			return nil, err
		}
		w, err := gr.param()
		if err != nil {
			return nil, err
		}
		wt, err := g.Transpose(w, 1, 0)
		if err != nil {
			return nil, err
		}
		y, err := g.Mul(flat, wt)
		if err != nil {
			return nil, err
		}
		return gr.addBias(y, tensor.Shape{1, l.Outputs}, 0)
	}
	return nil, possible(s)
}

func (gr *graph[T]) addBias(y *g.Node, shape tensor.Shape, along ...byte) (*g.Node, error) {
	b, err := gr.param()
	if err != nil {
		return nil, err
	}
	if b, err = g.Reshape(b, shape); err != nil {
		return nil, err
	}
	return g.BroadcastAdd(y, b, nil, along)
}

// addLoss adds the mean cross entropy and the gradients of all parameters.
func (gr *graph[T]) addLoss(z *g.Node) error {
	gr.oneHot, gr.target = gr.leaf("target", gr.n, gr.m.Classes())
	logp, err := g.LogSoftMax(z)
	if err != nil {
		return err
	}
	picked, err := g.HadamardProd(logp, gr.oneHot)
	if err != nil {
		return err
	}
	total, err := g.Sum(picked)
	if err != nil {
		return err
	}
	mean, err := g.Div(total, g.NewConstant(T(-gr.n)))
	if err != nil {
		return err
	}
	g.Read(mean, &gr.loss)
	_, err = g.Grad(mean, gr.nodes...)
	return err
}

// run fills the inputs and executes the tape.
func (gr *graph[T]) run(params, x []float32, labels []uint8) error {
	for i, p := range gr.m.Params() {
		widen(gr.params[i], params[p.Offset:p.Offset+p.Length])
	}
	widen(gr.x, x)
	if gr.target != nil {
		clear(gr.target)
		for i, l := range labels {
			gr.target[i*gr.m.Classes()+int(l)] = 1
		}
	}
	defer gr.machine.Reset()
	return gr.machine.RunAll()
}

func widen[T real](dst []T, src []float32) {
	for i, v := range src {
		dst[i] = T(v)
	}
}
