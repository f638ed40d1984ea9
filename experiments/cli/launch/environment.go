package launch

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gradsync/internal/shell"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// Environment of a process that launch started, and of one that a job scheduler
// starts in its place.
const (
	envRank       = "GRADSYNC_RANK"       // 0 … size−1
	envSize       = "GRADSYNC_SIZE"       // processes of the job
	envJob        = "GRADSYNC_JOB"        // the same text for all processes of a job and for no other's
	envRendezvous = "GRADSYNC_RENDEZVOUS" // host:port where the ranks find each other
	envHost       = "GRADSYNC_HOST"       // 1: this process listens there
	envListen     = "GRADSYNC_LISTEN"     // this process's address or interface for data; unset: that of the route to the rendezvous
	envTimeout    = "GRADSYNC_TIMEOUT"    // the silence after which a rank counts as lost, as "10s"
	envElastic    = "GRADSYNC_ELASTIC"    // 1: the job goes on without the ranks that it loses
	envCerts      = "GRADSYNC_CERTS"      // folder of the job's certificates; unset: in the clear
	envInsecure   = "GRADSYNC_INSECURE"   // 1: in the clear off loopback too
	envJoin       = "GRADSYNC_JOIN"       // how long the ranks wait for each other, as "60s"
)

// ReadJob is a shell's command that takes the job's name from its standard input into the
// environment.
const ReadJob = "IFS= read -r " + envJob + " && export " + envJob

// JobVariable writes the job's name as a shell sets it for one command.
func JobVariable(job string) string { return envJob + "=" + shell.Quoted(job) }

// JobOf returns the name of a job that launch starts: the environment's, unless that is of
// a job in which launch itself is a process, or a new one.
func JobOf(lookup func(string) (string, bool)) string {
	job, _ := lookup(envJob)
	if _, inside := lookup(envRank); job == "" || inside {
		return NewJob()
	}
	return job
}

// Environment returns this process's environment for a child: without the variables of
// a job, and with those that tell it its place at if that is not nil. Place reads them.
func Environment(at *tcp.Config) []string {
	env := slices.DeleteFunc(os.Environ(), func(word string) bool {
		key, _, _ := strings.Cut(word, "=")
		return slices.Contains([]string{envRank, envSize, envJob, envRendezvous, envHost, envListen, envTimeout, envElastic, envJoin, envCerts,
			envInsecure}, key)
	})
	if at != nil {
		env = append(env, variables(*at)...)
	}
	return env
}

// variables lists the variables that tell a process its place.
func variables(at tcp.Config) []string {
	env := []string{envRank + "=" + strconv.Itoa(at.Rank), envSize + "=" + strconv.Itoa(at.Size), envJob + "=" + at.Job,
		envRendezvous + "=" + at.Rendezvous}
	if at.Host {
		env = append(env, envHost+"=1")
	}
	if at.Listen != "" {
		env = append(env, envListen+"="+at.Listen)
	}
	if at.Certs != "" {
		env = append(env, envCerts+"="+at.Certs)
	}
	if at.Insecure {
		env = append(env, envInsecure+"=1")
	}
	if at.Timeout > 0 {
		env = append(env, envTimeout+"="+at.Timeout.String())
	}
	if at.Elastic {
		env = append(env, envElastic+"=1")
	}
	if at.Join > 0 {
		env = append(env, envJoin+"="+at.Join.String())
	}
	return env
}

// Place reads a process's place in a job from its environment; ok is false where nobody
// launched it: without a rank, a size or a place to meet. A variable that is missing or unreadable is an error that names it.
func Place(lookup func(string) (string, bool)) (at tcp.Config, ok bool, err error) {
	for _, name := range []string{envRank, envSize, envRendezvous} {
		_, given := lookup(name)
		ok = ok || given
	}
	if !ok {
		return tcp.Config{}, false, nil
	}
	if at, err = place(lookup); err != nil {
		return tcp.Config{}, false, err
	}
	return at, true, nil
}

func place(lookup func(string) (string, bool)) (at tcp.Config, err error) {
	for _, v := range []struct {
		name  string
		least int
		into  *int
	}{{envRank, 0, &at.Rank}, {envSize, 1, &at.Size}} {
		text, _ := lookup(v.name)
		n, err := strconv.Atoi(text)
		if err != nil || n < v.least || n > math.MaxInt32 {
			return at, fmt.Errorf("environment: %s=%q: want a number from %d (`gradsync launch` sets it)", v.name, text, v.least)
		}
		*v.into = n
	}
	if at.Rank >= at.Size {
		return at, fmt.Errorf("environment: %s=%d is not below %s=%d", envRank, at.Rank, envSize, at.Size)
	}
	for _, v := range []struct {
		name string
		into *string
	}{{envJob, &at.Job}, {envRendezvous, &at.Rendezvous}} {
		if *v.into, _ = lookup(v.name); *v.into == "" {
			return at, fmt.Errorf("environment: %s is missing beside %s (`gradsync launch` sets it)", v.name, envRank)
		}
	}
	if err := cluster.CheckName(at.Job); err != nil {
		return at, fmt.Errorf("environment: %s: %w", envJob, err)
	}
	if err := CheckAddress(at.Rendezvous); err != nil {
		return at, fmt.Errorf("environment: %s=%q: %w", envRendezvous, at.Rendezvous, err)
	}
	for _, v := range []struct {
		name string
		into *bool
	}{{envHost, &at.Host}, {envElastic, &at.Elastic}, {envInsecure, &at.Insecure}} {
		if text, given := lookup(v.name); given {
			if *v.into, err = strconv.ParseBool(text); err != nil {
				return at, fmt.Errorf("environment: %s=%q: want 1 or 0", v.name, text)
			}
		}
	}
	at.Certs, _ = lookup(envCerts)
	at.Listen, _ = lookup(envListen)
	for _, v := range []struct {
		name  string
		into  *time.Duration
		least time.Duration
	}{{envTimeout, &at.Timeout, tcp.MinTimeout}, {envJoin, &at.Join, 1}} {
		text, given := lookup(v.name)
		if !given {
			continue
		}
		if *v.into, err = time.ParseDuration(text); err != nil || *v.into < v.least {
			return at, fmt.Errorf("environment: %s=%q: want a duration of %v at least, as 10s", v.name, text, v.least)
		}
	}
	return at, nil
}

// CheckAddress wants host:port with a port from 1.
func CheckAddress(s string) error {
	host, port, err := net.SplitHostPort(s)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" || strings.ContainsAny(host, " \t\n") {
		return errors.New("want host:port")
	}
	return nil
}
