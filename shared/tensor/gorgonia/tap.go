package gorgonia

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	g "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// tap is the identity around one parameter. Its derivative is a second tap
// through which the parameter's gradient passes while the tape is still
// running; that one calls seen. The value it sees is the tape's memory.
type tap struct {
	name     string // in the hash, else the graph merges taps
	backward bool
	seen     func(gradient g.Value) error
}

func (t *tap) Arity() int { return 1 }

func (t *tap) Type() hm.Type {
	a := hm.TypeVariable('a')
	return hm.NewFnType(a, a)
}

func (t *tap) InferShape(in ...g.DimSizer) (tensor.Shape, error) {
	shape, ok := in[0].(tensor.Shape)
	if !ok {
		return nil, fmt.Errorf("gorgonia: tap %s: no shape but %T", t.name, in[0])
	}
	return shape, nil
}

func (t *tap) Do(in ...g.Value) (g.Value, error) {
	if t.backward {
		if err := t.seen(in[0]); err != nil {
			return nil, err
		}
	}
	return in[0], nil
}

func (t *tap) ReturnsPtr() bool      { return true }
func (t *tap) CallsExtern() bool     { return false }
func (t *tap) OverwritesInput() int  { return -1 }
func (t *tap) DiffWRT(int) []bool    { return []bool{!t.backward} }
func (t *tap) WriteHash(h hash.Hash) { fmt.Fprint(h, t.String()) }

func (t *tap) Hashcode() uint32 {
	h := fnv.New32a()
	t.WriteHash(h)
	return h.Sum32()
}

func (t *tap) String() string { return fmt.Sprintf("tap{%s,%t}", t.name, t.backward) }

func (t *tap) SymDiff(_ g.Nodes, _, gradient *g.Node) (g.Nodes, error) {
	n, err := g.ApplyOp(&tap{t.name, true, t.seen}, gradient)
	return g.Nodes{n}, err
}
