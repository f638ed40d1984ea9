package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// The values a pickle of a CIFAR-10 batch is made of. Nothing is ever called: a
// call stays a record of what the pickle asked for, and cifarpy.go accepts the
// one shape that numpy writes.
type (
	pyText   []byte // str or bytes
	pyInt    int64
	pyBool   bool
	pyNone   struct{}
	pyMark   struct{}
	pyTuple  []any
	pyList   struct{ items []any }
	pyDict   struct{ keys, values []any }
	pyGlobal string // "module.name"
	pyCall   struct {
		fn    pyGlobal
		args  pyTuple
		state any
	}
)

// pyGlobals lists every global a pickle may name; any other ends the reading.
var pyGlobals = map[pyGlobal]bool{
	"numpy.core.multiarray._reconstruct":  true,
	"numpy._core.multiarray._reconstruct": true,
	"numpy.core.numeric._frombuffer":      true,
	"numpy._core.numeric._frombuffer":     true,
	"numpy.ndarray":                       true,
	"numpy.dtype":                         true,
	"_codecs.encode":                      true,
}

// pickle reads the opcodes of protocols 0 to 5 that such a batch needs. Each
// opcode adds at most one value, strings share the input's memory or consume as
// much input as they allocate, and the opcodes are counted: memory is bounded by
// the input and the manifest.
type pickle struct {
	in    []byte
	at    int
	ops   int // left
	stack []any
	memo  map[int]any
}

var errPickleEnd = errors.New("pickle: truncated")

// parsePickle runs the opcodes of one pickle and returns its value. maxOps bounds
// the work.
func parsePickle(in []byte, maxOps int) (any, error) {
	p := &pickle{in: in, ops: maxOps, memo: map[int]any{}}
	for {
		start := p.at
		op, err := p.take(1)
		if err != nil {
			return nil, err
		}
		if p.ops--; p.ops < 0 {
			return nil, fmt.Errorf("pickle: more than %d opcodes", maxOps)
		}
		if op[0] == '.' {
			break
		}
		if err := p.step(op[0]); err != nil {
			return nil, fmt.Errorf("%w (opcode 0x%02x at byte %d)", err, op[0], start)
		}
	}
	if p.at != len(in) {
		return nil, fmt.Errorf("pickle: %d bytes after its end", len(in)-p.at)
	}
	if len(p.stack) != 1 {
		return nil, fmt.Errorf("pickle: %d values at its end, want 1", len(p.stack))
	}
	return p.stack[0], nil
}

// step executes one opcode, by family.
func (p *pickle) step(op byte) error {
	for _, family := range []func(*pickle, byte) (bool, error){
		(*pickle).stepFrame, (*pickle).stepNumber, (*pickle).stepText,
		(*pickle).stepContainer, (*pickle).stepMemo, (*pickle).stepObject,
	} {
		if known, err := family(p, op); known || err != nil {
			return err
		}
	}
	return errors.New("pickle: opcode that no CIFAR-10 batch needs")
}

// stepFrame: protocol number, frame header, mark, constants.
func (p *pickle) stepFrame(op byte) (bool, error) {
	switch op {
	case 0x80: // PROTO
		b, err := p.take(1)
		if err == nil && b[0] > 5 {
			err = fmt.Errorf("pickle: protocol %d, want 0 to 5", b[0])
		}
		return true, err
	case 0x95: // FRAME
		_, err := p.take(8)
		return true, err
	case '(':
		return true, p.push(pyMark{})
	case 'N':
		return true, p.push(pyNone{})
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		return true, p.push(pyBool(op == 0x88))
	}
	return false, nil
}

// stepNumber: integers.
func (p *pickle) stepNumber(op byte) (bool, error) {
	switch op {
	case 'K', 'M', 'J':
		b, err := p.take(map[byte]int{'K': 1, 'M': 2, 'J': 4}[op])
		if err != nil {
			return true, err
		}
		v := pyInt(0)
		switch op {
		case 'K':
			v = pyInt(b[0])
		case 'M':
			v = pyInt(binary.LittleEndian.Uint16(b))
		case 'J':
			v = pyInt(int32(binary.LittleEndian.Uint32(b)))
		}
		return true, p.push(v)
	case 'I', 'L':
		line, err := p.line()
		if err != nil {
			return true, err
		}
		if op == 'I' && (string(line) == "00" || string(line) == "01") {
			return true, p.push(pyBool(line[1] == '1'))
		}
		v, err := strconv.ParseInt(string(bytes.TrimSuffix(line, []byte("L"))), 10, 64)
		if err != nil {
			return true, fmt.Errorf("pickle: bad integer %.20q", line)
		}
		return true, p.push(pyInt(v))
	}
	return false, nil
}

// stepMemo: put and get. A get pushes the same value again; nothing is copied.
func (p *pickle) stepMemo(op byte) (bool, error) {
	var key int
	var err error
	switch op {
	case 'q', 'h':
		key, err = p.length(1)
	case 'r', 'j':
		key, err = p.length(4)
	case 'p', 'g':
		var line []byte
		if line, err = p.line(); err == nil {
			key, err = strconv.Atoi(string(line))
		}
	case 0x94: // MEMOIZE
		key = len(p.memo)
	default:
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("pickle: bad memo key: %w", err)
	}
	if op == 'h' || op == 'j' || op == 'g' {
		v, ok := p.memo[key]
		if !ok {
			return true, fmt.Errorf("pickle: memo %d was never put", key)
		}
		return true, p.push(v)
	}
	v, err := p.top()
	if err == nil {
		p.memo[key] = v
	}
	return true, err
}

// push adds a value to the stack.
func (p *pickle) push(v any) error {
	p.stack = append(p.stack, v)
	return nil
}

// top returns the topmost value, a mark not counting as one.
func (p *pickle) top() (any, error) {
	if len(p.stack) == 0 {
		return nil, errors.New("pickle: empty stack")
	}
	v := p.stack[len(p.stack)-1]
	if _, mark := v.(pyMark); mark {
		return nil, errors.New("pickle: mark where a value should be")
	}
	return v, nil
}

// pop removes and returns the topmost value.
func (p *pickle) pop() (any, error) {
	v, err := p.top()
	if err == nil {
		p.stack = p.stack[:len(p.stack)-1]
	}
	return v, err
}

// popN removes the n topmost values and returns them in stack order.
func (p *pickle) popN(n int) (pyTuple, error) {
	out := make(pyTuple, n)
	for i := n - 1; i >= 0; i-- {
		v, err := p.pop()
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// popMark removes everything down to the topmost mark and returns it in order.
func (p *pickle) popMark() (pyTuple, error) {
	for i := len(p.stack) - 1; i >= 0; i-- {
		if _, mark := p.stack[i].(pyMark); mark {
			out := append(pyTuple(nil), p.stack[i+1:]...)
			p.stack = p.stack[:i]
			return out, nil
		}
	}
	return nil, errors.New("pickle: no mark on the stack")
}

// take returns the next n bytes of the input, not copied.
func (p *pickle) take(n int) ([]byte, error) {
	if n < 0 || n > len(p.in)-p.at {
		return nil, errPickleEnd
	}
	b := p.in[p.at : p.at+n]
	p.at += n
	return b, nil
}

// line returns the bytes up to the next newline, without it.
func (p *pickle) line() ([]byte, error) {
	i := bytes.IndexByte(p.in[p.at:], '\n')
	if i < 0 {
		return nil, errPickleEnd
	}
	b := p.in[p.at : p.at+i]
	p.at += i + 1
	return b, nil
}

// length reads an unsigned little-endian length of n bytes.
func (p *pickle) length(n int) (int, error) {
	b, err := p.take(n)
	if err != nil {
		return 0, err
	}
	var v uint64
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	if v > 1<<31-1 {
		return 0, fmt.Errorf("pickle: length %d", v)
	}
	return int(v), nil
}
