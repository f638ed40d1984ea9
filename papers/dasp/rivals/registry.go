//gradsync:pure

package rivals

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/papers/dasp"
)

// maker makes a fresh policy.
type maker struct {
	name string
	make func(Options) (dasp.Policy, error)
}

// methods are the policies by name, in the order of the tables; registered ones follow.
var methods = []maker{
	{"bsp", newBSP},
	{"asp", NewASP},
	{"ssp", newSSP},
	{"dssp", NewDSSP},
	{"dasp", newDASP},
	{"backup", newBackup},
	{"gssp", newGSSP},
}

// Register adds a policy of your own; its file calls it from init. A name that is taken
// panics, as a mistake in the program.
//
// Source: ours: coursework adds methods
func Register(name string, make func(Options) (dasp.Policy, error)) {
	if slices.Contains(Names(), name) {
		panic("rivals: " + name + " is registered twice")
	}
	methods = append(methods, maker{name, make})
}

// Names returns the methods' names, the paper's five first, in the order of
// its tables.
//
// Source: §3.1
func Names() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// New returns a fresh policy by name. The error is one line and lists the
// names if there is none like it.
//
// Source: §3.1
func New(name string, opt Options) (dasp.Policy, error) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("rivals: no method %q, want one of %s", name, strings.Join(Names(), ", "))
	}
	if opt.Workers < 1 {
		return nil, fmt.Errorf("rivals: %d workers, want at least 1", opt.Workers)
	}
	return methods[i].make(opt)
}

// newDASP returns the paper's method, so that one table lists them all.
func newDASP(o Options) (dasp.Policy, error) {
	c, err := o.Config()
	if err != nil {
		return nil, err
	}
	return dasp.New(c)
}
