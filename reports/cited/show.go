package cited

import (
	"fmt"
	"html/template"
	"maps"
	"slices"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// stepView is one step with the lines that carry it out, or why none does.
type stepView struct {
	algorithmLine
	N      int
	Places []goLines
	Why    notebook.Both
}

// goLines are lines of a symbol, counted from the first of its declaration.
type goLines struct {
	Symbol      string
	First, Last int
	Anchor      string // of the first line, on the page
}

// Shown holds what a page shows of a document: formulas as MathML, algorithms, and the Go
// that carries them out.
type Shown struct {
	Algs     []algorithm
	Formulas []formulaView
	Beside   bool // the Go stands beside algorithms and formulas
}

type formulaView struct {
	Formula
	MathML        template.HTML
	PrintedMathML template.HTML
	Go            []excerpt // of a page that is made with the source
}

// Show sets a document's formulas and puts its Go beside them and its algorithms;
// without a source it leaves the Go out.
func Show(p *Document, scripts *page.Scripts, s *Source) (*Shown, error) {
	v := &Shown{}
	for _, f := range p.Formulas {
		m, err := scripts.MathML(f.TeX)
		if err != nil {
			return nil, err
		}
		view := formulaView{Formula: f, MathML: template.HTML(m)}
		if f.Printed != "" {
			if m, err = scripts.MathML(f.Printed); err != nil {
				return nil, err
			}
			view.PrintedMathML = template.HTML(m)
		}
		v.Formulas = append(v.Formulas, view)
	}
	return v, v.beside(p, s)
}

// beside puts algorithms and formulas beside the Go that carries them out; without a
// source it leaves them alone.
func (v *Shown) beside(p *Document, s *Source) error {
	v.Algs, v.Beside = slices.Clone(p.Algorithms), s != nil
	shown := map[string]bool{}
	for i := range v.Algs {
		if err := v.Algs[i].beside(p.Key, s, shown); err != nil {
			return err
		}
		v.Algs[i].cut(min(mostLines, pageLines/len(v.Algs)))
	}
	if s == nil {
		return nil
	}
	for i := range v.Formulas {
		if err := v.Formulas[i].beside(s); err != nil {
			return fmt.Errorf("%w (%s, formula %s)", err, p.Key, v.Formulas[i].ID)
		}
	}
	if err := unshown(p, s, shown); err != nil {
		return err
	}
	for i := range v.Algs {
		if err := v.Algs[i].complete(p.Key); err != nil {
			return err
		}
	}
	return nil
}

// beside fills in a's excerpts and where its steps are in them. A mark of a step that
// a does not have is an error; shown notes those seen.
func (a *algorithm) beside(doc string, s *Source, shown map[string]bool) error {
	for i, st := range a.Steps {
		a.Views = append(a.Views, stepView{algorithmLine: st, N: i + 1, Why: a.Elsewhere[i+1]})
	}
	if s == nil {
		return nil
	}
	for _, name := range a.Code {
		e, err := s.excerpt(name)
		if err != nil {
			return fmt.Errorf("%w (%s, %s)", err, doc, a.ID)
		}
		f, _, _ := s.find(name)
		for _, m := range f.marks {
			if m.Of != a.Place || m.File != e.File || m.At < e.First || m.At > e.Last() {
				continue
			}
			shown[m.where()] = true
			if err := a.place(&e, m); err != nil {
				return err
			}
		}
		if !e.Marked {
			return fmt.Errorf("cited: source %s carries out no step of %s (%s)", name, a.Place, doc)
		}
		e.Of = a.ID
		a.Go = append(a.Go, e)
	}
	return nil
}

// mostLines is how many lines of Go a page shows beside one algorithm, and pageLines beside all.
const mostLines, pageLines = 60, 56

// cut shows as much of each step as a number of lines leaves room for.
func (a *algorithm) cut(lines int) {
	for most := lines; most > 0; most-- {
		total := 0
		for i := range a.Go {
			a.Go[i].Cap = most
			total += len(a.Go[i].Decisive())
		}
		if total <= lines {
			return
		}
	}
}

// complete returns an error unless each step has either lines or a reason to have none.
func (a *algorithm) complete(doc string) error {
	for _, n := range slices.Sorted(maps.Keys(a.Elsewhere)) {
		if n < 1 || n > len(a.Steps) {
			return fmt.Errorf("cited: %s: a reason for %s %d, of %d", doc, a.Place, n, len(a.Steps))
		}
	}
	for _, st := range a.Views {
		if len(st.Places) == 0 && st.Why.En() == "" {
			return fmt.Errorf("cited: %s: no Go is marked %q, and no reason says why", doc, fmt.Sprintf("%s %d", a.Place, st.N))
		}
		if len(st.Places) > 0 && st.Why.En() != "" {
			return fmt.Errorf("cited: %s: %s %d has a mark at %s:%d and a reason to have none",
				doc, a.Place, st.N, st.Places[0].Symbol, st.Places[0].First)
		}
	}
	return nil
}

// place enters one mark into the steps and the lines of e.
func (a *algorithm) place(e *excerpt, m stepMark) error {
	for _, n := range m.Steps {
		if n < 1 || n > len(a.Views) {
			return fmt.Errorf("cited: source %s marks %s %d, of %d", m.where(), a.Place, n, len(a.Views))
		}
		st := &a.Views[n-1]
		anchor := fmt.Sprintf("%s-L%d", a.ID, n)
		if k := len(st.Places); k > 0 {
			anchor += fmt.Sprintf("-%d", k)
		}
		st.Places = append(st.Places, goLines{e.Symbol, m.First - e.First + 1, m.Last - e.First + 1, anchor})
		e.Marked = true
		first := &e.Lines[m.First-e.First]
		first.Begins = append(first.Begins, lineStart{n, anchor})
		for i := m.First; i <= m.Last; i++ {
			l := &e.Lines[i-e.First]
			l.Steps = with(l.Steps, n)
		}
	}
	return nil
}

// with returns ns, which is sorted, with n in its place, each once.
func with(ns []int, n int) []int {
	at, found := slices.BinarySearch(ns, n)
	if found {
		return ns
	}
	return slices.Insert(ns, at, n)
}

// unshown returns an error for a mark in a folder that p cites which is on no page: of
// a step or an algorithm that is not there, or outside the excerpts.
func unshown(p *Document, s *Source, shown map[string]bool) error {
	var names []string
	for _, a := range p.Algorithms {
		names = append(names, a.Code...)
	}
	for _, f := range p.Formulas {
		names = append(names, f.Code...)
	}
	for _, name := range names {
		f, _, err := s.find(name)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, p.Key)
		}
		for _, m := range f.marks {
			if !shown[m.where()] {
				return fmt.Errorf("cited: source %s marks %s %d, which no excerpt of %s shows", m.where(), m.Of, m.Steps[0], p.Key)
			}
		}
	}
	return nil
}

func (m stepMark) where() string { return fmt.Sprintf("%s:%d", m.File, m.At) }

// beside fills in the functions that compute v.
func (v *formulaView) beside(s *Source) error {
	for _, name := range v.Code {
		e, err := s.excerpt(name)
		if err != nil {
			return err
		}
		e.Of = v.ID
		v.Go = append(v.Go, e)
	}
	if (len(v.Code) == 0) == (v.NoCode.En() == "") {
		return fmt.Errorf("cited: want functions that compute it, or a reason to have none")
	}
	return nil
}
