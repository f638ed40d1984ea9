package reports

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"gradsync/reports/draw"
)

// The scripts that run while a page is written. ECharts is the very file the
// page loads; Temml never leaves the program.
var (
	//go:embed assets/echarts-6.1.0.min.js
	echartsJS string
	//go:embed assets/report.js
	reportJS string
	//go:embed assets/widgets.js
	widgetsJS string
	//go:embed lib/temml-0.13.5.min.js
	temmlJS string
)

// The libraries as the machines run them. ECharts costs about a second to compile,
// once however often a program renders.
var (
	echarts = sync.OnceValues(func() (*goja.Program, error) {
		return goja.Compile("", echartsJS+"\n;"+reportJS+"\n;gradsyncInstall(echarts)", false)
	})
	temml = sync.OnceValues(func() (*goja.Program, error) {
		return goja.Compile("", temmlJS+"\n;self.temml=temml", false)
	})
)

// scripts is one JavaScript machine for a whole render. A library is loaded when the
// first figure or formula asks for it.
type scripts struct {
	vm      *goja.Runtime
	echarts bool
	temml   bool
}

// newScripts returns a machine with the few globals that the libraries touch.
func newScripts() (*scripts, error) {
	s := &scripts{vm: goja.New()}
	const globals = `var self=this,window=undefined,console={log(){},warn(){},error(){}},` +
		`setTimeout=function(){return 0},clearTimeout=function(){};`
	if _, err := s.vm.RunString(globals); err != nil {
		return nil, fmt.Errorf("reports: preparing scripts: %w", err)
	}
	return s, nil
}

// run loads a library.
func (s *scripts) run(library func() (*goja.Program, error)) error {
	p, err := library()
	if err == nil {
		_, err = s.vm.RunProgram(p)
	}
	return err
}

// figureWidth and figureHeight are the drawn size of a figure in pixels; a
// printed one scales with the page.
const figureWidth = 900

// figureHeight grows with the lanes of a time line.
func figureHeight(lanes int) int {
	if lanes == 0 {
		return 400
	}
	return min(140+44*lanes, 900)
}

const drawScript = `(function(opt,w,h){var o=JSON.parse(opt);o.animation=false;` +
	`var c=echarts.init(null,null,{renderer:'svg',ssr:true,width:w,height:h});` +
	`try{c.setOption(o);return c.renderToSVGString()}finally{c.dispose()}})`

// svg draws an option. Text takes the colour of the text around the figure, and
// identifiers start with id, so that a page can hold many.
func (s *scripts) svg(id string, option []byte, height int) (string, error) {
	if !s.echarts {
		if err := s.run(echarts); err != nil {
			return "", fmt.Errorf("reports: loading ECharts: %w", err)
		}
		s.echarts = true
	}
	out, err := s.call(drawScript, string(option), figureWidth, height)
	if err != nil {
		return "", fmt.Errorf("reports: drawing %s: %w", id, err)
	}
	return draw.Tidy(id, out)
}

// mathML turns TeX into MathML that carries the TeX, so that a reader can copy
// it. An unknown command is an error: a formula must not lose a part in silence.
func (s *scripts) mathML(tex string) (string, error) {
	if !s.temml {
		if err := s.run(temml); err != nil {
			return "", fmt.Errorf("reports: loading Temml: %w", err)
		}
		s.temml = true
	}
	const f = `(function(t){return temml.renderToString(t,{displayMode:true,throwOnError:true,annotate:true,xml:true})})`
	out, err := s.call(f, tex)
	if err != nil {
		return "", fmt.Errorf("reports: formula %q: %w", tex, err)
	}
	return out, nil
}

// call applies a JavaScript function expression to arguments.
func (s *scripts) call(fn string, args ...any) (string, error) {
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
