package tensorboard_test

import (
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/tensorboard"
	"gradsync/internal/oktest"
)

// golden is a file that TensorBoard 2.21.0 read back as what small writes.
const golden = "1800000000000000a37f4b220900000000000000001a0d627261696e2e4576656e743a32eedf28a3420000000000000079f36eaa0900000000000000" +
	"002a370a350a1068797065722d706172616d6574657273421508071200420f7c2072617465207c20302e3035207c4a0a0a060a04746578742002ce92" +
	"69211f00000000000000514b441809000000000000d03f10012a120a100a09746573742f6c6f7373158e5d1340ddbbd5ba200000000000000029eda9" +
	"5009fca9f1d24d62503f10ac022a120a100a09746573742f6c6f7373150000c07fb3198c372400000000000000422b804d09000000c00b5ae6411080" +
	"80808080202a120a100a09746573742f6c6f7373150000807f2ec16a222100000000000000017becf609000000000000000010fbffffffffffffffff" +
	"012a0b0a090a02ceb315000000000aeea5a4"

func small(w *tensorboard.Writer) {
	w.Text("hyper-parameters", "| rate | 0.05 |")
	w.Scalar("test/loss", 1, 0.25, 2.3025851)
	w.Scalar("test/loss", 300, 1e-3, math.NaN())
	w.Scalar("test/loss", 1<<40, 3e9, math.Inf(1))
	w.Scalar("γ", -5, 0, 0)
}

func write(t *testing.T, dir string) string {
	t.Helper()
	w := oktest.Must(tensorboard.Create(dir))(t)
	small(w)
	return oktest.Must(w.Close())(t)
}

func TestGoldenFile(t *testing.T) {
	path := write(t, t.TempDir())
	raw := oktest.Must(os.ReadFile(path))(t)
	if got := hex.EncodeToString(raw); got != golden {
		t.Errorf("the file changed and TensorBoard has not read it:\n%s", got)
	}
}

func TestEventsReadBack(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a", "b"))
	if name := filepath.Base(path); !strings.Contains(name, "tfevents") {
		t.Errorf("TensorBoard looks for tfevents in a file's name, not %s", name)
	}
	got := read(t, path)
	if len(got) != 6 || !math.IsNaN(float64(got[3].Value)) {
		t.Fatalf("read %+v, want six events, NaN in the fourth", got)
	}
	got[3].Value = 0 // NaN equals nothing
	for i, want := range []written{
		{Version: "brain.Event:2"}, {Tag: "hyper-parameters", Plugin: "text", Text: "| rate | 0.05 |"},
		{Tag: "test/loss", Step: 1, Seconds: 0.25, Value: 2.3025851}, {Tag: "test/loss", Step: 300, Seconds: 1e-3},
		{Tag: "test/loss", Step: 1 << 40, Seconds: 3e9, Value: float32(math.Inf(1))}, {Tag: "γ", Step: -5},
	} {
		if got[i] != want {
			t.Errorf("event %d is %+v, want %+v", i, got[i], want)
		}
	}
}

// A file is whole or not there, and what lay under its name stays until then.
func TestFileAppearsWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := oktest.Must(tensorboard.Create(dir))(t)
	if files, _ := filepath.Glob(filepath.Join(dir, "*tfevents*")); files != nil {
		t.Errorf("before Close there is %v", files)
	}
	w.Discard()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("Discard left %s: %v", dir, err)
	}
	before, _ := os.ReadFile(write(t, dir))
	w = oktest.Must(tensorboard.Create(dir))(t)
	w.Scalar("x", 1, 1, 1)
	w.Discard()
	files, _ := os.ReadDir(dir)
	if after, _ := os.ReadFile(filepath.Join(dir, tensorboard.FileName)); len(files) != 1 || len(before) == 0 || string(after) != string(before) {
		t.Errorf("a discarded file left %v and %d bytes of the %d before", files, len(after), len(before))
	}
}

// A file that cannot get its name is an error, not a path.
func TestCloseSaysWhatFailed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := oktest.Must(tensorboard.Create(dir))(t)
	w.Scalar("x", 1, 1, 1)
	oktest.Nil(t, os.RemoveAll(dir))
	if path, err := w.Close(); path != "" || err == nil || !strings.HasPrefix(err.Error(), "tensorboard: ") || !strings.Contains(err.Error(), dir) {
		t.Errorf("Close in a folder that is gone: %q, %v", path, err)
	}
	w = oktest.Must(tensorboard.Create(dir))(t)
	oktest.Nil(t, os.Mkdir(filepath.Join(dir, tensorboard.FileName), 0o755))
	if path, err := w.Close(); path != "" || err == nil {
		t.Errorf("Close where a folder has the file's name: %q, %v", path, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("Close left %v beside the folder", left)
	}
}

func TestCreateRefusesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	oktest.Nil(t, os.WriteFile(path, nil, 0o644))
	for _, dir := range []string{path, filepath.Join(path, "run")} {
		if _, err := tensorboard.Create(dir); err == nil || !strings.HasPrefix(err.Error(), "tensorboard: ") {
			t.Errorf("Create(%s): %v", dir, err)
		}
	}
}
