package chart

import (
	"fmt"
	"reflect"
	"testing"

	"gradsync/experiments/method"
	"gradsync/reports/notebook"
)

// No two methods that stand in one comparison wear the same colour, and a group that is no method wears none of theirs.
func TestMethodsAreToldApart(t *testing.T) {
	for _, set := range [][]string{
		{"bsp", "asp", "ssp", "dssp", "dasp", "ring"}, {"ring", "naive", "halving-doubling", "hierarchical"},
		{"dense", "ringsparse", "gradients", "weights", "all-gather", "printed", "layer"},
		{"dense", "ringsparse", "ideal", "no overlap"},
	} {
		var series []notebook.Series
		if len(set) < 7 { // as many as there are colours
			set = append(set, "bound")
		}
		for _, m := range set {
			series = append(series, notebook.Series{Name: m, Group: m})
		}
		by := map[string]string{}
		for g, l := range looks(series) {
			if by[l.Colour] != "" {
				t.Errorf("%v: %s and %s are both %s", set, by[l.Colour], g, l.Colour)
			}
			by[l.Colour] = g
		}
		if len(by) != len(set) {
			t.Errorf("%v: %d colours for %d groups", set, len(by), len(set))
		}
	}
}

// All methods of the four documents can stand in one figure and be told apart.
func TestAllMethodsAreToldApart(t *testing.T) {
	var series []notebook.Series
	compared := []string{"BSP", "ASP", "SSP", "DSSP", "DASP", "naive", "ring", "RingSparse", "SSGD", "ASGD", "CSSGD", "compressed"}
	for _, m := range compared {
		series = append(series, notebook.Series{Name: m, Group: m})
	}
	of := looks(series)
	for i, a := range compared {
		for _, b := range compared[:i] {
			if l := of[a]; l.like(of[b]) || l.Colour == of[b].Colour && fmt.Sprint(l.Dash, l.Symbol) == fmt.Sprint(of[b].Dash, of[b].Symbol) {
				t.Errorf("%s and %s both are %s with one texture or one dash", a, b, of[a].Colour)
			}
		}
	}
}

// No two descriptors have one colour with one dash or with one texture: else the second of two that stand in
// a figure would take another's place in the palette, and look otherwise on other pages.
func TestDescriptorsHaveLooksOfTheirOwn(t *testing.T) {
	by := map[string]string{}
	for _, m := range method.All() {
		if m.Look.Colour == "" {
			continue
		}
		for _, look := range []string{m.Look.Colour + " line " + m.Look.Dash, m.Look.Colour + " area " + m.Look.Texture} {
			if by[look] != "" {
				t.Errorf("%s and %s both are %s", by[look], m.Name, look)
			}
			by[look] = m.Name
		}
	}
}

// The keys of every descriptor are the palette's. A registered method looks as its descriptor
// says; without a look it gets one that no other of the figure wears.
func TestLooksOfDescriptors(t *testing.T) {
	t.Cleanup(method.Scratch())
	method.Register(method.Method{Name: "mine", Look: method.Look{Colour: "skyBlue", Dash: "short", Texture: "posts", Subject: true}})
	method.Register(method.Method{Name: "bare"})
	for _, m := range method.All() {
		_, colour := colours[m.Look.Colour]
		_, dash := dashes[m.Look.Dash]
		if _, texture := textures[m.Look.Texture]; !colour || !dash || !texture {
			t.Errorf("%s has a look that is not in the palette: %+v", m.Name, m.Look)
		}
	}
	of := looks([]notebook.Series{{Group: "bare"}, {Group: "mine"}, {Group: "BSP"}})
	if want := (look{skyBlue, []int{4, 2}, "circle", posts}); !reflect.DeepEqual(of["mine"], want) {
		t.Errorf("mine is %v, want %v", of["mine"], want)
	}
	if got := of["bare"].Colour; got == "" || got == skyBlue || got == of["BSP"].Colour {
		t.Errorf("a method without a look is %q", got)
	}
	if !subject("mine") || subject("bare") || !subject("CSSGD, r2") {
		t.Error("the subjects are mine, as its descriptor says, and coded SGD, also with two copies")
	}
}

// An answer at once looks the same with and without states.
func TestAtOnceLooksLikeQIS(t *testing.T) {
	if got, want := states["at-once"].Colour, states["qis"].Colour; got != want || got == "" || got == states["fss"].Colour {
		t.Errorf("at once %q, QIS %q", got, want)
	}
}
