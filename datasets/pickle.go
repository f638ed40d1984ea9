package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
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
	where string // the opcode that runs, for an error
	stack []any
	memo  map[int]any
}

// refusal is why a pickle is not read.
type refusal struct{ error }

// refuse ends the reading of a pickle.
func refuse(format string, args ...any) { panic(refusal{fmt.Errorf("pickle: "+format, args...)}) }

// caught returns, deferred, the refusal that ended a reading.
func caught(err *error) {
	switch x := recover().(type) {
	case nil:
	case refusal:
		*err = x.error
	default:
		panic(x)
	}
}

// refuse ends the reading and says where.
func (p *pickle) refuse(format string, args ...any) {
	refuse("%s%s", fmt.Sprintf(format, args...), p.where)
}

// parsePickle runs the opcodes of one pickle and returns its value. maxOps bounds
// the work. It refuses what no batch needs.
func parsePickle(in []byte, maxOps int) any {
	p := &pickle{in: in, memo: map[int]any{}}
	for n := 0; ; n++ {
		start, op := p.at, p.take(1)[0]
		if n == maxOps {
			p.refuse("more than %d opcodes", maxOps)
		}
		if op == '.' {
			break
		}
		p.where = fmt.Sprintf(" (opcode 0x%02x at byte %d)", op, start)
		if !p.stepValue(op) {
			p.stepObject(op)
		}
		p.where = ""
	}
	if p.at != len(in) {
		p.refuse("%d bytes after its end", len(in)-p.at)
	}
	if len(p.stack) != 1 {
		p.refuse("%d values at its end, want 1", len(p.stack))
	}
	return p.stack[0]
}

// textLength gives the width of the length field before a counted string.
var textLength = map[byte]int{
	'U': 1, 'T': 4, // Python 2 str
	0x8c: 1, 'X': 4, 0x8d: 8, // unicode
	'C': 1, 'B': 4, 0x8e: 8, 0x96: 8, // bytes, bytearray
}

// stepValue executes an opcode that is a value, or none; false: it is another one.
func (p *pickle) stepValue(op byte) bool {
	switch op {
	case 0x80: // PROTO
		if version := p.take(1)[0]; version > 5 {
			p.refuse("protocol %d, want 0 to 5", version)
		}
	case 0x95: // FRAME
		p.take(8)
	case '(':
		p.push(pyMark{})
	case 'N':
		p.push(pyNone{})
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		p.push(pyBool(op == 0x88))
	case 'K':
		p.push(pyInt(p.take(1)[0]))
	case 'M':
		p.push(pyInt(binary.LittleEndian.Uint16(p.take(2))))
	case 'J':
		p.push(pyInt(int32(binary.LittleEndian.Uint32(p.take(4)))))
	case 'I', 'L':
		p.push(p.integer(op))
	case 'S':
		p.push(p.unquote(p.line()))
	case 'V':
		p.push(p.unescape(p.line()))
	default:
		width, ok := textLength[op]
		if ok {
			p.push(pyText(p.take(p.length(width))))
		}
		return ok
	}
	return true
}

// stepObject executes an opcode that puts values together, or takes them from the memo. A get pushes the same value
// again; nothing is copied. Globals and calls are recorded but never executed.
func (p *pickle) stepObject(op byte) {
	switch op {
	case 'q', 'r', 'p', 0x94: // 0x94 is MEMOIZE
		p.memo[p.key(op)] = p.top()
	case 'h', 'j', 'g':
		key := p.key(op)
		v, ok := p.memo[key]
		if !ok {
			p.refuse("memo %d was never put", key)
		}
		p.push(v)
	case ')':
		p.push(pyTuple(nil))
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		p.push(p.popN(int(op) - 0x84))
	case 't':
		p.push(p.popMark())
	case ']':
		p.push(&pyList{})
	case 'l':
		p.push(&pyList{items: p.popMark()})
	case '}':
		p.push(&pyDict{})
	case 'd':
		items := p.popMark()
		p.push(&pyDict{})
		p.extend('u', items)
	case 'a':
		p.extend(op, p.popN(1))
	case 's':
		p.extend(op, p.popN(2))
	case 'e', 'u':
		p.extend(op, p.popMark())
	case 'c':
		module := p.line()
		p.global(pyText(module), pyText(p.line()))
	case 0x93: // STACK_GLOBAL
		v := p.popN(2)
		p.global(v[0], v[1])
	case 'R':
		v := p.popN(2)
		fn, ok1 := v[0].(pyGlobal)
		args, ok2 := v[1].(pyTuple)
		if !ok1 || !ok2 {
			p.refuse("call of something that is no known global")
		}
		p.push(&pyCall{fn: fn, args: args})
	case 'b':
		state := p.popN(1)[0]
		call, ok := p.top().(*pyCall)
		if !ok || call.state != nil {
			p.refuse("state for something that takes none")
		}
		call.state = state
	default:
		p.refuse("opcode that no CIFAR-10 batch needs")
	}
}

// integer reads a number that is a line.
func (p *pickle) integer(op byte) any {
	line := string(p.line())
	if op == 'I' && (line == "00" || line == "01") {
		return pyBool(line == "01")
	}
	v, err := strconv.ParseInt(strings.TrimSuffix(line, "L"), 10, 64)
	if err != nil {
		p.refuse("bad integer %.20q", line)
	}
	return pyInt(v)
}

// key reads the place in the memo that an opcode names.
func (p *pickle) key(op byte) int {
	switch op {
	case 'q', 'h':
		return p.length(1)
	case 'r', 'j':
		return p.length(4)
	case 0x94:
		return len(p.memo)
	}
	key, err := strconv.Atoi(string(p.line()))
	if err != nil {
		p.refuse("bad memo key: %v", err)
	}
	return key
}

// push adds a value to the stack.
func (p *pickle) push(v any) { p.stack = append(p.stack, v) }

// top returns the topmost value, a mark not counting as one.
func (p *pickle) top() any {
	if len(p.stack) == 0 {
		p.refuse("empty stack")
	}
	v := p.stack[len(p.stack)-1]
	if _, mark := v.(pyMark); mark {
		p.refuse("mark where a value should be")
	}
	return v
}

// popN removes the n topmost values and returns them in stack order.
func (p *pickle) popN(n int) pyTuple {
	out := make(pyTuple, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = p.top()
		p.stack = p.stack[:len(p.stack)-1]
	}
	return out
}

// popMark removes everything down to the topmost mark and returns it in order.
func (p *pickle) popMark() (out pyTuple) {
	for i := len(p.stack) - 1; i >= 0; i-- {
		if _, mark := p.stack[i].(pyMark); mark {
			out = append(out, p.stack[i+1:]...)
			p.stack = p.stack[:i]
			return out
		}
	}
	p.refuse("no mark on the stack")
	return nil
}

// take returns the next n bytes of the input, not copied.
func (p *pickle) take(n int) []byte {
	if n > len(p.in)-p.at {
		p.refuse("truncated")
	}
	b := p.in[p.at : p.at+n]
	p.at += n
	return b
}

// line returns the bytes up to the next newline, without it.
func (p *pickle) line() []byte {
	i := bytes.IndexByte(p.in[p.at:], '\n')
	if i < 0 {
		p.refuse("truncated")
	}
	b := p.in[p.at : p.at+i]
	p.at += i + 1
	return b
}

// length reads an unsigned little-endian length of n bytes.
func (p *pickle) length(n int) int {
	b := p.take(n)
	var v uint64
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	if v > 1<<31-1 {
		p.refuse("length %d", v)
	}
	return int(v)
}

// escapes are the characters behind a backslash in Python 2's repr of a str, but for x.
var escapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote undoes Python 2's repr of a str.
func (p *pickle) unquote(s []byte) (out pyText) {
	const bad = "bad quoted string"
	if len(s) < 2 || s[0] != s[len(s)-1] || (s[0] != '\'' && s[0] != '"') {
		p.refuse(bad)
	}
	s = s[1 : len(s)-1]
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		if i++; i >= len(s) {
			p.refuse(bad)
		}
		c, ok := escapes[s[i]]
		if s[i] == 'x' && i+2 < len(s) {
			v, err := strconv.ParseUint(string(s[i+1:i+3]), 16, 8)
			c, ok = byte(v), err == nil
			i += 2
		}
		if !ok {
			p.refuse(bad)
		}
		out = append(out, c)
	}
	return out
}

// unescape undoes Python's raw-unicode-escape (Latin-1 and \uXXXX) into UTF-8.
func (p *pickle) unescape(s []byte) pyText {
	out := make([]byte, 0, len(s)+len(s)/2)
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) || s[i+1] != 'u' {
			out = utf8.AppendRune(out, rune(s[i]))
			continue
		}
		v, err := strconv.ParseUint(string(s[min(i+2, len(s)):min(i+6, len(s))]), 16, 16)
		if err != nil || i+5 >= len(s) {
			p.refuse("bad \\u escape")
		}
		out = utf8.AppendRune(out, rune(v))
		i += 5
	}
	return out
}

// extend adds items to the list or the dictionary on top of the stack: to this key, value, key, value …
func (p *pickle) extend(op byte, items pyTuple) {
	v := p.top()
	list, isList := v.(*pyList)
	dict, isDict := v.(*pyDict)
	switch {
	case isList && (op == 'a' || op == 'e'):
		list.items = append(list.items, items...)
	case !isDict || op == 'a' || op == 'e':
		p.refuse("items added to a %T", v)
	case len(items)%2 != 0:
		p.refuse("a key without a value")
	default:
		for i := 0; i < len(items); i += 2 {
			dict.keys, dict.values = append(dict.keys, items[i]), append(dict.values, items[i+1])
		}
	}
}

// global pushes a global that numpy's array shape needs and refuses any other.
func (p *pickle) global(module, name any) {
	m, ok1 := module.(pyText)
	n, ok2 := name.(pyText)
	if !ok1 || !ok2 {
		p.refuse("global without a name")
	}
	if len(m)+len(n) > 100 {
		p.refuse("global with a long name refused")
	}
	g := pyGlobal(string(m) + "." + string(n))
	if !pyGlobals[g] {
		p.refuse("global %q refused, only a numpy array of bytes is read", string(g))
	}
	p.push(g)
}
