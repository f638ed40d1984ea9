package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/launch"
	"gradsync/experiments/train"
	"gradsync/internal/shell"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// launchFlags holds the flags of launch.
type launchFlags struct {
	np         int
	crowd      bool // --oversubscribe
	elastic    bool
	hosts, on  string
	ssh        bool
	timeout    time.Duration
	join       time.Duration
	rendezvous string
	job        string
	listen     string
	certs      string
	insecure   bool
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
stands in that of this command.

Off loopback the ranks want certificates, which gradsync certs DIR makes: with
--certs DIR every connection is TLS 1.3, and each end shows which rank it is. The
folder must be on every host, with that host's ranks alone and, where the ranks
meet, the rendezvous's; a line says how to copy it. --insecure speaks in the clear
instead; the outcome says so.

With --elastic a run that has begun goes on without the processes, or hosts, that
it loses: with a server without any worker, in a ring without any rank, with
cssgd as long as each block has a living holder. The ranks then meet in this
process, or in that of the first of --hosts, which must live, as the server must.
The first rank that is left prints the outcome; the last lines on standard error
say who was lost and when. A loss before all ranks have met ends the run. Where a
link between two hosts breaks, the one is lost that the other complains of first.
A process, or the launch of another host, that is told to end, as by TERM, is lost
as if it were killed. Where the ranks meet, Ctrl-C or TERM ends launch and the run.

More than 4 processes per core of a host want --oversubscribe.`,
		Example: "  gradsync launch --np 4 -- train --sync ring --model mlp --updates 50 --json\n" +
			"  gradsync launch --np 4 -- train --sync bsp --workers 3 --updates 50\n" +
			"  gradsync launch --np 4 --hosts node0:2,node1:2 --ssh --certs job.certs -- train --sync ring",
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
	s.DurationVar(&f.timeout, "timeout", 10*time.Second, "a rank silent for so long is lost")
	s.DurationVar(&f.join, "join", 0, "how long to wait for all ranks to come (default --timeout; 5 m where hosts are started by hand)")
	s.StringVar(&f.rendezvous, "rendezvous", "", "host:port where rank 0, with --elastic launch, listens (default a free port here; with --hosts port "+
		launch.Port+")")
	s.StringVar(&f.listen, "iface", "", "interface or address for data, on every host (default that of the way to the rendezvous)")
	s.StringVar(&f.certs, "certs", "", "folder of the job's certificates (gradsync certs), of this name on every host: TLS 1.3 between all ranks")
	s.BoolVar(&f.insecure, "insecure", false, "no certificates off loopback: in the clear")
	s.StringVar(&f.job, "job", "", "name of the job, the same on all hosts, which the process list shows (default $GRADSYNC_JOB, which it does not, else "+
		"a new one)")
	s.BoolVar(&f.elastic, "elastic", false, "go on without the processes that are lost")
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
	meeting   string // the host that has the rendezvous: in rank 0, of an elastic job in launch
}

// remote is another host and the words of its command, which has the job's name in its
// environment.
type remote struct {
	host  string
	words []string
	ranks []int
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
		if j.place.Certs != "" && !a.quiet {
			fmt.Fprintln(a.err, j.copyLine(r.host))
		}
		if !j.ssh {
			fmt.Fprintf(a.err, "on %s: %s %s\n", r.host, launch.JobVariable(j.place.Job), shell.Quoted(r.words...))
			continue
		}
		c := launch.Child{Name: "the launch on " + r.host, Cmd: exec.Command("ssh", j.sshWords(r)...), Ranks: r.ranks,
			Plain: j.place.Elastic || launch.HostOf(j.processes, 0) == r.host}
		c.Cmd.Stdin = strings.NewReader(j.place.Job + "\n")
		children = append(children, c)
	}
	var err error
	if j.place.Elastic {
		err = a.outlive(ctx, j, children)
	} else {
		err = launch.Tend(ctx, children, a.out, a.err)
	}
	var failed *launch.ChildError
	switch {
	case ctx.Err() != nil && j.place.Elastic && j.here != j.meeting: // the first host's launch, to whose terminal ssh may bring this line, goes on
		return errors.New("launch: interrupted on " + j.here)
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

// alsoTold is how much later than its children launch may hear that all are to end.
const alsoTold = 500 * time.Millisecond

// outlive looks after the processes of an elastic job, and says whom it lost.
func (a *app) outlive(ctx context.Context, j *job, children []launch.Child) error {
	place := j.place
	place.Rank = launch.RanksOf(j.processes, j.here)[0] // whose certificate is here
	follow := func(ctx context.Context, tell tcp.Events) (tcp.Verdict, error) { return tcp.Watch(ctx, place, tell) }
	meets := j.here == j.meeting
	if meets {
		ln, err := net.Listen("tcp", place.Rendezvous)
		if err != nil {
			return err
		}
		follow = func(ctx context.Context, tell tcp.Events) (tcp.Verdict, error) {
			return tcp.Rendezvous(ctx, place, ln, tell)
		}
	}
	v, err := launch.Outlive(ctx, children, follow, meets, a.out, a.err)
	if err != nil && len(v.Lost) > 0 { // who told all processes to end, as systemctl stop does, told this one, too: it hears of it any moment
		select {
		case <-ctx.Done():
		case <-time.After(alsoTold):
		}
	}
	if !meets { // the first host says it
		return err
	}
	j.tellLosses(a.err, &v)
	return err
}

// tellLosses says who was lost and when, and of how long a run. Who was lost once all the living were through is missed
// by none.
func (j *job) tellLosses(w io.Writer, v *tcp.Verdict) {
	of := ""
	if v.Elapsed > 0 {
		of = fmt.Sprintf(" of %v", v.Elapsed.Round(time.Millisecond))
	}
	for _, l := range v.Lost {
		if v.Elapsed == 0 || l.After <= v.Elapsed {
			at := launch.HostOf(j.processes, l.Rank)
			fmt.Fprintf(w, "gradsync: launch: rank %d at %s was lost after %v%s: %s\n",
				l.Rank, at, l.After.Round(time.Millisecond), of, l.Cause)
		}
	}
}

// child makes a process of this host. Rank 0 reads launch's standard input.
func (j *job) child(p launch.Process, in io.Reader) launch.Child {
	at := j.place
	at.Rank, at.Host = p.Rank, p.Rank == 0 && !at.Elastic
	if at.Listen == "" && net.ParseIP(p.Host) != nil {
		at.Listen = p.Host
	}
	c := launch.Rank(at, p.Host, exec.Command(j.self, j.words...))
	if p.Rank == 0 {
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
		line += "cd " + shell.Quoted(folder) + " && "
	}
	return []string{"-o", "BatchMode=yes", r.host, "exec " + shell.Quoted("sh", "-c", line+"exec "+shell.Quoted(r.words...))}
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
	case f.np > tcp.MaxSize:
		return nil, usagef("launch: --np %d: at most %d", f.np, tcp.MaxSize)
	case f.timeout < tcp.MinTimeout:
		return nil, usagef("launch: --timeout %v: at least %v", f.timeout, tcp.MinTimeout)
	case given("join") && f.join <= 0:
		return nil, usagef("launch: --join %v: above 0", f.join)
	case f.hosts == "" && (f.on != "" || f.ssh):
		return nil, usagef("launch: --on and --ssh are for --hosts")
	}
	words, server, elastic, err := childWords(words, f.np, f.elastic)
	if err != nil {
		return nil, err
	}
	j := &job{ssh: f.ssh, self: os.Args[0], place: tcp.Config{Elastic: elastic}}
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
	at := tcp.Config{Size: f.np, Job: f.job, Rendezvous: f.rendezvous, Listen: f.listen, Timeout: f.timeout, Join: f.join,
		Certs: f.certs, Insecure: f.insecure, Elastic: j.place.Elastic}
	if j.meeting = launch.HostOf(j.processes, 0); at.Elastic {
		j.meeting = hosts[0].Host // whichever rank may be lost
	}
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
		at.Rendezvous = net.JoinHostPort(j.meeting, launch.Port)
	}
	j.place = at
	if err := j.trust(hosts); err != nil {
		return err
	}
	for _, h := range hosts {
		if f.on == "" && h.Host != j.here {
			j.remotes = append(j.remotes, remote{h.Host, j.elsewhere(f, h.Host), launch.RanksOf(j.processes, h.Host)})
		}
	}
	return nil
}

// trust checks the certificates of this host's ranks, or that the job needs none.
func (j *job) trust(hosts []launch.HostSlots) error {
	at := j.place
	switch {
	case at.Certs != "" && at.Insecure:
		return usagef("launch: --certs and --insecure: want one of the two")
	case at.Certs != "":
		if err := tcp.CheckCerts(at.Certs, launch.RanksOf(j.processes, j.here), j.here == j.meeting); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
		return nil
	case at.Insecure:
		return nil
	}
	meet, _, _ := net.SplitHostPort(at.Rendezvous)
	for _, h := range append([]launch.HostSlots{{Host: meet}}, hosts...) {
		if !launch.OnLoopback(h.Host) {
			return usagef("launch: %s is not loopback: want --certs DIR (`gradsync certs DIR --ranks %d` makes it), or --insecure", h.Host, at.Size)
		}
	}
	return nil
}

// copyLine says by which command a host gets its certificates, with their modes, if they are here.
func (j *job) copyLine(host string) string {
	dir := shell.Quoted(j.place.Certs)
	there := "mkdir -p -m 700 " + dir + " && tar -C " + dir + " -xpf -"
	if folder, err := os.Getwd(); err == nil {
		there = "cd " + shell.Quoted(folder) + " && " + there
	}
	files := tcp.CertFiles(launch.RanksOf(j.processes, host), host == j.meeting)
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(j.place.Certs, name)); err != nil {
			return fmt.Sprintf("certificates for %s: no %s in %s here, so it must have them (a folder for this job: `gradsync certs DIR --ranks %d`)",
				host, name, j.place.Certs, j.place.Size)
		}
	}
	return "certificates for " + host + ", unless it has them: tar -C " + dir + " -cf - " + shell.Quoted(files...) + " | ssh " + shell.Quoted(host, there)
}

// elsewhere returns the command that starts another host's part of the same job.
func (j *job) elsewhere(f *launchFlags, host string) []string {
	at := j.place
	line := []string{j.self, "launch", "--np", strconv.Itoa(at.Size), "--hosts", f.hosts, "--on", host,
		"--rendezvous", at.Rendezvous, "--timeout", at.Timeout.String(), "--join", at.Join.String()}
	if at.Elastic {
		line = append(line, "--elastic")
	}
	if f.crowd {
		line = append(line, "--oversubscribe")
	}
	if at.Certs != "" {
		line = append(line, "--certs", at.Certs)
	}
	if at.Insecure {
		line = append(line, "--insecure")
	}
	if at.Listen != "" {
		line = append(line, "--iface", at.Listen)
	}
	return append(append(line, "--"), j.words...)
}

// childWords completes the command that every process runs, for np processes,
// and says whether its last process is a server and whether the job is elastic, as asked for or by the command itself.
func childWords(words []string, np int, asked bool) (complete []string, server, elastic bool, err error) {
	scratch := &app{out: io.Discard, err: io.Discard}
	cmd, rest, err := scratch.root().Find(words)
	if err != nil {
		return nil, false, false, usageError{fmt.Errorf("launch: %w", err)}
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().CommandPath()+" ")
	if !cmd.HasParent() && len(words) > 0 {
		name = words[0]
	}
	if name != "train" {
		return nil, false, false, usagef("launch: %q does not run over TCP: `launch --np N -- train …` does", name)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return nil, false, false, usageError{fmt.Errorf("launch: train: %s", flagProblem(cmd, err))}
	}
	flags := cmd.Flags()
	sync, _ := flags.GetString("sync")
	workers, _ := flags.GetInt("workers")
	runtime, _ := flags.GetString("runtime")
	lease, _ := flags.GetDuration("lease")
	elastic, _ = flags.GetBool("elastic")
	elastic = elastic || asked
	server = slices.Contains(rivals.Names(), sync)
	want := np
	if server {
		want--
	}
	switch {
	case flags.Changed("certs") || flags.Changed("insecure"):
		return nil, false, false, usagef("launch: --certs and --insecure stand before --, for all processes")
	case lease > 0 && !elastic:
		return nil, false, false, usagef("launch: %s", strings.TrimPrefix(train.ErrLease.Error(), "train: "))
	case elastic && flags.Changed("checkpoint"):
		return nil, false, false, usagef("launch: %s", strings.TrimPrefix(train.ErrElasticCheckpoint.Error(), "train: "))
	case flags.Changed("runtime") && runtime != "tcp" && runtime != autoRuntime:
		return nil, false, false, usagef("launch: --runtime %s: processes that launch starts run tcp", runtime)
	case server && np < 2:
		return nil, false, false, usagef("launch: --np %d: --sync %s needs a server and 1 worker at least", np, sync)
	case flags.Changed("workers") && workers != want && server:
		return nil, false, false, usagef("launch: --np %d beside --workers %d: --sync %s needs %d processes, the last is the server", np, workers, sync, workers+1)
	case flags.Changed("workers") && workers != want:
		return nil, false, false, usagef("launch: --np %d beside --workers %d: --sync %s needs as many processes as workers", np, workers, sync)
	}
	if sums, _ := flags.GetString("collective"); elastic {
		if err := train.CheckElastic(sync, sums == engineCollective, flags.Changed("record") || flags.Changed("replay")); err != nil {
			return nil, false, false, usagef("launch: %s", strings.TrimPrefix(err.Error(), "train: "))
		}
	}
	complete = slices.Clone(words)
	if !flags.Changed("workers") {
		complete = append(complete, "--workers", strconv.Itoa(want))
	}
	if !flags.Changed("runtime") {
		complete = append(complete, "--runtime", "tcp")
	}
	return complete, server, elastic, nil
}
