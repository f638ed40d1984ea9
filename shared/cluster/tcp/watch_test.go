package tcp

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
)

// Who follows a run shows the certificate of the rank that it says, as a rank does, and is refused with any other. What
// it says afterwards is nothing to anybody: it takes no rank's place, and no refusal ends the run.
func TestWatchersHaveNoSay(t *testing.T) {
	dir, foreign := folder(t, 3), folder(t, 2)
	ln := listenHere(t)
	good := secretJob(t, ln, 2, time.Minute)
	good.Rank, good.Host, good.Elastic, good.Certs, good.id, good.host = 1, false, true, dir, nil, nil
	ends := make(chan error, 3)
	go func() {
		_, err := Rendezvous(t.Context(), good, ln, Events{})
		ends <- err
	}()
	key := func(dir, holder string) func(c *Config) { return func(c *Config) { c.id = held(t, dir, holder) } }
	var watchers []*node
	for _, c := range []struct {
		name   string
		change func(c *Config)
		want   string // "": it is taken in
	}{
		{"own key", key(dir, "rank-1"), ""}, {"the same again", key(dir, "rank-1"), ""},
		{"another rank's key", key(dir, "rank-0"), "refused: its certificate is of rank-0"},
		{"the rendezvous's key", key(dir, rendezvousHolder), "refused: its certificate is of rendezvous"},
		{"another authority", key(foreign, "rank-1"), "another authority"},
		{"in the clear", func(c *Config) { c.id = plain }, "it speaks in the clear, this job by --certs"},
		{"no key", func(*Config) {}, errLocked.Error()},
		{"another job", func(c *Config) { key(dir, "rank-1")(c); c.Job = "y" }, "refused: another job"},
		{"no rank of this job", func(c *Config) { key(dir, "rank-2")(c); c.Rank, c.Size = 2, 3 }, "it counts 3 ranks, the job has 2"},
	} {
		cfg := good
		c.change(&cfg)
		n := newNode(cfg, 1, nil)
		err := n.attend(t.Context())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil {
			watchers = append(watchers, n)
		}
	}
	for _, n := range watchers {
		n.interrupts()
	}
	for rank := range good.Size {
		cfg := good
		cfg.Rank = rank
		go func() {
			_, err := New(cfg).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
				var m cluster.Msg
				to := 1 - p.Rank()
				return nil, cluster.Wait(p, p.Isend(to, 1, &cluster.Msg{}), p.Irecv(to, 1, &m))
			})
			ends <- err
		}()
	}
	for _, n := range watchers {
		n.hearsOut(t)
	}
	must(t, errors.Join(<-ends, <-ends, <-ends))
	good.Certs = t.TempDir()
	if _, err := Watch(t.Context(), good, Events{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

// held reads a holder's certificate.
func held(t *testing.T, dir, holder string) *identity {
	t.Helper()
	return sure(loadIdentity(dir, holder))(t)
}

// interrupts says all that could change a run, if a watcher said it and anybody heard.
func (n *node) interrupts() {
	for kind, v := range map[cluster.Tag]any{kindReady: nil, kindDone: report{}, kindFail: failure{Rank: 0, Op: "body", Text: "forged"},
		kindIdle: state{Idle: true}, kindHello: hello{Job: secret, Run: 1, Size: 999}} {
		_ = n.ctl.send(kind, v)
	}
	go n.ctl.write()
}

// hearsOut reads until the run has ended well.
func (n *node) hearsOut(t *testing.T) {
	t.Helper()
	for tag := cluster.Tag(0); tag != kindEnd; {
		h, _, err := n.ctl.read(cluster.MaxPiece)
		if tag = h.Tag; err != nil || tag == kindAbort {
			t.Fatalf("kind %d, %v", tag, err)
		}
	}
	n.ctl.finish()
	_ = n.ctl.conn.Close()
}
