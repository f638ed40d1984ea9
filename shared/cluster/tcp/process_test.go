package tcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"

	"go.uber.org/goleak"
)

// TestMain also serves as a process of a job: with GRADSYNC_TCP_RANK in the environment it runs that rank and prints
// how it ended. Whatever ended a run, no goroutine is left.
func TestMain(m *testing.M) {
	if text := os.Getenv("GRADSYNC_TCP_RANK"); text != "" {
		var cfg tcp.Config
		if err := json.Unmarshal([]byte(text), &cfg); err != nil {
			panic(err)
		}
		if cfg.Elastic {
			runElastic(cfg)
			return
		}
		_, err := tcp.New(cfg).Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
			fmt.Println("started")
			return rings(p)
		})
		end := ended{Text: fmt.Sprint(err)}
		var a *cluster.AbortError
		var lost *tcp.RankLost
		if errors.As(err, &a) && errors.As(err, &lost) {
			end.Rank, end.Op, end.Addr = a.Rank, a.Op, lost.Addr
		}
		_ = json.NewEncoder(os.Stdout).Encode(end)
		return
	}
	goleak.VerifyTestMain(m)
}

// ended is how a rank's process ended.
type ended struct {
	Rank           int
	Op, Addr, Text string
	Lost           []int
	Results        []string
}

// process is a rank in a process of its own.
type process struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func launch(t *testing.T, cfg tcp.Config) *process {
	t.Helper()
	text, err := json.Marshal(cfg)
	must(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GRADSYNC_TCP_RANK="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &process{cmd, bufio.NewReader(out)}
}

func (p *process) line(t *testing.T) string {
	t.Helper()
	text, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("a rank's process said nothing: %v", err)
	}
	return strings.TrimSpace(text)
}

// A process that dies is named by all others, who do not wait for its time-out, also if it was the one
// that ran the rendezvous.
func TestAKilledProcessIsNamed(t *testing.T) {
	for _, victim := range []int{2, 1} {
		cfgs := job(t, 4)
		procs := make([]*process, len(cfgs))
		for i, cfg := range cfgs {
			cfg.Join = never
			procs[i] = launch(t, cfg)
		}
		for _, p := range procs {
			if got := p.line(t); got != "started" {
				t.Fatalf("a rank said %q", got)
			}
		}
		must(t, procs[victim].cmd.Process.Kill())
		for rank, p := range procs {
			if rank == victim {
				continue
			}
			var end ended
			must(t, json.Unmarshal([]byte(p.line(t)), &end))
			if end.Rank != victim || end.Op != "lost" || !strings.HasPrefix(end.Addr, "127.") {
				t.Errorf("rank %d of victim %d: %+v", rank, victim, end)
			}
			t.Logf("rank %d: %s", rank, end.Text)
		}
	}
}
