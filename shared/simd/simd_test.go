package simd

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

func TestEachValueLeavesOutWhatItSays(t *testing.T) {
	for _, test := range []struct {
		value        string
		avx2, avx512 bool
	}{{"", true, true}, {"avx2", true, false}, {"portable", false, false}} {
		t.Setenv("GRADSYNC_CPU", test.value)
		if AVX2() != test.avx2 || AVX512() != test.avx512 {
			t.Errorf("GRADSYNC_CPU=%s: AVX2 %v, AVX-512 %v; want %v, %v", test.value, AVX2(), AVX512(), test.avx2, test.avx512)
		}
	}
}

// This binary is a program that has the package: with a value that is none it says so and does nothing else.
func TestAnUnknownValueEndsTheProgram(t *testing.T) {
	for value, want := range map[string]string{
		"avx2": "", "portable": "", "AVX2": "gradsync: GRADSYNC_CPU=\"AVX2\": want avx2 or portable\n",
		"sse": "gradsync: GRADSYNC_CPU=\"sse\": want avx2 or portable\n",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), "GRADSYNC_CPU="+value)
		_, err := cmd.Output()
		var code int
		var said string
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code, said = exit.ExitCode(), string(exit.Stderr)
		} else if err != nil {
			t.Fatal(err)
		}
		if said != want || (code == 2) != (want != "") {
			t.Errorf("GRADSYNC_CPU=%s: exit code %d, %q; want %q", value, code, said, want)
		}
	}
}
