package measure

import (
	"os"
	"strings"
	"testing"

	"gradsync/experiments/bench"
)

// An engine that does not run here is refused with its reason, as train does,
// and a line says what runs.
func TestPick(t *testing.T) {
	asm, portable := Engine{Name: "asm", Label: "asm (avx512)"}, Engine{Name: "portable", Label: "portable"}
	dnnl := Engine{Name: "onednn", Label: "onednn", Why: "libdnnl is not installed"}
	known := []string{"asm", "portable", "gonum"}
	if _, err := pick([]string{"asm", "onednn"}, known, []Engine{asm, portable, dnnl}); err == nil ||
		err.Error() != "engine onednn cannot run here: libdnnl is not installed" {
		t.Errorf("an engine that does not run: %v", err)
	}
	if _, err := pick([]string{"asm"}, []string{"copy"}, nil); err == nil || !strings.Contains(err.Error(), "known are copy") {
		t.Errorf("an engine among kernels: %v", err)
	}
	if names, err := pick([]string{"gonum", "asm"}, known, []Engine{asm, portable, dnnl}); err != nil || strings.Join(names, " ") != "asm gonum" {
		t.Errorf("%v, %v", names, err)
	}
	if got, want := enginesHere([]Engine{asm, portable, dnnl}), "engines here: asm (avx512), portable; onednn: libdnnl is not installed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The command in the report is the one that renews it: as short as `make
// benchmarks` where it is that, else with every flag that differs.
func TestReportCommand(t *testing.T) {
	for args, want := range map[string]string{
		"": bench.StandardCommand,
		"--rounds 11 --seconds 0.25 --budget 30 --profile 2": bench.StandardCommand,
		"--quiet --json --kept out/k.json":                   bench.StandardCommand,
		"--rounds 5 --budget 4":                              bench.StandardCommand + " --budget 4 --rounds 5",
		"--book B.json --only vec,tls --limit 3":             bench.StandardCommand + " --book B.json --limit 3 --only vec,tls",
	} {
		quiet := false
		cmd := Command(Terminal{Quiet: &quiet, JSON: &quiet, Engines: func() []Engine { return []Engine{{Name: "asm"}} }})
		cmd.PersistentFlags().BoolVar(&quiet, "quiet", false, "")
		cmd.PersistentFlags().BoolVar(&quiet, "json", false, "")
		cmd, rest, err := cmd.Find(append([]string{"report"}, strings.Fields(args)...))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Fatal(err)
		}
		if got := reportCommand(cmd); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	makefile, err := os.ReadFile("../../../Makefile")
	if recipe := "\t@$(BIN)" + strings.TrimPrefix(bench.StandardCommand, "gradsync") + "\n"; err != nil || !strings.Contains(string(makefile), recipe) {
		t.Errorf("%v, or make benchmarks does not run %s", err, recipe)
	}
}
