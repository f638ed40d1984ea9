package dev

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// events writes what go test -json does of tests that report, skip themselves and fail.
type events struct {
	bytes.Buffer
	t *testing.T
}

func (e *events) add(action, test, key, value string) {
	e.t.Helper()
	err := json.NewEncoder(e).Encode(map[string]string{"Action": action, "Test": test, "Key": key, "Value": value, "Output": value})
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *events) report(by string, n int, wanted bool, says string) {
	test := fmt.Sprintf("Test%s/%d", by, n)
	e.add("attr", test, "mistake", fmt.Sprintf("mistake %d", n))
	e.add("attr", test, "by", by)
	e.add("attr", test, "wanted", fmt.Sprint(wanted))
	e.add("attr", test, "says", says)
}

// A table of mistakes fails when one is missed, when too few are planted or found by both, and
// when a test does; without g++ it needs the interpreter alone, which names the place.
func TestMutantsAreJudged(t *testing.T) {
	for name, c := range map[string]struct {
		planted, both int
		more          func(e *events)
		failed, want  error
		prints        string
	}{
		"all found":      {12, 9, func(*events) {}, nil, nil, "12 mistakes, 9 found by both"},
		"one missed":     {12, 9, func(e *events) { e.report("fake", 99, true, "") }, errors.New("exit status 1"), ErrDiffer, "MISSED"},
		"one unwanted":   {12, 9, func(e *events) { e.report("fake", 99, false, "") }, nil, nil, "not found"},
		"too few":        {12, 6, func(*events) {}, nil, ErrDiffer, "6 found by both"},
		"a test failed":  {12, 9, func(e *events) { e.add("fail", "TestFake/3", "", "") }, errors.New("exit status 1"), ErrDiffer, "failed: TestFake/3"},
		"without g++":    {12, 0, func(e *events) { skip(e, "TestFake", "needs g++") }, nil, nil, "not run: needs g++"},
		"does not build": {0, 0, func(*events) {}, errors.New("exit status 1"), errors.New("exit status 1"), "0 mistakes"},
		"without clang":  {0, 0, func(e *events) { skip(e, "TestEmulator", "no clang") }, nil, errors.New("no clang"), "not run: no clang"},
	} {
		e := &events{t: t}
		for n := range c.planted {
			e.report("interpreter", n, true, "gpu: cuLaunchKernel: lost: ptx: kernel gemm, line 5: race: block (0, 0, 0), thread 3")
			if n < c.both {
				e.report("fake", n, true, "wrong result")
			}
		}
		c.more(e)
		all, err := readMutants(&e.Buffer)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		all.print(&out)
		const place = "    interpreter: kernel gemm, line 5: race: block (0, 0, 0), thread 3\n"
		if !strings.Contains(out.String(), c.prints) || c.planted > 0 && !strings.Contains(out.String(), place) {
			t.Errorf("%s: %q is not in\n%s", name, c.prints, out.String())
		}
		got := all.judge(c.failed)
		same := got == nil && c.want == nil || got != nil && c.want != nil && strings.Contains(got.Error(), c.want.Error())
		if !same || errors.Is(got, ErrDiffer) != errors.Is(c.want, ErrDiffer) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if _, err := readMutants(strings.NewReader("no events")); err == nil {
		t.Error("what is no event gave no error")
	}
}

func skip(e *events, test, why string) {
	e.add("output", test, "", "    mutants_test.go:99: "+why+"\n")
	e.add("skip", test, "", "")
}
