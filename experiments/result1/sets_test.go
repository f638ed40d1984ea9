package result1

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func twoSets() (mnist, cifar Data) {
	return Data{Name: "mnist", Origin: "directory", Train: 60000, Test: 10000, SHA256: "a"},
		Data{Name: "cifar10", Origin: "directory", Train: 50000, Test: 10000, SHA256: "b"}
}

// A result of two sets keeps both, in order, through a file that obeys the
// schema; Data is filled with the first.
func TestSeveralSetsSurviveAFile(t *testing.T) {
	mnist, cifar := twoSets()
	r := sample()
	r.Data, r.Datasets = nil, []Data{mnist, cifar}
	path, err := Write(t.TempDir(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Data{mnist, cifar}, back.Sets()); diff != "" || back.Data == nil || *back.Data != mnist {
		t.Errorf("data %+v, sets (-want +got):\n%s", back.Data, diff)
	}
	if err := obeys(t, schema(t), back); err != nil {
		t.Errorf("two sets disobey the schema: %v", err)
	}
}

// One set has one spelling, so that the same result has the same bytes.
func TestOneSetHasOneSpelling(t *testing.T) {
	mnist, _ := twoSets()
	var texts []string
	for _, r := range []*Result{{Data: &mnist}, {Datasets: []Data{mnist}}, {Data: &mnist, Datasets: []Data{mnist}}, {Data: &mnist, Datasets: []Data{}}} {
		raw, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(raw))
		if diff := cmp.Diff([]Data{mnist}, r.Sets()); diff != "" {
			t.Errorf("sets (-want +got):\n%s", diff)
		}
	}
	for _, s := range texts[1:] {
		if diff := cmp.Diff(texts[0], s); diff != "" {
			t.Errorf("another spelling of one set:\n%s", diff)
		}
	}
	if (&Result{}).Sets() != nil {
		t.Error("a result without data has a set")
	}
}

// A list that contradicts Data or itself is neither written nor read.
func TestContradictorySetsAreRefused(t *testing.T) {
	mnist, cifar := twoSets()
	again := mnist
	again.Train = 1
	for name, c := range map[string]struct {
		data *Data
		sets []Data
		want string
	}{
		"another first":    {&cifar, []Data{mnist, cifar}, "not the first"},
		"a lone other set": {&cifar, []Data{mnist}, "lists 1 sets"},
		"a name twice":     {&mnist, []Data{mnist, again}, "mnist twice"},
	} {
		r := sample()
		r.Data, r.Datasets = c.data, c.sets
		if _, err := Encode(r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Encode gave %v, want %q", name, err, c.want)
		}
	}
	r := sample()
	r.Data, r.Datasets = &mnist, []Data{mnist, cifar}
	raw, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, swap := range map[string][2]string{
		"another first": {`"name": "mnist"`, `"name": "svhn"`},
		"a name twice":  {`"name": "cifar10"`, `"name": "mnist"`},
	} {
		file := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(file, []byte(strings.Replace(string(raw), swap[0], swap[1], 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "datasets") && !strings.Contains(err.Error(), "first") {
			t.Errorf("%s: Read gave %v", name, err)
		}
	}
}
