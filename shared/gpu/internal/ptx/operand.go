package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// bank says where a register lies.
type bank int

const (
	word      bank = iota // 16 or 32 bits
	long                  // 64 bits
	predicate             // one bit per thread of the warp
)

func (b bank) String() string {
	return [...]string{"32-bit register", "64-bit register", "predicate"}[b]
}

type operand struct {
	bank
	at int
}

// Registers that every warp has, in this order, before those that a kernel declares.
const (
	tidX = iota
	tidY
	tidZ
	ctaidX
	ctaidY
	ctaidZ
	ntidX
	ntidY
	ntidZ
	nctaidX
	nctaidY
	nctaidZ
	specials
)

func (d *decoder) specials() {
	for i, name := range [specials]string{
		"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
		"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
	} {
		d.register[name] = operand{word, i}
	}
	d.k.words, d.k.begin = specials, [2]int{specials, 0}
}

// want returns the register of a bank that s names; a literal or a shared variable
// becomes a register that holds it in all threads.
func (d *decoder) want(b bank, s string) (int, error) {
	if o, ok := d.register[s]; ok {
		if o.bank != b {
			return 0, fmt.Errorf("%s is a %v, want a %v", s, o.bank, b)
		}
		return o.at, nil
	}
	if b == predicate {
		return d.truth(s)
	}
	bits, err := d.literal(s, b)
	if err != nil {
		return 0, err
	}
	c := constant{wide: b == long, bits: bits}
	if at, ok := d.known[c]; ok {
		return at, nil
	}
	at := &d.k.words
	if c.wide {
		at = &d.k.longs
	}
	d.known[c] = *at
	d.k.consts = append(d.k.consts, constant{c.wide, *at, bits})
	*at++
	return *at - 1, nil
}

// truth returns a predicate that is the same in all threads: 0, or −1 for all.
func (d *decoder) truth(s string) (int, error) {
	if s != "0" && s != "-1" {
		return 0, fmt.Errorf("there is no predicate %s", s)
	}
	o, ok := d.register["truth "+s]
	if !ok {
		o = operand{predicate, d.k.preds}
		d.register["truth "+s] = o
		d.k.preds++
		if s == "-1" {
			d.k.always = append(d.k.always, o.at)
		}
	}
	return o.at, nil
}

// target returns a register that is written.
func (d *decoder) target(b bank, s string) (int, error) {
	o, ok := d.register[s]
	if !ok || o.bank != b || b == word && o.at < specials {
		return 0, fmt.Errorf("%s is no %v to write to", s, b)
	}
	return o.at, nil
}

func (d *decoder) literal(s string, b bank) (uint64, error) {
	for _, l := range []layout{d.shared, d.local} {
		if at, ok := l.offset[s]; ok && b == long {
			return at, nil
		}
	}
	bits := 32
	if b == long {
		bits = 64
	}
	if hex, ok := strings.CutPrefix(s, map[bank]string{word: "0f", long: "0d"}[b]); ok {
		return strconv.ParseUint(hex, 16, bits)
	}
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		var u uint64
		if u, err = strconv.ParseUint(s, 0, 64); err != nil {
			return 0, fmt.Errorf("operand %q is not known", s)
		}
		return u, nil
	}
	if b == word {
		if v < -1<<31 || v >= 1<<32 {
			return 0, fmt.Errorf("%s does not fit 32 bits", s)
		}
		return uint64(uint32(v)), nil
	}
	return uint64(v), nil
}

// wants returns the registers of several operands, one bank each.
func (d *decoder) wants(args []string, banks ...bank) ([]int, error) {
	if len(args) != len(banks) {
		return nil, fmt.Errorf("%d operands, want %d", len(args), len(banks))
	}
	out := make([]int, len(args))
	for i, a := range args {
		var err error
		if i == 0 {
			out[i], err = d.target(banks[i], a)
		} else {
			out[i], err = d.want(banks[i], a)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decode finds what executes an opcode. Opcodes are looked up as a whole: add.f32, which
// a driver may fuse with a product, is not add.rn.f32, and unknown.
func (d *decoder) decode(opcode string, args []string) (step, error) {
	for _, part := range []string{"ld.", "st."} {
		if strings.HasPrefix(opcode, part) {
			return d.access(opcode, args)
		}
	}
	if form, ok := forms[opcode]; ok {
		r, err := d.wants(args, form.banks...)
		if err != nil {
			return nil, err
		}
		return form.make(r), nil
	}
	if compare, ok := strings.CutPrefix(opcode, "setp."); ok {
		return d.compare(compare, args)
	}
	switch opcode {
	case "shfl.sync.bfly.b32":
		return d.shuffle(args)
	case "vote.sync.ballot.b32":
		return d.ballot(args)
	}
	return nil, fmt.Errorf("instruction %s is not known", opcode)
}

// form is how an opcode's operands lie and what makes its step of their registers.
type form struct {
	banks []bank
	make  func(r []int) step
}
