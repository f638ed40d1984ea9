package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/own"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
)

// The committed samples are what the command writes; made again from what it kept, they have the same bytes.
func TestCompareTimingOnly(t *testing.T) {
	oktest.Slow(t)
	out := filepath.Join(t.TempDir(), "links")
	const sample = "../own/testdata/links/own/links.json"
	was := oktest.Must(result.Read(sample))(t)
	var args []string
	for _, w := range was.Config.(map[string]any)["command"].([]any)[1:] {
		args = append(args, w.(string))
	}
	want := oktest.Must(os.ReadFile(sample))(t)
	for _, again := range []bool{false, true} {
		rc, stdout, stderr := gradsync(append(args, "--out", out)...)
		if rc != exitOK || !strings.Contains(stdout, "link 100 Gb/s") || !strings.Contains(stdout, "later, +") {
			t.Fatalf("%v: %d %s %s", args, rc, stdout, stderr)
		}
		if kept := strings.Contains(stderr, "27 finished runs of earlier commands lie"); kept != again {
			t.Errorf("again %v: %q", again, stderr)
		}
		if got, err := os.ReadFile(filepath.Join(out, "own", "links.json")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("again %v: the bytes are not the sample's (%v)", again, err)
		}
	}
	oktest.Must(result.ReadRun(filepath.Join(out, "own", "links.json")))(t)
	for _, id := range [][]string{nil, {"own/links"}} { // what is kept of runs is no result
		rc, stdout, stderr := gradsync(append([]string{"export", "--results", out, "--out", t.TempDir()}, id...)...)
		if rc != exitOK || !strings.Contains(stdout, "methods.csv") {
			t.Errorf("export %v: %d %s %s", id, rc, stdout, stderr)
		}
	}
}

// Whoever asks for one seed is told that it has no interval; one seed more makes only what is new.
func TestCompareMoreSeeds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "more")
	args := fields("compare --sync dasp,template --set template.template-group=3 --timing-only --pushes 60 --json --out " + out)
	var got struct {
		ID   string
		Rows []comparedRow
	}
	rc, stdout, _ := gradsync(append(args, "--seeds", "3")...)
	err := json.Unmarshal([]byte(stdout), &got)
	if rc != exitOK || err != nil || got.ID != "own/more" || got.Rows[1].Finding != own.Alone || got.Rows[1].RatioCI != nil {
		t.Fatalf("one seed: %d %v %s", rc, err, stdout)
	}
	_, stdout, _ = gradsync(fields("compare --sync dasp,asp --timing-only --pushes 60 --seeds 0 --out " + out)...)
	if !strings.Contains(stdout, "one seed: there is no interval, and no verdict") {
		t.Errorf("one seed: %s", stdout)
	}
	rc, stdout, stderr := gradsync(append(args, "--seeds", "3,5")...)
	err = json.Unmarshal([]byte(stdout), &got)
	if rc != exitOK || err != nil || got.Rows[1].RatioCI == nil || !strings.Contains(stderr, "finished runs of earlier commands lie") {
		t.Fatalf("two seeds: %d %v %s %s", rc, err, stdout, stderr)
	}
	r, err := result.Read(filepath.Join(out, "own", "more.json"))
	if err != nil || !slices.Equal(r.Seeds, []uint64{3, 5}) {
		t.Fatal(r, err)
	}
	for _, row := range r.Frame("options").Rows {
		if row[1] == "template-group" && (row[2] != 3.0 || row[3] != true) {
			t.Errorf("the option of the method is recorded as %v", row)
		}
	}
}

// A method that diverges and one that never has the accuracy get a line each, the command is done all the same.
func TestCompareTrained(t *testing.T) {
	oktest.Slow(t)
	out := filepath.Join(t.TempDir(), "trained")
	rc, stdout, stderr := gradsync(fields("compare --sync asp,bsp,ring --data synthetic --batch 2 --workers 2 --pushes 60 --eval-images 20 --seeds 0-1 " +
		"--target-accuracy 0.99 --set bsp.rate=1e10 --rate 0.001 --device cpu --out " + out)...)
	if rc != exitOK {
		t.Fatalf("%d %s", rc, stderr)
	}
	for _, want := range []string{"synthetic (synthetic), ", "evaluated every 30 gradients on 20 images",
		"bsp diverged with 2 of 2 seeds, first seen after ", "--set bsp.rate=",
		"asp never reaches 99 % within 60 gradients with 2 of 2 seeds", "neither reaches it"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	rc, stdout, stderr = gradsync(fields("compare --sync asp,bsp --data cifar-10 --data-dir " + t.TempDir() + " --target-accuracy 0.5 --out " + out)...)
	if rc != exitFailed || stdout != "" || !strings.Contains(stderr, "gradsync: compare: ") || strings.Contains(stderr, "failed with seed") {
		t.Errorf("without its data: %d %s %s", rc, stdout, stderr)
	}
	r, err := result.Read(filepath.Join(out, "own", "trained.json"))
	if err != nil || r.Status != result.Complete || r.Fact("every").Value != 30.0 {
		t.Error(r, err)
	}
}

// An interruption says what is kept, and the same command goes on.
func TestCompareInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, errOut bytes.Buffer
	dir := filepath.Join(t.TempDir(), "mine")
	rc := run(ctx, []string{"compare", "--sync", "asp,bsp", "--timing-only", "--out", dir}, &out, &errOut)
	if rc != exitFailed || !strings.Contains(errOut.String(), "interrupted: 0 runs of 10 are kept in "+filepath.Join(dir, ".memo")) {
		t.Errorf("%d %s %s", rc, out.String(), errOut.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "own")); err == nil {
		t.Error("an interrupted comparison left a result")
	}
}

// A result takes no sentence, and an hour of runs is a bad time to say so.
func TestComparePlatformOfManyWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.json")
	write := func(name string) {
		p, err := platforms.Load("homogeneous6")
		if err == nil {
			p.Name = name
			err = os.WriteFile(file, cluster.Marshal(p), 0o600)
		}
		oktest.Nil(t, err)
	}
	write("the six machines of our own laboratory")
	args := []string{"compare", "--sync", "asp,bsp", "--timing-only", "--pushes", "12", "--platform", file, "--out", filepath.Join(t.TempDir(), "x")}
	if rc, _, stderr := gradsync(args...); rc != exitUsage || !strings.Contains(stderr, "is long: a result takes 5 words and 60 letters") {
		t.Errorf("%d %s", rc, stderr)
	}
	write("our laboratory")
	if rc, stdout, stderr := gradsync(args...); rc != exitOK || !strings.Contains(stdout, "our laboratory, 6 workers") {
		t.Errorf("%d %s %s", rc, stdout, stderr)
	}
}

// By hand: the column of which nothing can be had is left out.
func TestPrintColumns(t *testing.T) {
	var out bytes.Buffer
	(&app{out: &out}).printColumns([][]string{{"method", "gone", "time"}, {"asp", none, none}, {"ssp-long", none, "12.34 s"}})
	if want := "method    time\nasp       –\nssp-long  12.34 s\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Runs that are at hand take no time and promise none.
func TestTimeLeft(t *testing.T) {
	start := time.Unix(0, 0)
	l := &timeLeft{total: 10, start: start}
	if got := l.say(4, "asp", start.Add(time.Second/2)); got != "asp" {
		t.Errorf("within a second: %q", got)
	}
	if got, want := l.say(6, "asp", start.Add(20*time.Second)), "6 of 10 runs, about 40s left: asp"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
