package ptx

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// parser reads line by line, as clang writes: one directive, label or instruction each.
type parser struct {
	module *Module
	global layout // shared variables of the module
	state  place
	kernel *Kernel
	decoder
}

type place int

const (
	outside place = iota
	inParams
	beforeBody
	inBody
)

// layout places variables with space between, so that an index behind one is
// not in the next.
type layout struct {
	offset map[string]uint64
	valid  []bool // per word
}

// redZone is the space behind a variable, in words.
const redZone = 32

func (l *layout) declare(name string, bytes int) {
	l.offset[name] = uint64(4 * len(l.valid))
	words := (bytes + 15) / 16 * 4
	for i := range words {
		l.valid = append(l.valid, 4*i < bytes)
	}
	l.valid = append(l.valid, make([]bool, redZone)...)
}

// decoder holds what names mean within a kernel.
type decoder struct {
	k        *Kernel
	register map[string]operand
	params   map[string]int
	shared   layout
	local    layout
	labels   map[string]int
	branches map[int]string
	known    map[constant]int
}

func (p *parser) line(number int, line string) error {
	f := strings.Fields(line)
	switch p.state {
	case outside:
		return p.outside(line, f)
	case inParams:
		return p.param(f)
	case beforeBody:
		return p.attribute(line, f)
	}
	switch {
	case line == "}":
		return p.end()
	case strings.HasSuffix(line, ":"):
		p.labels[line[:len(line)-1]] = len(p.k.code)
		return nil
	case !strings.HasSuffix(line, ";"):
		return fmt.Errorf("a statement that goes on in the next line is not known")
	case f[0] == ".reg" && len(p.k.code) == 0:
		return p.registers(f)
	case f[0] == ".shared":
		return declare(&p.shared, f)
	case f[0] == ".local":
		return declare(&p.local, f)
	case f[0] == ".pragma":
		return nil
	case f[0][0] == '.':
		return fmt.Errorf("directive %s is not known", f[0])
	}
	return p.instruction(number, strings.TrimSuffix(line, ";"))
}

// outside reads what stands between kernels.
func (p *parser) outside(line string, f []string) error {
	switch {
	case f[0] == ".version", f[0] == ".target", f[0] == ".address_size" && f[1] == "64":
		return nil
	case f[0] == ".shared":
		return declare(&p.global, f)
	case f[0] == ".visible" && len(f) == 3 && f[1] == ".entry" && strings.HasSuffix(line, "("):
		name := strings.TrimSuffix(f[2], "(")
		if p.module.kernels[name] != nil {
			return fmt.Errorf("kernel %s is defined twice", name)
		}
		p.kernel = &Kernel{Name: name}
		p.decoder = decoder{
			k: p.kernel, register: map[string]operand{}, params: map[string]int{}, labels: map[string]int{}, branches: map[int]string{},
			known: map[constant]int{}, local: layout{offset: map[string]uint64{}}, shared: layout{offset: maps.Clone(p.global.offset),
				valid: append([]bool(nil), p.global.valid...)},
		}
		p.specials()
		p.state = inParams
		return nil
	}
	return fmt.Errorf("directive %s is not known here", f[0])
}

// param reads one parameter; ")" ends them.
func (p *parser) param(f []string) error {
	if f[0] == ")" {
		p.state = beforeBody
		return nil
	}
	sizes := map[string]int{".u64": 8, ".f64": 8, ".s64": 8, ".b64": 8, ".u32": 4, ".s32": 4, ".f32": 4, ".b32": 4}
	if f[0] != ".param" || len(f) != 3 || sizes[f[1]] == 0 {
		return fmt.Errorf("a parameter of this type is not known")
	}
	p.params[strings.TrimSuffix(f[2], ",")] = len(p.k.Params)
	p.k.Params = append(p.k.Params, sizes[f[1]])
	return nil
}

// attribute reads what stands between parameters and body.
func (p *parser) attribute(line string, f []string) error {
	switch f[0] {
	case "{":
		p.state = inBody
		return nil
	case ".maxntid":
		d := &p.k.Block
		if n, err := fmt.Sscanf(line, ".maxntid %d, %d, %d", &d.X, &d.Y, &d.Z); n != 3 || err != nil {
			return fmt.Errorf("want three numbers")
		}
		return nil
	}
	return fmt.Errorf("directive %s is not known here", f[0])
}

// declare reads .shared .align a .b8 name[bytes]; and .local
func declare(l *layout, f []string) error {
	name, size, ok := strings.Cut(f[len(f)-1], "[")
	n, err := strconv.Atoi(strings.TrimSuffix(size, "];"))
	if !ok || err != nil || len(f) != 5 || f[1] != ".align" || f[3] != ".b8" {
		return fmt.Errorf("a variable other than an array of bytes is not known")
	}
	l.declare(name, n)
	return nil
}

// registers reads .reg .b32 %r<7>;
func (p *parser) registers(f []string) error {
	if len(f) != 3 {
		return fmt.Errorf("want a type and a name")
	}
	name, count, many := strings.Cut(strings.TrimSuffix(f[2], ";"), "<")
	if !many {
		count = "1"
	}
	n, err := strconv.Atoi(strings.TrimSuffix(count, ">"))
	if err != nil {
		return err
	}
	for i := range n {
		var o operand
		switch f[1] {
		case ".pred":
			o = operand{predicate, p.k.preds}
			p.k.preds++
		case ".b16", ".b32", ".f32":
			o = operand{word, p.k.words}
			p.k.words++
			p.k.begin[0] = p.k.words
		case ".b64", ".f64":
			o = operand{long, p.k.longs}
			p.k.longs++
			p.k.begin[1] = p.k.longs
		default:
			return fmt.Errorf("registers of type %s are not known", f[1])
		}
		if many {
			p.register[name+strconv.Itoa(i)] = o
		} else {
			p.register[name] = o
		}
	}
	return nil
}

// end closes a kernel: branches find their labels.
func (p *parser) end() error {
	for at, label := range p.branches {
		target, ok := p.labels[label]
		if !ok {
			return fmt.Errorf("there is no label %s", label)
		}
		p.k.code[at].target = target
	}
	if n := len(p.k.code); n == 0 || p.k.code[n-1].kind != exit && p.k.code[n-1].kind != branch {
		return fmt.Errorf("the last instruction neither returns nor branches")
	}
	findMeets(p.k.code)
	p.k.shared, p.k.local = p.shared.valid, p.local.valid
	p.module.kernels[p.k.Name] = p.k
	p.state = outside
	return nil
}

// instruction decodes [@[!]%p] opcode operands.
func (d *decoder) instruction(number int, text string) error {
	in := instruction{guard: -1, line: number, text: strings.Join(strings.Fields(text), " ")}
	if guard, rest, ok := strings.Cut(text, " "); ok && guard[0] == '@' {
		guard = guard[1:]
		in.negate = guard[0] == '!'
		o, err := d.want(predicate, strings.TrimPrefix(guard, "!"))
		if err != nil {
			return err
		}
		in.guard, text = o, strings.TrimSpace(rest)
	}
	opcode, rest, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	args := splitOperands(rest)
	switch {
	case opcode == "ret":
		in.kind = exit
	case (opcode == "bra" || opcode == "bra.uni") && len(args) == 1:
		in.kind = branch
		d.branches[len(d.k.code)] = args[0]
	case opcode == "bar.sync" && len(args) == 1 && args[0] == "0":
		in.kind = wait
	default:
		run, err := d.decode(opcode, args)
		if err != nil {
			return err
		}
		in.run = run
	}
	d.k.code = append(d.k.code, in)
	return nil
}

// splitOperands splits at commas outside of braces.
func splitOperands(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		out = append(out, last)
	}
	return out
}
