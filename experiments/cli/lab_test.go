package cli

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// A bucket holds 10 ms of its rate, and a packet of 64 KiB at least.
func TestLabShape(t *testing.T) {
	for mbit, burst := range map[int]string{10: "65536", 200: "250000", 1000: "1250000"} {
		words := strings.Join(shape("e0", mbit), " ")
		if want := " burst " + burst + " latency 100ms"; !strings.HasPrefix(words, "tc qdisc replace dev e0 root tbf rate ") || !strings.HasSuffix(words, want) {
			t.Errorf("%d: %s, want %s", mbit, words, want)
		}
	}
}

// The virtual cluster has the rates in bytes: at 1000, 1000, 1000 and 200 Mbit/s
// the slow link's chunks decide, 6 steps of 1 MiB at 25 MB/s.
func TestLabInVirtualTime(t *testing.T) {
	_, cmd := labFor(t)
	e := cmd.exchange
	e.Method, e.Rate = "ring", 25e6
	root := (&app{}).labRingCommand()
	root.SetContext(t.Context())
	for _, c := range labClusters {
		got, err := runExchange(root, e, virtual.New(labPlatform(c), virtual.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		want := 6 * (float64(1<<20+cluster.HeaderBytes)/25e6 + 2*labLatency.Seconds())
		if v := got.Seconds[len(got.Seconds)-1]; math.Abs(v/want-1) > 0.01 {
			t.Errorf("%s: %v s, want %v", c.Name, v, want)
		}
		if steps := int64(e.Steps + 1); got.Body/steps < 24<<20 || got.Body/steps > 24<<20+1000 { // 4 ranks, 6 chunks of 1 MiB, and barriers
			t.Errorf("%s: %d bytes a step", c.Name, got.Body/steps)
		}
	}
}

func labFor(t *testing.T, words ...string) (*app, *labFlags) {
	t.Helper()
	f := &labFlags{}
	f.exchange.Bytes, f.exchange.Steps, f.exchange.Density = 4<<20, 3, 0.1
	return &app{}, f
}

func TestLabCompare(t *testing.T) {
	c := labCluster{"x", []int{8, 8}}
	for _, test := range []struct {
		real   []float64
		ratio  float64
		within bool
	}{{[]float64{0.1, 0.13, 0.9}, 1.3, true}, {[]float64{0.131, 0.131, 0.1}, 1.31, false}, {[]float64{0.0901, 0.0901, 0.0901}, 0.901, true}, {[]float64{0.08, 0.08, 0.2}, 0.8, false}} {
		r := labCompare(c, &exchanged{Method: "ring", Bytes: 4, Seconds: test.real, Body: 40, Kernel: 80}, &exchanged{Seconds: []float64{0.1, 0.1, 0.1}})
		if math.Abs(r.Ratio-test.ratio) > 1e-9 || r.Within != test.within || r.Body != 10 || r.TCP != 20 {
			t.Errorf("%+v, want %+v", r, test)
		}
	}
}

func TestLabUsage(t *testing.T) {
	for command, want := range map[string]string{
		"lab star": `no lab "star": known is ring`, "lab ring --rates 5": "1 links, want 2 to 64", "lab ring --rates 5,0": "--rates 0: 1 to 100000",
		"lab ring --bytes 6": "multiple of 4", "lab ring --steps 0": "--steps 0", "lab ring --density 2": "--density 2", "lab ring more": "want flags only",
	} {
		if rc, out, msg := gradsync(strings.Fields(command)...); rc != exitUsage || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", command, rc, msg, want)
		}
	}
}

// Where namespaces are permitted: both exchanges run, sums are right (each rank
// checks), times are of the links' order, and nothing is left, also of a lab that
// was interrupted. Where not, one line says why and the exit code is 0.
func TestLabRing(t *testing.T) {
	probe := probeLab(t.Context())
	t.Setenv(workerEnv, "1")
	command := "lab ring --rates 100,50 --bytes 262144 --steps 2 --quiet"
	if os.Getenv("GRADSYNC_LONG") == "" {
		command += " --train=false"
	}
	var impossible *labImpossible
	if errors.As(probe, &impossible) {
		rc, out, msg := gradsync(strings.Fields(command)...)
		if rc != exitOK || msg != "" || out != "lab ring: skipped: "+impossible.why+"\n" {
			t.Errorf("exit code %d, %q, %q", rc, out, msg)
		}
		t.Skip(impossible.why)
	}
	rc, out, msg := gradsync(strings.Fields(command + " --json")...)
	var got struct{ Rows []labRow }
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || len(got.Rows) < 2 {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	for ; len(got.Rows) > 2; got.Rows = got.Rows[1:] { // trainings, which have compared their parameters
		if r := got.Rows[0]; !strings.HasPrefix(r.Exchange, "train ring") || len(r.ParamsSHA256) != 64 || r.Ratio < 0.5 || r.TCP < r.Body {
			t.Errorf("%+v", r)
		}
	}
	for i, r := range got.Rows {
		// 2 chunks of 128 KiB at 6.25 MB/s are 42 ms, of which the bucket may save its part; a busy machine takes longer.
		if r.Exchange != []string{"ring", "ringsparse"}[i] || !reflect.DeepEqual(r.Mbit, []int{100, 50}) || r.Real.Min < 0.9*(r.Virtual-labBucket.Seconds()) || r.TCP < r.Body {
			t.Errorf("%+v", r)
		}
	}
	if v := got.Rows[0].Virtual; math.Abs(v/0.0421-1) > 0.02 {
		t.Errorf("virtual time %v s", v)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var outs, errs strings.Builder
	if rc := run(ctx, strings.Fields("lab ring --rates 2,2 --steps 50"), &outs, &errs); rc != exitFailed || !strings.Contains(errs.String(), "lab: interrupted; its namespaces are removed") {
		t.Errorf("interrupted: exit code %d, %q", rc, errs.String())
	}
	if left, _ := filepath.Glob("/run/netns/" + newLabNet(nil).id + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Trainings that end with other parameters, or take no time, are errors.
func TestLabTrainRow(t *testing.T) {
	c := labClusters[1]
	trained := func(sha string, update float64) (l labTrained) {
		l.SHA256, l.Iteration.Update, l.Sent, l.Kernel = sha, update, 8*labUpdates, 9*labUpdates
		return l
	}
	r, err := labTrainRow(c, "ring", trained("a", 0.22), trained("a", 0.2))
	if err != nil || math.Abs(r.Ratio-1.1) > 1e-9 || !r.Within || r.Body != 8 || r.TCP != 9 || r.Exchange != "train ring" || r.ParamsSHA256 != "a" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range [][2]labTrained{{trained("a", 1), trained("b", 1)}, {trained("", 1), trained("", 1)}, {trained("a", 0), trained("a", 1)}, {trained("a", 1), trained("a", 0)}} {
		if r, err := labTrainRow(c, "ring", bad[0], bad[1]); err == nil {
			t.Errorf("%+v of %+v", r, bad)
		}
	}
	for method, want := range map[string]string{"ring": " --overhead=-1ns", "ringsparse": " --overhead=-1ns --link 2.5e+07"} {
		line := strings.Join(labTrainWords(c, method, "p.json"), " ")
		if !strings.HasPrefix(line, "train --sync "+method+" --model mlp --raw-pixels --workers 4 --platform p.json ") || !strings.HasSuffix(line, want) {
			t.Errorf("%s", line)
		}
	}
	path, err := labPlatformFile(c)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cluster.Parse(text)
	if err != nil || len(p.Workers) != 4 || p.Workers[0].Bandwidth != 125e6 || p.Workers[3].Bandwidth != 25e6 || p.Workers[3].Latency != labLatency {
		t.Errorf("%+v, %v", p, err)
	}
}

// A lab whose process is gone is swept away, another's is not.
func TestSweepLabs(t *testing.T) {
	if err := probeLab(t.Context()); err != nil {
		t.Skip(err)
	}
	dead, living := labPrefix+"999999999-0", newLabNet(nil).id+"-9"
	for _, ns := range []string{dead, living} {
		if err := labRun(t.Context(), []string{"ip", "netns", "add", ns}); err != nil {
			t.Fatal(err)
		}
		defer labRun(context.Background(), []string{"ip", "netns", "delete", ns})
	}
	if err := sweepLabs(t.Context()); err != nil {
		t.Fatal(err)
	}
	for ns, want := range map[string]bool{dead: false, living: true} {
		if _, err := os.Stat("/run/netns/" + ns); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", ns, err == nil, want)
		}
	}
}
