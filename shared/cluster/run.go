package cluster

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"reflect"
)

// box lets gob carry nil pointers and keeps T's own name off the wire.
type box[T any] struct{ V T }

// Run runs body on every rank of rt and returns the ranks' results in rank
// order with the run's trace. Results travel gob-encoded to rank 0, as they do
// between processes: unexported fields are lost, empty slices become nil.
//
// Where results are gathered at rank 0 only, as between processes, another rank
// gets its own and zero values for the others.
//
// The error of a failed run is an *AbortError; the trace is returned with it
// if the runtime recorded one.
//
// Source: ours: one entry point for every runtime
func Run[T any](ctx context.Context, rt Runtime, body func(Proc) (T, error)) ([]T, *Trace, error) {
	// gob refuses a type without fields; such a result carries nothing.
	empty := reflect.TypeFor[T]().Size() == 0
	out, err := rt.Run(ctx, func(p Proc) ([]byte, error) {
		v, err := body(p)
		if err != nil || empty {
			return nil, err
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(box[T]{v}); err != nil {
			return nil, fmt.Errorf("cluster: encode result of rank %d: %w", p.Rank(), err)
		}
		return b.Bytes(), nil
	})
	if err != nil {
		return nil, out.Trace, err
	}
	results := make([]T, len(out.Results))
	if empty {
		return results, out.Trace, nil
	}
	for rank, wire := range out.Results {
		if wire == nil {
			continue
		}
		var v box[T]
		if err := gob.NewDecoder(bytes.NewReader(wire)).Decode(&v); err != nil {
			return nil, out.Trace, fmt.Errorf("cluster: decode result of rank %d: %w", rank, err)
		}
		results[rank] = v.V
	}
	return results, out.Trace, nil
}
