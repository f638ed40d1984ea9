package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/tensorboard/tensorboardtest"
	"gradsync/experiments/train"
)

// The file has the outcome's curve, three times, and its numbers; what the server
// logged or, without one, when the ranks stepped. The same command writes the
// same bytes.
func TestTrainTensorboard(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	for sync, want := range map[string]string{"dasp": "gradient/staleness gradient/wait seconds update/gradients final/state_share/WSS",
		"ring": "update/seconds", "ringsparse": "final/ringsparse/totals/Sent/Bytes", "cssgd": "final/coded/totals/packets"} {
		dir, again := t.TempDir(), t.TempDir()
		command := quickTrain + " --eval-every 6 --sync " + sync + " --json --quiet --tensorboard "
		rc, out, msg := gradsync(fields(command + dir)...)
		var o train.Outcome
		if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitOK {
			t.Fatalf("%s: exit code %d, %v: %s", sync, rc, err, msg)
		}
		if rc, _, msg := gradsync(fields(command + again)...); rc != exitOK {
			t.Fatalf("%s, again: exit code %d: %s", sync, rc, msg)
		}
		a, b := dirText(t, dir), dirText(t, again)
		if a == "" || a != b {
			t.Errorf("%s: the same command wrote %d and %d bytes that are not the same", sync, len(a), len(b))
		}
		files := tensorboardtest.ReadBelow(t, dir)
		if len(files) != 1 {
			t.Fatalf("%s: %d folders with event files, want one", sync, len(files))
		}
		for name, events := range files {
			if !strings.HasPrefix(name, sync+"-lenet5-") || !strings.Contains(name, "-3workers-virtual-seed0-") {
				t.Errorf("%s: the run is called %s", sync, name)
			}
			checkTrainEvents(t, &o, events, append(fields("final/test_accuracy final/bytes_sent update/seconds"), splitTags(want)...))
		}
	}
}

// splitTags cuts before each word with a slash: tags have blanks.
func splitTags(list string) (tags []string) {
	for _, word := range fields(list) {
		if strings.Contains(word, "/") {
			tags = append(tags, word)
		} else {
			tags[len(tags)-1] += " " + word
		}
	}
	return tags
}

func checkTrainEvents(t *testing.T, o *train.Outcome, events []tensorboardtest.Event, tags []string) {
	t.Helper()
	by := map[string][]tensorboardtest.Event{}
	for _, e := range events {
		by[e.Tag] = append(by[e.Tag], e)
	}
	for group, step := range map[string]func(train.Point) int64{
		"test":                 func(p train.Point) int64 { return p.Updates },
		"test by gradients":    func(p train.Point) int64 { return p.Pushes },
		"test by microseconds": func(p train.Point) int64 { return int64(1e6 * p.Seconds) },
	} {
		accuracy, loss := by[group+"/accuracy"], by[group+"/loss"]
		if len(o.Curve) == 0 || len(accuracy) != len(o.Curve) || len(loss) != len(o.Curve) {
			t.Fatalf("%s, %s: %d and %d points of %d", o.Sync, group, len(accuracy), len(loss), len(o.Curve))
		}
		for i, p := range o.Curve {
			want := tensorboardtest.Event{Tag: group + "/accuracy", Step: step(p), Seconds: p.Seconds, Value: float32(p.Accuracy)}
			if accuracy[i] != want || loss[i].Value != float32(p.Loss) || loss[i].Step != step(p) {
				t.Errorf("%s: point %d is %+v and %+v, want %+v and loss %g", o.Sync, i, accuracy[i], loss[i], want, p.Loss)
			}
		}
	}
	for _, tag := range tags {
		if len(by[tag]) == 0 {
			t.Errorf("%s: nothing under %s", o.Sync, tag)
		}
	}
	if n := len(by["update/seconds"]); int64(n) != o.Updates {
		t.Errorf("%s: the times of %d updates, want %d", o.Sync, n, o.Updates)
	}
	if e := by["final/bytes_sent"]; len(e) == 1 && (e[0].Value != float32(o.BytesSent) || e[0].Step != o.Updates) {
		t.Errorf("%s: %+v, want %d bytes after %d updates", o.Sync, e[0], o.BytesSent, o.Updates)
	}
	for tag, want := range map[string]string{"hyper-parameters": "| rate | 0.05 |", "outcome": o.ParamsSHA256} {
		if e := by[tag]; len(e) != 1 || e[0].Plugin != "text" || !strings.Contains(e[0].Text, want) {
			t.Errorf("%s: %s is %+v, want one text with %q", o.Sync, tag, e, want)
		}
	}
	if strings.Contains(by["outcome"][0].Text, "wall_seconds") {
		t.Errorf("%s: the wall time is in the text", o.Sync)
	}
}

// dirText joins all files below dir with their names.
func dirText(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		raw, err := os.ReadFile(path)
		all += rel + "\n" + string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A folder that cannot be is said before anything is trained, and a command that
// is refused leaves none.
func TestTrainTensorboardRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	rc, out, msg := gradsync(fields(quickTrain + " --tensorboard " + filepath.Join(file, "x"))...)
	if rc != exitFailed || out != "" || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, "--tensorboard") || !strings.Contains(msg, file) {
		t.Errorf("a file for a folder: exit code %d, %q, %q; want 1 and one line that names both", rc, out, msg)
	}
	events := filepath.Join(dir, "events")
	if rc, _, msg := gradsync(fields(quickTrain + " --sync ring --segment 4 --image 7 --tensorboard " + events)...); rc != exitUsage {
		t.Errorf("an image of 7×7: exit code %d, %s", rc, msg)
	}
	if left := dirText(t, events); left != "" {
		t.Errorf("a refused command left %q", left)
	}
	for flag, path := range map[string]string{"--trace": filepath.Join(file, "x"), "--save": dir, "--record": filepath.Join(dir, "none", "x")} {
		rc, out, msg := gradsync(fields(quickTrain + " " + flag + " " + path)...)
		if rc != exitFailed || out != "" || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, path) {
			t.Errorf("%s %s: exit code %d, %q, %q; want 1 and one line that names it", flag, path, rc, out, msg)
		}
	}
}
