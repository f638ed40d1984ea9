package method

import (
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp/rivals"
)

// The server's methods are the policies, in their order; coded SGD's are the paper's.
func TestDescriptorsAreOfAllMethods(t *testing.T) {
	if got, want := Names(Server), rivals.Names(); !slices.Equal(got, want) {
		t.Errorf("descriptors of methods with a server: %v, policies %v", got, want)
	}
	if got, want := slices.Sorted(slices.Values(Names(Coded))), slices.Sorted(slices.Values(codedsgd.Methods())); !slices.Equal(got, want) {
		t.Errorf("descriptors of coded SGD: %v, want %v", got, want)
	}
}

func TestDescriptorsAreWhole(t *testing.T) {
	for _, m := range All() {
		if m.Label[0] == "" || m.Label[1] == "" || m.Document == "" {
			t.Errorf("%s has no label in a language, or no document", m.Name)
		}
		for i, f := range m.Flags {
			if f.Help == "" || (f.Good == nil) != (f.Want == "") {
				t.Errorf("%s: --%s has no help, or a range without words", m.Name, f.Name)
			}
			if slices.ContainsFunc(m.Flags[:i], func(g Flag) bool { return g.Name == f.Name }) {
				t.Errorf("%s has --%s twice", m.Name, f.Name)
			}
			if known, _ := flagOf(f.Name); known.Help != f.Help {
				t.Errorf("--%s is two different flags", f.Name)
			}
		}
	}
}

func TestRegister(t *testing.T) {
	t.Cleanup(Scratch())
	Register(Method{Name: "mine", Family: Server, Flags: []Flag{{Name: "mine-cap", Default: 2.0, Help: "cap"}}})
	if _, ok := Get("mine"); !ok || !slices.Equal(Readers("mine-cap"), []string{"mine"}) {
		t.Errorf("--mine-cap is read by %v", Readers("mine-cap"))
	}
	Register(Method{Name: "ours", Family: Server, Flags: withServer(Flag{Name: "ours-cap", Default: 3, Help: "cap"})})
	if m, _ := Get("ours"); len(m.Parameters()) != 1 || m.Parameters()[0].Default != 3.0 {
		t.Errorf("parameters of its own: %+v, want --ours-cap of 3 as a float64", m.Parameters())
	}
	for what, m := range map[string]Method{
		"a word":        {Name: "yours", Family: Server, Flags: []Flag{{Name: "yours-word", Default: "x", Help: "word"}}},
		"other default": {Name: "yours", Family: Server, Flags: []Flag{{Name: "mine-cap", Default: 5.0, Help: "cap"}}},
		"a taken name":  {Name: "dasp", Family: Server},
		"a taken flag":  {Name: "yours", Family: Server, Flags: []Flag{{Name: "staleness", Default: 1.0, Help: "something else"}}},
		"its own twice": {Name: "mine", Family: Server},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was registered", what)
				}
			}()
			Register(m)
		}()
	}
}
