package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/launch"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// launchFlags holds the flags of launch.
type launchFlags struct {
	np         int
	crowd      bool // --oversubscribe
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
same file of gradsync and the same folder must be.

A name is what tells the job's processes from strangers. It is a new one, or
what GRADSYNC_JOB says, and goes from process to process by the environment (to
ssh by its standard input), so no process list has it; what is typed as --job
stands in that of this command. The ranks speak in the clear: this is for one
host or a network of one's own.

More than 4 processes per core of a host want --oversubscribe.`,
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
	s.StringVar(&f.rendezvous, "rendezvous", "", "host:port where rank 0 listens (default a free port here; with --hosts port "+launch.Port+")")
	s.StringVar(&f.listen, "iface", "", "interface or address for data, on every host (default that of the way to the rendezvous)")
	s.StringVar(&f.job, "job", "", "name of the job, the same on all hosts, which the process list shows (default $GRADSYNC_JOB, which it does not, else "+
		"a new one)")
	s.BoolVar(&f.crowd, "oversubscribe", false, "more processes on this host than 4 per core")
	return cmd
}

// job holds all that launch decided before it starts a process.
type job struct {
	processes []launch.Process
	here      string     // the host of --hosts that this is
	place     tcp.Config // of every process but for rank and host
	words     []string
	self      string
	remotes   []remote
	ssh       bool
}

// remote is another host and the words of its command, which has the job's name in its
// environment.
type remote struct {
	host  string
	words []string
}

// launch runs the job's processes of this host, and with ssh the other hosts'.
func (a *app) launch(ctx context.Context, j *job, in io.Reader) error {
	var children []launch.Child
	for _, p := range j.processes {
		if p.Host == j.here {
			children = append(children, j.child(p, in))
		}
	}
	for _, r := range j.remotes {
		if !j.ssh {
			fmt.Fprintf(a.err, "on %s: %s %s\n", r.host, launch.JobVariable(j.place.Job), launch.Quoted(r.words))
			continue
		}
		c := launch.Child{Name: "the launch on " + r.host, Cmd: exec.Command("ssh", j.sshWords(r)...), Plain: launch.HostOf(j.processes, 0) == r.host}
		c.Cmd.Stdin = strings.NewReader(j.place.Job + "\n")
		children = append(children, c)
	}
	err := launch.Tend(ctx, children, a.out, a.err)
	var failed *launch.ChildError
	switch {
	case ctx.Err() != nil:
		return errors.New("launch: interrupted")
	case errors.As(err, &failed) && failed.Code == exitUsage:
		return usagef("launch: %w", err)
	case errors.As(err, &failed) && failed.Code == exitDiffer:
		fmt.Fprintf(a.err, "gradsync: launch: %v\n", err)
		return errDiffer
	case err != nil:
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}

// child makes a process of this host. Rank 0 reads launch's standard input.
func (j *job) child(p launch.Process, in io.Reader) launch.Child {
	at := j.place
	at.Rank, at.Host = p.Rank, p.Rank == 0
	if at.Listen == "" && net.ParseIP(p.Host) != nil {
		at.Listen = p.Host
	}
	c := launch.Rank(at, p.Host, exec.Command(j.self, j.words...))
	if c.Plain {
		c.Cmd.Stdin = in
	}
	return c
}

// sshWords returns ssh's arguments that start a host's part of the job: in this folder,
// without asking for a password. The job's name, which no process list shall have, is the
// first line of its standard input.
func (j *job) sshWords(r remote) []string {
	line := launch.ReadJob + " && "
	if folder, err := os.Getwd(); err == nil {
		line += "cd " + launch.Quoted([]string{folder}) + " && "
	}
	return []string{"-o", "BatchMode=yes", r.host, "exec " + launch.Quoted([]string{"sh", "-c", line + "exec " + launch.Quoted(r.words)})}
}

// perCore is how many processes a core is given unasked.
const perCore = 4

// byHand is the time that rank 0 waits where somebody has to start other hosts.
const byHand = 5 * time.Minute

// planJob decides everything before a process runs. A job that is impossible is a usage
// error.
func (a *app) planJob(f *launchFlags, words []string, given func(string) bool) (*job, error) {
	hosts := []launch.HostSlots{{Host: "127.0.0.1", N: f.np}}
	if f.hosts != "" {
		var err error
		if hosts, err = launch.ParseHosts(f.hosts); err != nil {
			return nil, usagef("launch: --hosts %s: %w", f.hosts, err)
		}
		if !given("np") {
			for _, h := range hosts {
				f.np += h.N
			}
		}
	}
	switch {
	case !given("np") && f.hosts == "":
		return nil, usagef("launch: --np is missing: how many processes")
	case f.np < 1:
		return nil, usagef("launch: --np %d: at least 1", f.np)
	case given("conns") && f.conns < 1:
		return nil, usagef("launch: --conns %d: at least 1", f.conns)
	case f.timeout <= 0:
		return nil, usagef("launch: --timeout %v: above 0", f.timeout)
	case given("join") && f.join <= 0:
		return nil, usagef("launch: --join %v: above 0", f.join)
	case f.hosts == "" && (f.on != "" || f.ssh):
		return nil, usagef("launch: --on and --ssh are for --hosts")
	}
	words, server, err := childWords(words, f.np)
	if err != nil {
		return nil, err
	}
	j := &job{ssh: f.ssh, self: os.Args[0]}
	if self, err := os.Executable(); err == nil {
		j.self = self
	}
	if j.processes, err = launch.Assign(hosts, f.np, server); err != nil {
		return nil, usagef("launch: %w", err)
	}
	j.here = hosts[0].Host
	if f.on != "" {
		j.here = f.on
		if !slices.ContainsFunc(hosts, func(s launch.HostSlots) bool { return s.Host == f.on }) {
			return nil, usagef("launch: --on %s is none of --hosts %s", f.on, f.hosts)
		}
	}
	n := 0
	for _, p := range j.processes {
		if p.Host == j.here {
			n++
		}
	}
	if most := perCore * runtime.NumCPU(); n > most && !f.crowd {
		return nil, usagef("launch: %d processes on %s, which has %d cores: more than %d want --oversubscribe", n, j.here, runtime.NumCPU(), most)
	}
	if a.quiet {
		words = append([]string{"--quiet"}, words...)
	}
	if a.json {
		words = append([]string{"--json"}, words...)
	}
	j.words = words
	return j, j.meet(f, hosts, given)
}

// meet decides job, rendezvous and waiting time, which all hosts share, and with them the
// commands of the other hosts.
func (j *job) meet(f *launchFlags, hosts []launch.HostSlots, given func(string) bool) (err error) {
	at := tcp.Config{Size: f.np, Job: f.job, Rendezvous: f.rendezvous, Listen: f.listen, Conns: f.conns, Timeout: f.timeout, Join: f.join}
	if at.Job == "" {
		at.Job = launch.JobOf(os.LookupEnv)
	}
	if err := cluster.CheckName(at.Job); err != nil {
		return usagef("launch: name of the job: %w", err)
	}
	if at.Join == 0 {
		at.Join = f.timeout
		if len(hosts) > 1 && !f.ssh && f.on == "" {
			at.Join = max(byHand, f.timeout)
		}
	}
	switch {
	case at.Rendezvous != "":
		if err := launch.CheckAddress(at.Rendezvous); err != nil {
			return usagef("launch: --rendezvous %s: %w", at.Rendezvous, err)
		}
	case f.hosts == "":
		if at.Rendezvous, err = launch.FreeAddress(j.here); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	default:
		at.Rendezvous = net.JoinHostPort(launch.HostOf(j.processes, 0), launch.Port)
	}
	j.place = at
	for _, h := range hosts {
		if f.on == "" && h.Host != j.here {
			j.remotes = append(j.remotes, remote{h.Host, j.elsewhere(f, h.Host)})
		}
	}
	return nil
}

// elsewhere returns the command that starts another host's part of the same job.
func (j *job) elsewhere(f *launchFlags, host string) []string {
	at := j.place
	line := []string{j.self, "launch", "--np", strconv.Itoa(at.Size), "--hosts", f.hosts, "--on", host,
		"--rendezvous", at.Rendezvous, "--timeout", at.Timeout.String(), "--join", at.Join.String()}
	if f.crowd {
		line = append(line, "--oversubscribe")
	}
	if at.Conns > 0 {
		line = append(line, "--conns", strconv.Itoa(at.Conns))
	}
	if at.Listen != "" {
		line = append(line, "--iface", at.Listen)
	}
	return append(append(line, "--"), j.words...)
}

// childWords completes the command that every process runs, for np processes,
// and says whether its last process is a server.
func childWords(words []string, np int) (complete []string, server bool, err error) {
	scratch := &app{out: io.Discard, err: io.Discard}
	cmd, rest, err := scratch.root().Find(words)
	if err != nil {
		return nil, false, usageError{fmt.Errorf("launch: %w", err)}
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()+" ")
	if !cmd.HasParent() && len(words) > 0 {
		name = words[0]
	}
	if name == "bench ring-worker" {
		return words, false, nil
	}
	if name != "train" {
		return nil, false, usagef("launch: %q does not run over TCP: `launch --np N -- train …` does", name)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return nil, false, usageError{fmt.Errorf("launch: train: %s", flagProblem(cmd, err))}
	}
	flags := cmd.Flags()
	sync, _ := flags.GetString("sync")
	workers, _ := flags.GetInt("workers")
	runtime, _ := flags.GetString("runtime")
	lease, _ := flags.GetDuration("lease")
	server = slices.Contains(rivals.Names(), sync)
	want := np
	if server {
		want--
	}
	switch {
	case lease > 0:
		return nil, false, usagef("launch: %s", strings.TrimPrefix(train.ErrLease.Error(), "train: "))
	case flags.Changed("runtime") && runtime != "tcp" && runtime != autoRuntime:
		return nil, false, usagef("launch: --runtime %s: processes that launch starts run tcp", runtime)
	case server && np < 2:
		return nil, false, usagef("launch: --np %d: --sync %s needs a server and 1 worker at least", np, sync)
	case flags.Changed("workers") && workers != want && server:
		return nil, false, usagef("launch: --np %d beside --workers %d: --sync %s needs %d processes, the last is the server", np, workers, sync, workers+1)
	case flags.Changed("workers") && workers != want:
		return nil, false, usagef("launch: --np %d beside --workers %d: --sync %s needs as many processes as workers", np, workers, sync)
	}
	complete = slices.Clone(words)
	if !flags.Changed("workers") {
		complete = append(complete, "--workers", strconv.Itoa(want))
	}
	if !flags.Changed("runtime") {
		complete = append(complete, "--runtime", "tcp")
	}
	return complete, server, nil
}
