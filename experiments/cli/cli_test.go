package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// gradsync runs a command and returns exit code, output and error output.
func gradsync(args ...string) (int, string, string) {
	var out, errOut bytes.Buffer
	return run(context.Background(), args, &out, &errOut), out.String(), errOut.String()
}

// fields splits a command line. The folder of temporary files, which has any name, is no place to split.
func fields(line string) []string {
	words := strings.Fields(strings.ReplaceAll(line, os.TempDir(), "\x00"))
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "\x00", os.TempDir())
	}
	return words
}

// with replaces the experiments for one test.
func with(t *testing.T, es ...exp.Experiment) {
	t.Helper()
	old := sources
	sources = map[string]func() []exp.Experiment{"dasp": func() []exp.Experiment { return es }}
	t.Cleanup(func() { sources = old })
}

// fake makes an experiment whose one claim fails and whose parts are memoised.
func fake(id string, parts int, ran *[]string, stop func(part int) error) exp.Experiment {
	return exp.Experiment{ID: id, Title: "a title", Source: "DASP, Table 5", Profiles: []string{"ci", "quick"},
		Seconds: func(_ string, seeds int) float64 { return 2 * float64(seeds) },
		Run: func(ctx context.Context, env exp.Env) (*result.Result, error) {
			r := &result.Result{ID: id, Source: "DASP, Table 5", Profile: env.Profile, Kind: result.Modelled,
				Status: result.Complete, Seeds: env.Seeds, Config: map[string]int{"parts": parts}, Frames: []result.Frame{},
				Claims: []result.Claim{claims.Verdict("D13", claims.Number(-3, nil, nil, 1))}}
			for p := range parts {
				key := fmt.Sprintf("%s part %d", id, p)
				var v int
				if env.Memo.Load(key, &v) && v == p {
					continue
				}
				if err := stop(p); err != nil {
					return r, err
				}
				*ran = append(*ran, key)
				if err := env.Memo.Save(key, p); err != nil {
					return r, err
				}
			}
			return r, nil
		}}
}

func never(int) error { return nil }

func TestExitCodes(t *testing.T) {
	var ran []string
	with(t, fake("dasp/table5", 1, &ran, never), fake("dasp/broken", 1, &ran, func(int) error { return errors.New("no memory") }))
	dir := t.TempDir()
	good := filepath.Join(dir, "a.json")
	if rc, _, msg := gradsync("run", "dasp/table5", "--out", dir); rc != exitOK {
		t.Fatalf("a failed claim is a result, but run gave %d: %s", rc, msg)
	}
	raw, _ := os.ReadFile(filepath.Join(dir, "dasp", "table5.json"))
	oktest.Nil(t, os.WriteFile(good, bytes.Replace(raw, []byte(`"measured": -3`), []byte(`"measured": -4`), 1), 0o644))
	for _, test := range []struct {
		args string
		rc   int
		msg  string
	}{
		{"list", exitOK, ""},
		{"claims D13", exitOK, ""},
		{"run dasp/broken --quiet --out " + dir, exitFailed, "no memory"},
		{"run dasp/table5 --profile paper", exitUsage, "no profile"},
		{"launch --np 2 --job a\x1bb -- train --sync ring", exitUsage, "control character U+001B"},
		{"eval ring.bytes --n 3 --k 1" + strings.Repeat("0", 5000), exitUsage, "5001 characters"},
		{"diff " + good + " " + good, exitOK, ""},
		{"diff " + good + " " + filepath.Join(dir, "dasp", "table5.json"), exitDiffer, ""},
		{"diff " + good + " " + filepath.Join(dir, "none.json"), exitFailed, "none.json"},
		{"version", exitOK, ""},
		{"--help", exitOK, ""},
	} {
		rc, _, msg := gradsync(fields(test.args)...)
		if rc != test.rc || !strings.Contains(msg, test.msg) || strings.Count(msg, "\n") > 1 || len(msg) > 250 {
			t.Errorf("gradsync %s: exit code %d, message %q; want %d and one line with %q", test.args, rc, msg, test.rc, test.msg)
		}
	}
}

// Output that could not be written is a failure, in text as with --json.
func TestWriteErrors(t *testing.T) {
	for _, command := range []string{"list", "version", "version --json", "claims D13", "--help", "--version", "eval dasp.state --gap 1", "verify ring",
		"data verify synthetic"} {
		for _, space := range []int{0, 10} {
			var msg bytes.Buffer
			rc := run(context.Background(), fields(command), &full{space}, &msg)
			if rc != exitFailed || !strings.Contains(msg.String(), "no space left") || strings.Count(msg.String(), "\n") != 1 {
				t.Errorf("%s on a disk with %d bytes left: exit code %d, %q; want %d and one line", command, space, rc, msg.String(), exitFailed)
			}
		}
	}
}

// A claim has what claims.csv has, and its verdicts have the values of the results, under
// the same keys, with the words of the pages.
func TestClaims(t *testing.T) {
	var ran []string
	with(t, fake("dasp/table5", 1, &ran, never))
	dir := t.TempDir()
	if rc, _, msg := gradsync("run", "dasp", "--out", dir); rc != exitOK {
		t.Fatal(msg)
	}
	_, out, _ := gradsync("claims", "D13", "--results", dir, "--json")
	var got struct{ Claims []claimRow }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Claims) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	want, _ := claims.Get("D13")
	g := got.Claims[0]
	if g.ID != want.ID || g.Statement != want.Statement() || g.Source != want.Source() || g.Paper != want.Stated() || g.Unit != want.Unit {
		t.Errorf("claims D13 --json = %+v, claims.csv has %+v", g, want)
	}
	if len(g.Verdicts) != 1 || g.Verdicts[0].Verdict != claims.Undecided || g.Verdicts[0].Measured != -3.0 || g.Verdicts[0].Found != "−3\u00a0%" {
		t.Errorf("verdicts %+v", g.Verdicts)
	}
	_, out, _ = gradsync("claims", "D13", "--results", dir)
	for _, part := range []string{"stated:    82.1 % (average iteration time reduction; baseline BSP)",
		"verdict:   cannot tell: measured −3\u00a0% in dasp/table5, profile quick", "one seed: no interval"} {
		if !strings.Contains(out, part) {
			t.Errorf("claims D13 lacks %q:\n%s", part, out)
		}
	}
}

// The JSON that scripts read keeps its keys.
func TestJSONShapes(t *testing.T) {
	oktest.Slow(t)
	var ran []string
	with(t, fake("dasp/table5", 1, &ran, never))
	dir := t.TempDir()
	for _, test := range []struct{ args, list, keys string }{
		{"list", "experiments", "id title source profiles"},
		{"run dasp --out " + dir, "results", "id status path wall_seconds verdicts"},
		{"run dasp --dry-run", "experiments", "id seconds"},
		{"claims D13 --results " + dir, "claims", "id statement source document paper unit tolerance verdicts"},
		{"verify claims", "checks", "id equation cases verdict"},
		{"eval dasp.weight --n 6", "", "formula value exact"},
		{"version", "", "version commit go"},
		{"data list", "data", "name found verdict downloads"},
	} {
		rc, out, msg := gradsync(append(fields(test.args), "--json")...)
		var top map[string]any
		if err := json.Unmarshal([]byte(out), &top); err != nil || rc != exitOK {
			t.Errorf("%s --json: exit code %d, %v, %s\n%s", test.args, rc, err, msg, out)
			continue
		}
		object := top
		if test.list != "" {
			entries, _ := top[test.list].([]any)
			if len(entries) == 0 {
				t.Errorf("%s --json has no entries in %s:\n%s", test.args, test.list, out)
				continue
			}
			object = entries[0].(map[string]any)
		}
		for _, k := range fields(test.keys) {
			if _, ok := object[k]; !ok {
				t.Errorf("%s --json lacks the key %s:\n%s", test.args, k, out)
			}
		}
	}
}

func TestEvalValues(t *testing.T) {
	for _, test := range []struct {
		args  string
		value float64
		exact string
	}{
		{"ring.bytes --n 40 --k 1.2e9", 2.34e9, "2340000000/1"},          // the blog's 2.4 GB at N = 40 (B10)
		{"ring.bytes --n 3 --arg k=1", 4.0 / 3, "4/3"},                   // by hand
		{"naive.seconds --n 10 --k 1.2e9 --bandwidth 1e9", 10.8, "54/5"}, // the blog's 10.8 s (B05)
		{"dasp.weight --n 6 --state 1", 1.0 / 6, "1/6"},
		{"dasp.state --gap 7", 3, "3/1"},
		{"dasp.twait --form convex --alpha 0.25 --fi 1 --fj 3", 2.5, "5/2"},      // 0.25·1 + 0.75·3
		{"dasp.twait --alpha 0.3 --fi 0.1 --fj 0.4", 0.09, "9/100"},              // 0.3·(0.4 − 0.1)
		{"dasp.twait --fi 3 --fj 1", 0, "0/1"},                                   // −1, clamped from below
		{"dasp.twait --form absolute --alpha 2 --fi 5 --fj 1/3", 1.0 / 3, "1/3"}, // 2·14/3, clamped to f_j
		{"dasp.weight --n 6 --k 4 --state WSS", 0.25, "1/4"},
		{"dasp.weight --n 6 --k 4 --state qis", 1.0 / 6, "1/6"},
		{"reduction --ours 0.179 --base 1", 82.1, "821/10"}, // D13 and D46
	} {
		rc, out, msg := gradsync(append(fields("eval "+test.args), "--json")...)
		var got struct {
			Value float64
			Exact *string
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK {
			t.Errorf("eval %s: exit code %d, %v, %s", test.args, rc, err, msg)
			continue
		}
		exact := ""
		if got.Exact != nil {
			exact = *got.Exact
		}
		if got.Value != test.value || exact != test.exact {
			t.Errorf("eval %s = %v (%s), want %v (%s)", test.args, got.Value, exact, test.value, test.exact)
		}
	}
}

// Every command has an example in its help and knows --json.
func TestHelp(t *testing.T) {
	for _, c := range (&app{}).root().Commands() {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example or no description", c.Name())
		}
	}
}

// The sidecar's facts have the forms that its schema comments promise.
func TestProvenance(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 3600))
	p := provenance(start, 1500*time.Millisecond, "portable", "none used")
	if p.Started != "2026-01-02T02:04:05Z" || p.WallSeconds != 1.5 || p.Engine != "portable" || p.GOMAXPROCS < 1 || p.CPU == "" {
		t.Errorf("provenance %+v", p)
	}
	if p.Commit != "unknown" && !regexp.MustCompile("^[0-9a-f]{40}$").MatchString(p.Commit) {
		t.Errorf("commit %q is no hash and not unknown", p.Commit)
	}
	if runtime.GOOS == "linux" && p.PeakRSSBytes < 1<<20 {
		t.Errorf("a peak of %d bytes", p.PeakRSSBytes)
	}
}
