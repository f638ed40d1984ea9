//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster/tcp"
)

// Certs makes a folder that the ranks can use, says until when, and never writes into one that is there.
func TestCertsCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c d")
	rc, out, msg := gradsync("certs", dir, "--ranks", "2", "--days", "7", "--json")
	var got struct {
		Dir, Job  string
		Ranks     int
		NotBefore time.Time `json:"not_before"`
		NotAfter  time.Time `json:"not_after"`
		Files     []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || msg != "" {
		t.Fatalf("exit %d, %v: %s%s", rc, err, out, msg)
	}
	want := []string{"ca.pem", "rendezvous.pem", "rank-0.pem", "rank-1.pem"}
	now := time.Now()
	if got.Dir != dir || len(got.Job) < 8 || got.Ranks != 2 || !slices.Equal(got.Files, want) || got.NotBefore.Sub(now).Round(time.Minute) != -time.Hour ||
		got.NotAfter.Sub(now.AddDate(0, 0, 7)).Abs() > time.Minute {
		t.Errorf("%+v", got)
	}
	if err := tcp.CheckCerts(dir, []int{0, 1}, true); err != nil {
		t.Error(err)
	}
	if err := tcp.CheckCerts(dir, []int{2}, false); err == nil {
		t.Error("there is a rank 2")
	}
	for at, line := range map[string]string{dir: "--ranks 2", dir + " of another": "--ranks 2 --job a\x01"} {
		rc, out, msg := gradsync(append([]string{"certs", at}, fields(line)...)...)
		if rc != exitFailed || out != "" || strings.Count(msg, "\n") != 1 {
			t.Errorf("%q: exit %d: %s%s", line, rc, out, msg)
		}
	}
	rc, out, _ = gradsync("certs", filepath.Join(t.TempDir(), "x"), "--ranks", "1")
	if rc != exitOK || !strings.Contains(out, "certificates of 1 ranks") ||
		!strings.Contains(out, "good until "+now.AddDate(0, 0, 30).UTC().Format("2006-01-02")) {
		t.Errorf("exit %d: %s", rc, out)
	}
}

// planned returns what launch plans for a line, without starting it.
func planned(t *testing.T, f *launchFlags) (*job, error) {
	t.Helper()
	f.timeout = 3 * time.Second
	return (&app{}).planJob(f, fields("train --sync ring"), func(flag string) bool { return flag == "np" })
}

// Off loopback launch wants certificates of this host's ranks, or to be told that there are none.
func TestLaunchWantsCertificates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certs")
	if rc, _, msg := gradsync("certs", dir, "--ranks", "3"); rc != exitOK {
		t.Fatal(msg)
	}
	if err := os.Remove(filepath.Join(dir, "rank-1.pem")); err != nil { // another host's
		t.Fatal(err)
	}
	const two, local = "10.0.0.1:1,10.0.0.2:1", "127.0.0.1:1,127.0.0.2:1"
	for _, c := range []struct {
		f     launchFlags
		want  string // "": it goes
		usage bool
	}{
		{launchFlags{np: 2, hosts: two}, "10.0.0.1 is not loopback: want --certs DIR (`gradsync certs DIR --ranks 2` makes it), or --insecure", true},
		{launchFlags{np: 2, hosts: two, insecure: true}, "", false},
		{launchFlags{np: 2, hosts: two, certs: dir}, "", false},
		{launchFlags{np: 2, hosts: two, certs: dir, on: "10.0.0.2"}, "rank-1.pem: no such file or directory", false},
		{launchFlags{np: 2, hosts: two, certs: dir, insecure: true}, "want one of the two", true},
		{launchFlags{np: 2, hosts: two, certs: dir + "x"}, "ca.pem: no such file or directory", false},
		{launchFlags{np: 2, hosts: local}, "", false},
		{launchFlags{np: 2, hosts: local, rendezvous: "10.0.0.3:1"}, "10.0.0.3 is not loopback", true},
		{launchFlags{np: 2}, "", false},
	} {
		_, err := planned(t, &c.f)
		_, usage := err.(usageError)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || usage != c.usage {
			t.Errorf("%+v: %v (usage %v), want %q", c.f, err, usage, c.want)
		}
	}
}

// The line that launch prints copies a host its own certificates, and no other's, with their modes.
func TestCopyLine(t *testing.T) {
	here, there, bin := filepath.Join(t.TempDir(), "he re"), t.TempDir(), t.TempDir()
	oktest.Nil(t, os.Mkdir(here, 0o700))
	t.Chdir(here)
	if rc, _, msg := gradsync("certs", "my certs", "--ranks", "4"); rc != exitOK {
		t.Fatal(msg)
	}
	j, err := planned(t, &launchFlags{np: 4, hosts: "10.0.0.1:1,10.0.0.2:2,10.0.0.3:1", certs: "my certs"})
	if err != nil || len(j.remotes) != 2 || !slices.Contains(j.remotes[0].words, "my certs") {
		t.Fatalf("%+v, %v", j, err)
	}
	// An ssh that goes to another folder of this machine.
	ssh := "#!/bin/sh\ntest \"$1\" = 10.0.0.2 || exit 9\nexec sh -c \"$(printf %s \"$2\" | sed 's|" + here + "|" + there + "|')\"\n"
	oktest.Nil(t, os.WriteFile(filepath.Join(bin, "ssh"), []byte(ssh), 0o700))
	line, ok := strings.CutPrefix(j.copyLine("10.0.0.2"), "certificates for 10.0.0.2, unless it has them: ")
	if !ok {
		t.Fatal(line)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, said)
	}
	to := filepath.Join(there, "my certs")
	got := map[string]string{}
	files, _ := os.ReadDir(to)
	for _, f := range files {
		info, _ := f.Info()
		got[f.Name()] = fmt.Sprintf("%04o", info.Mode().Perm())
	}
	info, err := os.Stat(to)
	want := map[string]string{"ca.pem": "0600", "rank-1.pem": "0600", "rank-2.pem": "0600"}
	if err != nil || info.Mode().Perm() != 0o700 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", err, got, want)
	}
	if err := tcp.CheckCerts(to, []int{1, 2}, false); err != nil {
		t.Error(err)
	}
	// Of a rank that the folder does not have it does not say what to copy.
	if j, err = planned(t, &launchFlags{np: 5, hosts: "10.0.0.1:1,10.0.0.2:4", certs: "my certs"}); err != nil {
		t.Fatal(err)
	}
	if line := j.copyLine("10.0.0.2"); !strings.HasPrefix(line, "certificates for 10.0.0.2: no rank-4.pem in my certs here") || strings.Contains(line, "tar") {
		t.Error(line)
	}
}

// A job by --insecure says so first, --quiet or not, and in its outcome; one with certificates says nothing and has the
// same bits.
func TestInsecureIsLoud(t *testing.T) {
	oktest.Slow(t)
	dir := filepath.Join(t.TempDir(), "certs")
	if rc, _, msg := gradsync("certs", dir, "--ranks", "2"); rc != exitOK {
		t.Fatal(msg)
	}
	const words = " -- train --sync ring --workers 2 --updates 1 --data synthetic --engine portable --batch 2 --eval-every -1"
	var sums []string
	for flag, loud := range map[string]bool{"--insecure": true, "--certs " + dir: false} {
		l := launchJob(t, t.Context(), "--quiet launch --json --np 2 --timeout 2m "+flag+words)
		<-l.ended
		var o train.Outcome
		if err := json.Unmarshal(l.out.Bytes(), &o); err != nil || l.rc != exitOK {
			t.Fatalf("%s: exit %d, %v: %s%s", flag, l.rc, err, l.out.String(), l.errOut.String())
		}
		said := strings.Count(l.errOut.String(), insecureLine)
		if o.Insecure != loud || (said == 1) != loud || strings.Contains(l.out.String(), `"insecure"`) != loud {
			t.Errorf("%s: the outcome says %v, and %q", flag, o.Insecure, l.errOut.String())
		}
		sums = append(sums, o.ParamsSHA256)
	}
	if sums[0] != sums[1] || sums[0] == "" {
		t.Errorf("parameters %q", sums)
	}
}
