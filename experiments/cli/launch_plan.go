package cli

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gradsync/papers/dasp/rivals"
)

// byHand is how long rank 0 waits where somebody has to start other hosts.
const byHand = 5 * time.Minute

// planJob decides everything before a process runs. What cannot be is a usage
// error.
func (a *app) planJob(f *launchFlags, words []string, given func(string) bool) (*job, error) {
	hosts := []slots{{"127.0.0.1", f.np}}
	if f.hosts != "" {
		var err error
		if hosts, err = parseHosts(f.hosts); err != nil {
			return nil, usagef("launch: --hosts %s: %w", f.hosts, err)
		}
		if !given("np") {
			for _, h := range hosts {
				f.np += h.n
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
	if j.places, err = places(hosts, f.np, server); err != nil {
		return nil, usagef("launch: %w", err)
	}
	j.here = hosts[0].host
	if f.on != "" {
		j.here = f.on
		if !slices.ContainsFunc(hosts, func(s slots) bool { return s.host == f.on }) {
			return nil, usagef("launch: --on %s is none of --hosts %s", f.on, f.hosts)
		}
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

// meet decides job, rendezvous and waiting time, which all hosts share, and so
// the commands of the other hosts.
func (j *job) meet(f *launchFlags, hosts []slots, given func(string) bool) (err error) {
	m := member{size: f.np, job: f.job, rendezvous: f.rendezvous, listen: f.listen, conns: f.conns, timeout: f.timeout, join: f.join}
	if m.job == "" {
		m.job = newJob()
	}
	if m.join == 0 {
		m.join = f.timeout
		if len(hosts) > 1 && !f.ssh && f.on == "" {
			m.join = max(byHand, f.timeout)
		}
	}
	switch {
	case m.rendezvous != "":
		if err := checkAddress(m.rendezvous); err != nil {
			return usagef("launch: --rendezvous %s: %w", m.rendezvous, err)
		}
	case f.hosts == "":
		if m.rendezvous, err = freeAddress(j.here); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	default:
		m.rendezvous = net.JoinHostPort(hostOf(j.places, 0), rendezvousPort)
	}
	j.member = m
	for _, h := range hosts {
		if f.on == "" && h.host != j.here {
			j.remotes = append(j.remotes, remote{h.host, j.elsewhere(f, h.host)})
		}
	}
	return nil
}

// elsewhere is the command that starts another host's part of the same job.
func (j *job) elsewhere(f *launchFlags, host string) []string {
	m := j.member
	line := []string{j.self, "launch", "--np", strconv.Itoa(m.size), "--hosts", f.hosts, "--on", host,
		"--job", m.job, "--rendezvous", m.rendezvous, "--timeout", m.timeout.String(), "--join", m.join.String()}
	if m.conns > 0 {
		line = append(line, "--conns", strconv.Itoa(m.conns))
	}
	if m.listen != "" {
		line = append(line, "--iface", m.listen)
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
	if name == "bench ring-worker" {
		return words, false, nil
	}
	if name != "train" {
		return nil, false, usagef("launch: %q does not run over TCP: `launch --np N -- train …` does", name)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return nil, false, usageError{fmt.Errorf("launch: train: %s", flagProblem(err))}
	}
	flags := cmd.Flags()
	sync, _ := flags.GetString("sync")
	workers, _ := flags.GetInt("workers")
	runtime, _ := flags.GetString("runtime")
	server = slices.Contains(rivals.Names(), sync)
	want := np
	if server {
		want--
	}
	switch {
	case flags.Changed("runtime") && runtime != "tcp":
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
