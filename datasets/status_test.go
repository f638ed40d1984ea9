package datasets

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// states runs Verify over all sets.
func states(t *testing.T, o Options) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, name := range Names() {
		st := sure(Verify(name, o))(t)
		got[name] = st.State
	}
	return got
}

func TestVerifyStates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	alone(t)
	bare := map[string]string{"mnist": StateAbsent, "fashion-mnist": StateBuiltIn, "cifar-10": StateAbsent, "synthetic": StateBuiltIn}
	if diff := cmp.Diff(bare, states(t, Options{})); diff != "" {
		t.Errorf("bare machine (-want +got):\n%s", diff)
	}
	broken := write(t, map[string][]byte{"mnist/train-images-idx3-ubyte.gz": []byte("<html>")})
	bare["mnist"] = StateBroken
	if diff := cmp.Diff(bare, states(t, Options{Dir: broken})); diff != "" {
		t.Errorf("broken MNIST (-want +got):\n%s", diff)
	}
	m, err := lookup(mnist)
	must(t, err)
	saved := *m
	defer func() { *m = saved }()
	m.Train, m.Test = 20, 10
	dir := write(t, tinyIDXFiles())
	bare["mnist"] = StateUnofficial
	if diff := cmp.Diff(bare, states(t, Options{Dir: dir})); diff != "" {
		t.Errorf("other images (-want +got):\n%s", diff)
	}
	st, err := Verify(mnist, Options{Dir: dir})
	if err != nil || st.State == StateReady {
		t.Fatalf("status %+v, error %v, want one that is not ready", st, err)
	}
	m.Content = st.SHA256
	if st, err = Verify(mnist, Options{Dir: dir}); err != nil || st.State != StateReady || st.Path != filepath.Join(dir, "mnist") {
		t.Errorf("status %+v, error %v, want ready", st, err)
	}
}

func TestListReadsNothing(t *testing.T) {
	alone(t)
	dir := write(t, map[string][]byte{"cifar-10/" + cifarPythonTar: []byte("not read")})
	all := sure(List(Options{Dir: dir}))(t)
	var got []string
	for _, st := range all {
		got = append(got, st.Name+" "+st.State+" "+st.Origin)
	}
	want := []string{"mnist absent ", "fashion-mnist built-in embedded", "cifar-10 ready directory", "synthetic built-in synthetic"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	raw := sure(json.Marshal(all[2]))(t)
	for _, key := range []string{`"name":"cifar-10"`, `"state":"ready"`, `"train":50000`, `"shape":[3,32,32]`, `"download_bytes":170498071`} {
		if !strings.Contains(string(raw), key) {
			t.Errorf("JSON %s lacks %s", raw, key)
		}
	}
	if _, err := List(Options{Dir: filepath.Join(dir, "missing")}); err == nil {
		t.Error("missing --data-dir: no error")
	}
}
