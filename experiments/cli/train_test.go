package cli

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/datasets"
	"gradsync/internal/oktest"
)

// object runs a command with --json and returns what it printed.
func object(t *testing.T, command string) map[string]any {
	t.Helper()
	rc, out, msg := gradsync(append(fields(command), "--json", "--quiet")...)
	var o map[string]any
	if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitOK {
		t.Fatalf("%s: exit code %d, %v: %s", command, rc, err, msg)
	}
	return o
}

// The outcome of an elastic run names the ranks that it lost, in words, too.
func TestTheLostAreNamed(t *testing.T) {
	for flags, want := range map[string]bool{"": false, " --crash 2@1ms,0@2ms": true} {
		rc, out, msg := gradsync(fields(quickTrain + " --sync ring --elastic" + flags)...)
		named := strings.Contains(out, "\n  lost            [2 0], ranks that the run went on without\n")
		if rc != exitOK || named != want || strings.Contains(out, "  lost ") != want {
			t.Errorf("%q: exit code %d: %s%s", flags, rc, out, msg)
		}
	}
}

// That a run begins anew where it was to keep its state is said also with --quiet, and not among the objects of --json.
func TestAFolderWithoutAStateIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "typo")
	rc, out, msg := gradsync(fields(quickTrain + " --sync ring --quiet --json --every 6 --checkpoint " + dir)...)
	if rc != exitOK || msg != "checkpoint: no state in "+dir+": from the beginning\n" || !json.Valid([]byte(out)) {
		t.Errorf("exit code %d, %q: %s", rc, msg, out)
	}
}

const quickTrain = "train --model lenet5 --data synthetic --batch 4 --workers 3 --updates 12 --eval-every 12 --eval-images 100"

// The same command twice gives the same object but for the wall time, and the object has the keys that scripts read.
func TestTrainTwice(t *testing.T) {
	for _, sync := range []string{"dasp", "ring"} {
		a, b := object(t, quickTrain+" --sync "+sync), object(t, quickTrain+" --sync "+sync)
		if w, ok := a["wall_seconds"].(float64); !ok || w <= 0 {
			t.Errorf("%s: wall_seconds is %v", sync, a["wall_seconds"])
		}
		delete(a, "wall_seconds")
		delete(b, "wall_seconds")
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: two runs of one command differ:\n%s", sync, diff)
		}
		for _, k := range fields("test_accuracy updates virtual_seconds iteration_seconds state_share " +
			"state_seconds staleness bytes_sent params_sha256 data engine") {
			if v, ok := a[k]; !ok || v == nil {
				t.Errorf("%s: the outcome lacks %s", sync, k)
			}
		}
		times, _ := a["iteration_seconds"].(map[string]any)
		for _, k := range fields("per_worker per_push per_update") {
			if v, ok := times[k].(float64); !ok || v <= 0 {
				t.Errorf("%s: iteration_seconds.%s is %v", sync, k, times[k])
			}
		}
	}
}

// grad loads the weights that train saved: the hash says so, and another
// mini-batch has another gradient.
func TestSaveLoadGrad(t *testing.T) {
	dir := t.TempDir()
	w := filepath.Join(dir, "w.safetensors")
	trained := object(t, quickTrain+" --sync bsp --save "+w)
	grad := func(more string) map[string]any {
		return object(t, "grad --model lenet5 --data synthetic --out "+filepath.Join(dir, "g.safetensors")+" "+more)
	}
	g := grad("--samples 0:8 --load " + w)
	if g["params_sha256"] != trained["params_sha256"] {
		t.Errorf("grad read parameters %v, train saved %v", g["params_sha256"], trained["params_sha256"])
	}
	if other := grad("--samples 8:16 --load " + w); other["grads_sha256"] == g["grads_sha256"] {
		t.Error("images 0 to 7 and 8 to 15 have the same gradient")
	}
	if fresh := grad("--samples 0:8"); fresh["grads_sha256"] == g["grads_sha256"] {
		t.Error("fresh and trained parameters have the same gradient")
	}
}

// A network with batch norms has two gradients. The gradient of eval mode reads the statistics that train saved: other
// weights' statistics give another, and a file without any is refused.
func TestGradEvalMode(t *testing.T) {
	dir := t.TempDir()
	const narrow = " --model resnet18 --width 0.0625 --image 16 --data synthetic "
	w := filepath.Join(dir, "w.safetensors")
	o := object(t, "train --sync bsp --workers 2 --updates 4 --eval-every -1 --save "+w+narrow)
	if n, _ := o["norm_statistics"].(map[string]any); n["images"] != 256.0 || o["width"] != 0.0625 || o["image"] != 16.0 {
		t.Errorf("the outcome does not say which statistics and which size: %v", o)
	}
	g := filepath.Join(dir, "g.safetensors")
	sum := func(more string) any { return object(t, "grad --samples 0:8 --out "+g+narrow+more)["grads_sha256"] }
	training, eval, fresh := sum("--load "+w), sum("--eval-mode --load "+w), sum("--eval-mode")
	if training == eval || eval == fresh || eval != sum("--eval-mode --load "+w) {
		t.Errorf("gradients of training %v, of eval mode %v, of fresh parameters in eval mode %v: want three that repeat", training, eval, fresh)
	}
	// A file of gradients has the parameters' names and no statistics.
	if rc, _, msg := gradsync(fields("grad --samples 0:8 --eval-mode --out " + g + " --load " + g + narrow)...); rc != exitFailed ||
		!strings.Contains(msg, "no running statistics") {
		t.Errorf("eval mode without statistics: exit code %d, %q", rc, msg)
	}
	if plain := object(t, "train --sync bsp --workers 1 --updates 1 --eval-every -1 --data synthetic"); plain["norm_statistics"] != nil || plain["width"] != nil {
		t.Errorf("LeNet-5 speaks of batch norms or widths: %v", plain)
	}
}

// The flags that train refuses elsewhere go where they belong.
func TestTrainTakesFlagsWhereTheyBelong(t *testing.T) {
	for _, flags := range []string{"--sync ssp --staleness 2", "--sync backup --backup 1 --workers 3", "--runtime local --emulate --timing-only",
		"--sync template", "--model resnet18 --image 48"} {
		if rc, _, msg := gradsync(append([]string{"train", "--updates", "2", "--timing-only"}, fields(flags)...)...); rc != exitOK {
			t.Errorf("train %s: exit code %d, %s", flags, rc, msg)
		}
	}
}

// A run without an answered push prints dashes, not zeros.
func TestTrainPrintsDashes(t *testing.T) {
	rc, out, msg := gradsync("train", "--timing-only", "--pushes", "12", "--warmup", "1000")
	for _, want := range []string{"– s per worker, – s per push, – s per update (over 0 answered pushes)", "QIS             – of pushes"} {
		if rc != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s; want %q", rc, out, msg, want)
		}
	}
}

// Where DASP made nobody wait a line says so, and names a platform on which somebody does.
func TestTrainSaysThatNobodyWaited(t *testing.T) {
	for platform, said := range map[string]bool{"heterogeneous6": true, "reference6": false} {
		rc, out, msg := gradsync("train", "--sync", "dasp", "--model", "resnet18", "--timing-only", "--pushes", "300", "--platform", platform)
		if rc != exitOK || strings.Contains(out, "--platform reference6") != said || strings.Contains(out, "QIS             100.0 %") != said {
			t.Errorf("%s: exit code %d, %s%s", platform, rc, out, msg)
		}
	}
}

// The note on the images says once how they were fitted to the model.
func TestDataNoteSaysItOnce(t *testing.T) {
	t.Setenv(datasets.EnvDir, "")
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	for model, halved := range map[string]int{"cnn": 0, "resnet18 --width 0.0625 --image 16": 1} {
		o := object(t, "train --updates 1 --batch 2 --workers 1 --eval-every -1 --sync bsp --model "+model)
		note := o["data"].(map[string]any)["note"].(string)
		if n, m := strings.Count(note, "padded"), strings.Count(note, "halved"); n != 1 || m != halved {
			t.Errorf("%s: the note speaks %d times of padding and %d times of halving: %s", model, n, m, note)
		}
	}
}

// The four verdicts on a data set, with their exit codes.
func TestDataVerdicts(t *testing.T) {
	oktest.Slow(t)
	t.Setenv(datasets.EnvDir, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	broken := t.TempDir()
	oktest.Nil(t, os.WriteFile(filepath.Join(broken, "train-images-idx3-ubyte"), []byte("no images"), 0o644))
	for _, test := range []struct {
		names, dir, verdict string
		rc                  int
		msg                 string
	}{
		{"synthetic", t.TempDir(), "ok", exitOK, ""},
		{"fashion-mnist", t.TempDir(), "ok", exitOK, ""},
		{"mnist", t.TempDir(), "missing", exitFailed, "mnist is missing"},
		{"mnist", broken, "broken", exitFailed, "mnist is broken"},
		{"mnist", otherMNIST(t), "differs", exitDiffer, ""},
		{"mnist", "none", "", exitFailed, "no such folder"},
	} {
		rc, out, msg := gradsync("data", "verify", test.names, "--data-dir", test.dir, "--json")
		if rc != test.rc || !strings.Contains(msg, test.msg) || strings.Count(msg, "\n") > 1 {
			t.Errorf("data verify %s (%s): exit code %d, %q; want %d and %q", test.names, test.verdict, rc, msg, test.rc, test.msg)
		}
		if test.verdict == "" {
			continue
		}
		if !strings.Contains(out, `"verdict": "`+test.verdict+`"`) {
			t.Errorf("data verify %s printed %s, want the verdict %s", test.names, out, test.verdict)
		}
		listed, found := object(t, "data list --data-dir "+test.dir), false
		for _, row := range listed["data"].([]any) {
			r := row.(map[string]any)
			found = found || r["name"] == test.names && r["verdict"] == test.verdict
		}
		if !found {
			t.Errorf("data list: no row of %s with the verdict %s: %v", test.names, test.verdict, listed)
		}
	}
	if rc, out, msg := gradsync("data", "verify", "--data-dir", t.TempDir()); rc != exitOK || strings.Contains(out, "missing") {
		t.Errorf("verify of all that is at hand: exit code %d, %s%s", rc, out, msg)
	}
}

// otherMNIST makes a folder with files of MNIST's form and other, black images.
func otherMNIST(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for split, n := range map[string]uint32{"train": 60_000, "t10k": 10_000} {
		images := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 3}, n)
		images = append(images, 0, 0, 0, 28, 0, 0, 0, 28)
		labels := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, n)
		for name, raw := range map[string][]byte{"images-idx3": append(images, make([]byte, n*28*28)...), "labels-idx1": append(labels, make([]byte, n)...)} {
			oktest.Nil(t, os.WriteFile(filepath.Join(dir, split+"-"+name+"-ubyte"), raw, 0o644))
		}
	}
	return dir
}

// --duration reaches the server: a worker behind a slow link has a longer iteration than its computation says.
func TestTrainServerFlags(t *testing.T) {
	const timing = "train --sync dasp --model lenet5 --timing-only --pushes 240 --smax 40 "
	byDefault, compute := object(t, timing), object(t, timing+"--duration compute")
	iteration, leased := object(t, timing+"--duration iteration"), object(t, timing+"--lease 1h")
	for _, o := range []map[string]any{byDefault, compute, iteration, leased} {
		delete(o, "wall_seconds")
	}
	if diff := cmp.Diff(byDefault, compute) + cmp.Diff(byDefault, leased); diff != "" {
		t.Errorf("the default is not compute, or a lease that nobody outlasts changes the run:\n%s", diff)
	}
	if cmp.Equal(byDefault["state_seconds"], iteration["state_seconds"]) {
		t.Errorf("--duration iteration changes no wait: %v", iteration["state_seconds"])
	}
}
