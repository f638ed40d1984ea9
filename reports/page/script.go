package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// Library is a JavaScript library that Scripts loads when it is first needed. It is compiled once
// per program: ECharts takes about a second.
type Library struct {
	name    string
	compile func() (*goja.Program, error)
}

// NewLibrary names a library by its sources, which are read when it is compiled.
func NewLibrary(name string, sources func() (string, error)) *Library {
	return &Library{name, sync.OnceValues(func() (*goja.Program, error) {
		js, err := sources()
		if err != nil {
			return nil, err
		}
		return goja.Compile("", js, false)
	})}
}

// Scripts is the JavaScript machine of a render.
type Scripts struct {
	vm  *goja.Runtime
	has map[*Library]bool
}

// NewScripts returns a machine with the few globals that the libraries touch.
func NewScripts() (*Scripts, error) {
	s := &Scripts{vm: goja.New(), has: map[*Library]bool{}}
	const globals = `var self=this,window=undefined,console={log(){},warn(){},error(){}},` +
		`setTimeout=function(){return 0},clearTimeout=function(){};`
	if _, err := s.vm.RunString(globals); err != nil {
		return nil, fmt.Errorf("page: preparing scripts: %w", err)
	}
	return s, nil
}

// Load runs a library unless the machine has it already.
func (s *Scripts) Load(l *Library) error {
	if s.has[l] {
		return nil
	}
	p, err := l.compile()
	if err == nil {
		_, err = s.vm.RunProgram(p)
	}
	if err != nil {
		return fmt.Errorf("page: loading %s: %w", l.name, err)
	}
	s.has[l] = true
	return nil
}

// Call applies a JavaScript function expression to arguments.
func (s *Scripts) Call(fn string, args ...any) (string, error) {
	list := make([]string, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			return "", err
		}
		list[i] = string(b)
	}
	v, err := s.vm.RunString(fn + "(" + strings.Join(list, ",") + ")")
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

//go:embed lib/temml-0.13.5.min.js
var temmlJS string

// temml never leaves the program.
var temml = NewLibrary("Temml", func() (string, error) { return temmlJS + "\n;self.temml=temml", nil })

// MathML turns TeX into MathML that carries the TeX, so that a reader can copy
// it. An unknown command is an error: a formula must not lose a part in silence.
func (s *Scripts) MathML(tex string) (string, error) {
	if err := s.Load(temml); err != nil {
		return "", err
	}
	const f = `(function(t){return temml.renderToString(t,{displayMode:true,throwOnError:true,annotate:true,xml:true})})`
	out, err := s.Call(f, tex)
	if err != nil {
		return "", fmt.Errorf("page: formula %q: %w", tex, err)
	}
	return out, nil
}
