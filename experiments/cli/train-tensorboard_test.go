package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/tensorboard"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// The file has the outcome's curve, three times, and its numbers; what the server logged or, without one, when the
// ranks stepped. The same command writes the same bytes.
func TestTrainTensorboard(t *testing.T) {
	oktest.Slow(t)
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
		files, err := filepath.Glob(filepath.Join(dir, "*", tensorboard.FileName))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: the event files %v, want one: %v", sync, files, err)
		}
		if name := filepath.Base(filepath.Dir(files[0])); !strings.HasPrefix(name, sync+"-lenet5-") || !strings.Contains(name, "-3workers-virtual-seed0-") {
			t.Errorf("%s: the run is called %s", sync, name)
		}
		checkTrainEvents(t, &o, a, append(fields("final/test_accuracy final/bytes_sent update/seconds"), splitTags(want)...))
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

// recorded returns what an event file has of what write puts into it.
func recorded(t *testing.T, write func(w *tensorboard.Writer)) string {
	t.Helper()
	file := func(write func(w *tensorboard.Writer)) string {
		dir := t.TempDir()
		w := oktest.Must(tensorboard.Create(dir))(t)
		write(w)
		oktest.Must(w.Close())(t)
		return string(oktest.Must(os.ReadFile(filepath.Join(dir, tensorboard.FileName)))(t))
	}
	return strings.TrimPrefix(file(write), file(func(*tensorboard.Writer) {}))
}

// checkTrainEvents looks for an outcome's records, whole, in what was written, and for tags.
func checkTrainEvents(t *testing.T, o *train.Outcome, written string, tags []string) {
	t.Helper()
	if len(o.Curve) == 0 {
		t.Fatalf("%s: no curve", o.Sync)
	}
	for group, step := range map[string]func(train.Point) int64{
		"test":                 func(p train.Point) int64 { return p.Updates },
		"test by gradients":    func(p train.Point) int64 { return p.Pushes },
		"test by microseconds": func(p train.Point) int64 { return int64(1e6 * p.Seconds) },
	} {
		for _, kind := range []string{"/accuracy", "/loss"} {
			if n := strings.Count(written, group+kind); n != len(o.Curve) {
				t.Errorf("%s, %s: %d points of %d", o.Sync, group+kind, n, len(o.Curve))
			}
		}
		for i, p := range o.Curve {
			accuracy := recorded(t, func(w *tensorboard.Writer) { w.Scalar(group+"/accuracy", step(p), p.Seconds, p.Accuracy) })
			loss := recorded(t, func(w *tensorboard.Writer) { w.Scalar(group+"/loss", step(p), p.Seconds, p.Loss) })
			if !strings.Contains(written, accuracy) || !strings.Contains(written, loss) {
				t.Errorf("%s: point %d, %+v, is not in %s", o.Sync, i, p, group)
			}
		}
	}
	for _, tag := range tags {
		if !strings.Contains(written, tag) {
			t.Errorf("%s: nothing under %s", o.Sync, tag)
		}
	}
	if n := strings.Count(written, "update/seconds"); int64(n) != o.Updates {
		t.Errorf("%s: the times of %d updates, want %d", o.Sync, n, o.Updates)
	}
	bytes := recorded(t, func(w *tensorboard.Writer) { w.Scalar("final/bytes_sent", o.Updates, 0, float64(o.BytesSent)) })
	if !strings.Contains(written, bytes[12+9:len(bytes)-4]) { // without length and time, and the checksums of both
		t.Errorf("%s: no record of %d bytes after %d updates", o.Sync, o.BytesSent, o.Updates)
	}
	for tag, want := range map[string]string{"hyper-parameters": "| rate | 0.05 |", "outcome": o.ParamsSHA256} {
		if strings.Count(written, tag) != 1 || !strings.Contains(written, want) {
			t.Errorf("%s: no text %s with %q", o.Sync, tag, want)
		}
	}
	if strings.Contains(written, "wall_seconds") {
		t.Errorf("%s: the wall time is in the text", o.Sync)
	}
}

// dirText joins all files below dir with their names.
func dirText(t *testing.T, dir string) (all string) {
	t.Helper()
	oktest.Nil(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		raw, err := os.ReadFile(path)
		all += rel + "\n" + string(raw)
		return err
	}))
	return all
}
