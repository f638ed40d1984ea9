package cli

import (
	"os"
	"strings"
	"testing"
)

// TestCalled: the program is named as it was typed where that names a place from here.
func TestCalled(t *testing.T) {
	for arg, want := range map[string]string{
		"bin/gradsync": "bin/gradsync", "./bin/gradsync": "./bin/gradsync", "./gradsync": "./gradsync", "bin/gradsync.exe": "bin/gradsync.exe",
		"gradsync": "gradsync", "/tmp/go-build1/b001/exe/gradsync": "gradsync", "cli.test": "gradsync", "./cli.test": "gradsync", "": "gradsync",
	} {
		if got := called(arg); got != want {
			t.Errorf("called as %q: %q, want %q", arg, got, want)
		}
	}
}

// TestCommandsAreToBeCopied: messages, usage and examples name the program as it was
// called; titles and the front of a message do not.
func TestCommandsAreToBeCopied(t *testing.T) {
	old := os.Args[0]
	defer func() { os.Args[0] = old }()
	for name, begin := range map[string]string{"bin/gradsync": "bin/gradsync", "gradsync": "gradsync", "/abs/gradsync": "gradsync"} {
		os.Args[0] = name
		for _, c := range []struct{ args, want []string }{
			{[]string{"run", "dasp/nothing"}, []string{"gradsync: run: no experiment", "`" + begin + " list` has all"}},
			{[]string{"run", "--moon"}, []string{"(see `" + begin + " run --help`)"}},
			{[]string{"run", "--help"}, []string{"\n  " + begin + " run dasp/table5\n", "\n  " + begin + " run ID", "do " + begin + " run dasp --profile paper"}},
			{[]string{"--help"}, []string{"\n  " + begin + " list\n", "gradsync reproduces"}},
			{[]string{"launch", "--np", "2", "--", "list"}, []string{`launch: "list" does not run over TCP`}},
			{[]string{"serve", "--results", "nowhere"}, []string{"make some with `" + begin + " run dasp`"}},
		} {
			_, out, msg := gradsync(c.args...)
			for _, want := range c.want {
				if !strings.Contains(out+msg, want) {
					t.Errorf("%s %v does not say %q: %s%s", name, c.args, want, out, msg)
				}
			}
		}
	}
}
