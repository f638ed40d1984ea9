package cli

import (
	"net"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// A process of a job does not train alone: a runtime that would is a usage error, and auto is
// the job's. Without a job auto is virtual.
func TestAJobsEnvironmentIsNotIgnored(t *testing.T) {
	const line = "train --sync ring --model mlp --workers 2 --updates 1 --timing-only --json "
	if rc, out, msg := gradsync(fields(line + "--runtime auto")...); rc != exitOK || !strings.Contains(out, `"runtime": "virtual"`) {
		t.Errorf("auto without a job: exit code %d, %s%s", rc, out, msg)
	}
	t.Setenv("GRADSYNC_RANK", "1")
	t.Setenv("GRADSYNC_SIZE", "2")
	t.Setenv("GRADSYNC_JOB", "j")
	for _, flags := range []string{"", "--runtime local"} {
		rc, out, msg := gradsync(fields(line + flags)...)
		if rc != exitUsage || out != "" || !strings.Contains(msg, "--runtime tcp or auto") || strings.Count(msg, "\n") != 1 {
			t.Errorf("%q in a job: exit code %d, %s%s", flags, rc, out, msg)
		}
	}
	for _, flags := range []string{"--runtime auto", "--runtime tcp"} {
		rc, out, msg := gradsync(fields(line + flags)...)
		if rc == exitOK || out != "" || !strings.Contains(msg, "GRADSYNC_RENDEZVOUS is missing") {
			t.Errorf("%q without a place to meet: exit code %d, %s%s", flags, rc, out, msg)
		}
	}
	silent := deaf(t)
	t.Setenv("GRADSYNC_RENDEZVOUS", silent)
	t.Setenv("GRADSYNC_JOIN", "50ms")
	if rc, out, msg := gradsync(fields(strings.Replace(line, "--timing-only", "--data synthetic --engine portable", 1) +
		"--runtime auto")...); rc != exitFailed || out != "" ||
		!strings.Contains(msg, "no answer at "+silent) {
		t.Errorf("auto in a job: exit code %d, %s%s", rc, out, msg)
	}
}

// deaf returns an address that nobody listens at and nobody can take: a connection has it.
func deaf(t *testing.T) string {
	t.Helper()
	l := oktest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	c := oktest.Must(net.Dial("tcp", l.Addr().String()))(t)
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}
