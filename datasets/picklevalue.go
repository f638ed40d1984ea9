package datasets

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// textLength gives the width of the length field before a counted string.
var textLength = map[byte]int{
	'U': 1, 'T': 4, // Python 2 str
	0x8c: 1, 'X': 4, 0x8d: 8, // unicode
	'C': 1, 'B': 4, 0x8e: 8, 0x96: 8, // bytes, bytearray
}

// stepText: strings, counted or in a line.
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

// stepContainer: tuples, lists, dictionaries.
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

// stepObject: globals and calls, recorded but never executed.
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
