package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// launchFlags are launch's own.
type launchFlags struct {
	np         int
	hosts, on  string
	ssh        bool
	conns      int
	timeout    time.Duration
	join       time.Duration
	rendezvous string
	job        string
	listen     string
}

func (a *app) launchCommand() *cobra.Command {
	f := &launchFlags{}
	cmd := &cobra.Command{
		Use:   "launch --np N [--hosts host:slots,…] -- train …",
		Short: "Start the processes of a training over TCP, on this host or on several",
		Long: `Start N processes of the command after --, each one rank of a cluster over TCP.

Ring methods have as many processes as workers. Methods with a server have one
more: the last process is the server, which is rank 0 of the cluster. Rank 0
prints the outcome; all other lines stand behind the number of their rank, on
standard error. If one process fails, or Ctrl-C ends launch, all end; the exit
code is that of the first that failed, and a line names its rank.

With --hosts, processes go to the hosts in order; this one is the first. The
command for every other host is printed, or run there through ssh, where the
same file of gradsync and the same folder must be. The ranks speak in the
clear: this is for one host or a network of one's own.`,
		Example: "  gradsync launch --np 4 -- train --sync ring --model mlp --updates 50 --json\n" +
			"  gradsync launch --np 4 -- train --sync bsp --workers 3 --updates 50\n" +
			"  gradsync launch --np 4 --hosts node0:2,node1:2 --ssh -- train --sync ring",
		Args: args(1, -1, "a command after --, as train"),
		RunE: func(cmd *cobra.Command, words []string) error {
			j, err := a.planJob(f, words, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return a.launch(cmd.Context(), j, cmd.InOrStdin())
		},
	}
	s := cmd.Flags()
	s.IntVar(&f.np, "np", 0, "processes, on all hosts together (default the slots of --hosts)")
	s.StringVar(&f.hosts, "hosts", "", "hosts and their processes, host:slots,…; without it all run here")
	s.StringVar(&f.on, "on", "", "which of --hosts this one is (default the first)")
	s.BoolVar(&f.ssh, "ssh", false, "start the other hosts' processes through ssh")
	s.IntVar(&f.conns, "conns", 0, "connections between each two ranks (default the runtime's)")
	s.DurationVar(&f.timeout, "timeout", 10*time.Second, "a rank silent for so long is lost")
	s.DurationVar(&f.join, "join", 0, "how long to wait for all ranks to come (default --timeout; 5 m where hosts are started by hand)")
	s.StringVar(&f.rendezvous, "rendezvous", "", "host:port where rank 0 listens (default a free port here; with --hosts port "+rendezvousPort+")")
	s.StringVar(&f.listen, "iface", "", "interface or address for data, on every host (default that of the way to the rendezvous)")
	s.StringVar(&f.job, "job", "", "name of the job, the same on all hosts (default a new one)")
	return cmd
}

// job is all that launch decided.
type job struct {
	places  []place
	here    string // the host of --hosts that this is
	member  member // of every process but rank and host
	words   []string
	self    string
	remotes []remote
	ssh     bool
}

// remote is another host and the words of its command.
type remote struct {
	host  string
	words []string
}

// launch runs the job's processes of this host, and with ssh the other hosts'.
func (a *app) launch(ctx context.Context, j *job, in io.Reader) error {
	var children []child
	for _, p := range j.places {
		if p.host == j.here {
			children = append(children, j.child(p, in))
		}
	}
	for _, r := range j.remotes {
		if !j.ssh {
			fmt.Fprintf(a.err, "on %s: %s\n", r.host, quotedLine(r.words))
			continue
		}
		children = append(children, child{name: "the launch on " + r.host, cmd: exec.Command("ssh", j.sshWords(r)...),
			plain: hostOf(j.places, 0) == r.host})
	}
	err := tend(ctx, children, a.out, a.err)
	var failed *childError
	switch {
	case ctx.Err() != nil:
		return errors.New("launch: interrupted")
	case errors.As(err, &failed) && failed.code == exitUsage:
		return usagef("launch: %w", err)
	case errors.As(err, &failed) && failed.code == exitDiffer:
		fmt.Fprintf(a.err, "gradsync: launch: %v\n", err)
		return errDiffer
	case err != nil:
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}

// child is a process of this host. Rank 0 has launch's standard input and output.
func (j *job) child(p place, in io.Reader) child {
	m := j.member
	m.rank, m.host = p.rank, p.rank == 0
	if m.listen == "" && net.ParseIP(p.host) != nil {
		m.listen = p.host
	}
	cmd := exec.Command(j.self, j.words...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ofMember), m.environ()...)
	c := child{name: fmt.Sprintf("rank %d at %s", p.rank, p.host), label: fmt.Sprintf("[%d] ", p.rank), plain: p.rank == 0, cmd: cmd}
	if c.plain {
		cmd.Stdin = in
	}
	return c
}

// sshWords are ssh's arguments that start a host's part of the job: in this
// folder, without asking for a password.
func (j *job) sshWords(r remote) []string {
	line := quotedLine(r.words)
	if folder, err := os.Getwd(); err == nil {
		line = "cd " + quoted(folder) + " && exec " + line
	}
	return []string{"-o", "BatchMode=yes", r.host, line}
}

// newJob is a name that no other job has.
func newJob() string { return rand.Text()[:16] }
