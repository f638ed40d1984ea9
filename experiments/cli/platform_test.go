package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/internal/oktest"
)

// What new writes, check finds in order, show prints and train runs on; and a result that ran on it gives it back.
func TestPlatformCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "eight.json")
	made := object(t, "platform new --workers 8 --slow 1 --factor 3 --link 1Gb/s --latency 100us --out "+file)
	if made["file"] != file || made["workers"] != 8. || made["server"] != true || made["slowest_factor"].(float64) < 2.9 {
		t.Errorf("new printed %v", made)
	}
	if rc, out, msg := gradsync("platform", "check", file); rc != exitOK || !strings.Contains(out, "in order: own8-slow1-factor3, 8 workers") {
		t.Errorf("check: exit code %d, %s%s", rc, out, msg)
	}
	if rc, out, _ := gradsync("platform", "show", file); rc != exitOK || !strings.Contains(out, "takes 3 times as long") ||
		!strings.Contains(out, "w0 … w6") || !strings.Contains(out, "1 MB alone from w0 to the server takes 8.12 ms") { // 100 µs + 2·10 µs + 8 ms
		t.Errorf("show printed %s", out)
	}
	const timing = " --sync dasp --model lenet5 --timing-only --updates 30"
	o := object(t, "train --platform "+file+" --workers 8"+timing)
	if o["workers"] != 8. || o["platform"] != "own8-slow1-factor3" {
		t.Errorf("trained on %v", o)
	}
	shown := object(t, "platform show "+file)
	text, err := json.Marshal(shown["platform"])
	if problems := platforms.Check(text); err != nil || problems != nil {
		t.Errorf("show --json printed %s, %v", text, problems)
	}
	p := oktest.Must(platforms.Load(file))(t)
	config, err := json.Marshal(map[string]any{"grounds": []any{kit.Platform(p), kit.Platform(kit.Load("mixed6"))}})
	oktest.Nil(t, err)
	result := filepath.Join(t.TempDir(), "own.json")
	oktest.Nil(t, os.WriteFile(result, fmt.Appendf(nil, `{"schema": "gradsync.result/v2", "id": "own/x", "config": %s}`, config), 0o644))
	again := object(t, "train --platform "+result+"#grounds/0 --workers 8"+timing)
	delete(o, "wall_seconds")
	delete(again, "wall_seconds")
	if a, b := fmt.Sprint(o), fmt.Sprint(again); a != b {
		t.Errorf("on the result's platform the run is another:\n%s\n%s", a, b)
	}
	if rc, out, _ := gradsync("platform", "show", result); rc != exitOK || !strings.Contains(out, result+"#grounds/1") || !strings.Contains(out, "mixed6") {
		t.Errorf("the result's platforms: exit code %d, %s", rc, out)
	}
	if all := object(t, "platform show "+result)["platforms"].([]any); len(all) != 2 {
		t.Errorf("the result's platforms as JSON: %v", all)
	}
	if rc, out, _ := gradsync("platform", "list"); rc != exitOK || strings.Count(out, "\n") != 1+len(platforms.Names()) || !strings.Contains(out, "3.6×") {
		t.Errorf("list printed %s", out)
	}
	// By hand: twice 1 µs and twice 0.5 µs of the nodes, 1 MB at the 6 GB/s that a node has.
	if rc, out, _ := gradsync("platform", "show", "ring40"); rc != exitOK || !strings.Contains(out, "1 MB alone from gpu0 to gpu39 takes 0.1697 ms") {
		t.Errorf("show ring40 printed %s", out)
	}
	if rows := object(t, "platform list")["platforms"].([]any); len(rows) != len(platforms.Names()) {
		t.Errorf("list --json has %d rows", len(rows))
	}
}

// A file that is wrong is told line by line.
func TestPlatformMistakes(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	text := "{\"name\": \"bad\",\n \"workers\": [\n  {\"name\": \"a\", \"flops\": \"5 TFLOP\", \"bandwidth\": \"1 Gb/s\"},\n  {\"nam\": \"b\"}]}"
	oktest.Nil(t, os.WriteFile(bad, []byte(text), 0o644))
	rc, out, msg := gradsync("platform", "check", bad)
	want := []string{bad + `:3: workers[0].flops: "5 TFLOP" has unit "TFLOP", want one of FLOP/s, kFLOP/s`,
		bad + ":4: workers[1].nam: unknown field, want one of name, count",
		bad + ":4: workers[1].name: is missing, want for example", bad + ":4: workers[1].flops: is missing", bad + ":4: workers[1].bandwidth: is missing"}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if rc != exitDiffer || msg != "" || len(lines) != len(want) {
		t.Fatalf("exit code %d, %s, %d lines:\n%s", rc, msg, len(lines), out)
	}
	for i, w := range want {
		if !strings.HasPrefix(lines[i], w) {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], w)
		}
	}
	if rc, out, _ := gradsync("platform", "check", bad, "--json"); rc != exitDiffer || strings.Count(out, `"line"`) != len(want) {
		t.Errorf("--json: exit code %d, %s", rc, out)
	}
	if rc, _, msg := gradsync("platform", "show", dir); rc != exitFailed || !strings.Contains(msg, "is no file: want a platform") {
		t.Errorf("show of a folder: exit code %d, %s", rc, msg)
	}
}

// On real clocks no number is the platform's, and more workers than the default has are told.
func TestManyWorkersOnRealClocks(t *testing.T) {
	const flags = "train --runtime local --sync ring --workers 7 --data synthetic --batch 2 --updates 1 --eval-every -1 --engine portable"
	rc, out, msg := gradsync(fields(flags)...)
	if rc != exitOK || !strings.Contains(out, "on homogeneous7 (7 workers") ||
		!strings.Contains(msg, "platform homogeneous7: heterogeneous6 has 6 workers; on local all times") {
		t.Errorf("exit code %d, %s%s", rc, out, msg)
	}
}
