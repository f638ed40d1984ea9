package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The values a pickle of a CIFAR-10 batch is made of. Nothing is ever called: a
// call stays a record of what the pickle asked for, and the reader of CIFAR-10 accepts the
// one shape that numpy writes.
//
// No library reads these within the bounds below: nlpodyssey/gopickle v0.2.0 allocates 2 GiB for a file of 8 bytes and
// panics at a length of 2^62, and kisielk/og-rek v1.3.0 lacks BUILD, by which numpy restores an array.
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

// stepFrame handles protocol number, frame header, mark, constants.
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

// stepNumber handles integers.
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

// stepMemo handles put and get. A get pushes the same value again; nothing is copied.
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

// textLength gives the width of the length field before a counted string.
var textLength = map[byte]int{
	'U': 1, 'T': 4, // Python 2 str
	0x8c: 1, 'X': 4, 0x8d: 8, // unicode
	'C': 1, 'B': 4, 0x8e: 8, 0x96: 8, // bytes, bytearray
}

// stepText handles strings, counted or in a line.
func (p *pickle) stepText(op byte) (bool, error) {
	if width, ok := textLength[op]; ok {
		n, err := p.length(width)
		if err != nil {
			return true, err
		}
		b, err := p.take(n)
		if err != nil {
			return true, err
		}
		return true, p.push(pyText(b))
	}
	if op != 'S' && op != 'V' {
		return false, nil
	}
	line, err := p.line()
	if err != nil {
		return true, err
	}
	if op == 'S' {
		line, err = unquote(line)
	} else {
		line, err = unescape(line)
	}
	if err != nil {
		return true, err
	}
	return true, p.push(pyText(line))
}

// unquote undoes Python 2's repr of a str.
func unquote(s []byte) ([]byte, error) {
	bad := errors.New("pickle: bad quoted string")
	if len(s) < 2 || s[0] != s[len(s)-1] || (s[0] != '\'' && s[0] != '"') {
		return nil, bad
	}
	s = s[1 : len(s)-1]
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		if i++; i >= len(s) {
			return nil, bad
		}
		switch s[i] {
		case '\\', '\'', '"':
			out = append(out, s[i])
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'x':
			if i+2 >= len(s) {
				return nil, bad
			}
			v, err := strconv.ParseUint(string(s[i+1:i+3]), 16, 8)
			if err != nil {
				return nil, bad
			}
			out = append(out, byte(v))
			i += 2
		default:
			return nil, bad
		}
	}
	return out, nil
}

// unescape undoes Python's raw-unicode-escape (Latin-1 and \uXXXX) into UTF-8.
func unescape(s []byte) ([]byte, error) {
	out := make([]byte, 0, len(s)+len(s)/2)
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) || s[i+1] != 'u' {
			out = utf8.AppendRune(out, rune(s[i]))
			continue
		}
		if i+5 >= len(s) {
			return nil, errors.New("pickle: bad \\u escape")
		}
		v, err := strconv.ParseUint(string(s[i+2:i+6]), 16, 16)
		if err != nil {
			return nil, errors.New("pickle: bad \\u escape")
		}
		out = utf8.AppendRune(out, rune(v))
		i += 5
	}
	return out, nil
}

// stepContainer handles tuples, lists, dictionaries.
func (p *pickle) stepContainer(op byte) (bool, error) {
	var items pyTuple
	var err error
	switch op {
	case ')', ']', '}':
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		items, err = p.popN(int(op) - 0x84)
	case 'a':
		items, err = p.popN(1)
	case 's':
		items, err = p.popN(2)
	case 't', 'l', 'd', 'e', 'u':
		items, err = p.popMark()
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	switch op {
	case ']', 'l':
		return true, p.push(&pyList{items: items})
	case '}', 'd':
		d := &pyDict{}
		if err := d.add(items); err != nil {
			return true, err
		}
		return true, p.push(d)
	case 'a', 'e', 's', 'u':
		return true, p.extend(op, items)
	}
	return true, p.push(items)
}

// extend adds items to the list or dictionary on top of the stack.
func (p *pickle) extend(op byte, items pyTuple) error {
	v, err := p.top()
	if err != nil {
		return err
	}
	switch c := v.(type) {
	case *pyList:
		if op == 'a' || op == 'e' {
			c.items = append(c.items, items...)
			return nil
		}
	case *pyDict:
		if op == 's' || op == 'u' {
			return c.add(items)
		}
	}
	return fmt.Errorf("pickle: items added to a %T", v)
}

// add puts key, value, key, value … into the dictionary.
func (d *pyDict) add(items pyTuple) error {
	if len(items)%2 != 0 {
		return errors.New("pickle: a key without a value")
	}
	for i := 0; i < len(items); i += 2 {
		d.keys, d.values = append(d.keys, items[i]), append(d.values, items[i+1])
	}
	return nil
}

// stepObject handles globals and calls, which are recorded but never executed.
func (p *pickle) stepObject(op byte) (bool, error) {
	switch op {
	case 'c':
		module, err := p.line()
		if err != nil {
			return true, err
		}
		name, err := p.line()
		if err != nil {
			return true, err
		}
		return true, p.global(pyText(module), pyText(name))
	case 0x93: // STACK_GLOBAL
		v, err := p.popN(2)
		if err != nil {
			return true, err
		}
		return true, p.global(v[0], v[1])
	case 'R':
		v, err := p.popN(2)
		if err != nil {
			return true, err
		}
		fn, ok1 := v[0].(pyGlobal)
		args, ok2 := v[1].(pyTuple)
		if !ok1 || !ok2 {
			return true, errors.New("pickle: call of something that is no known global")
		}
		return true, p.push(&pyCall{fn: fn, args: args})
	case 'b':
		state, err := p.pop()
		if err != nil {
			return true, err
		}
		v, err := p.top()
		if err != nil {
			return true, err
		}
		call, ok := v.(*pyCall)
		if !ok || call.state != nil {
			return true, errors.New("pickle: state for something that takes none")
		}
		call.state = state
		return true, nil
	}
	return false, nil
}

// global pushes a global that numpy's array shape needs and refuses any other.
func (p *pickle) global(module, name any) error {
	m, ok1 := module.(pyText)
	n, ok2 := name.(pyText)
	if !ok1 || !ok2 {
		return errors.New("pickle: global without a name")
	}
	if len(m)+len(n) > 100 {
		return errors.New("pickle: global with a long name refused")
	}
	g := pyGlobal(string(m) + "." + string(n))
	if !pyGlobals[g] {
		return fmt.Errorf("pickle: global %q refused, only a numpy array of bytes is read", string(g))
	}
	return p.push(g)
}
