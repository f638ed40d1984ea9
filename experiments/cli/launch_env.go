package cli

import (
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
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
	envConns      = "GRADSYNC_CONNS"      // connections to each other rank; unset: the runtime's own number
	envTimeout    = "GRADSYNC_TIMEOUT"    // how long a silent rank is believed in, as "10s"
	envJoin       = "GRADSYNC_JOIN"       // how long the ranks wait for each other, as "60s"
)

// member is one process's place in a job.
type member struct {
	rank, size int
	job        string
	rendezvous string
	host       bool          // it listens at the rendezvous
	listen     string        // "": as the route to the rendezvous
	conns      int           // 0: the runtime's own
	timeout    time.Duration // 0: the runtime's own
	join       time.Duration // 0: the runtime's own
}

// environ are the variables that tell a process its place; memberFrom reads them.
func (m member) environ() []string {
	env := []string{
		envRank + "=" + strconv.Itoa(m.rank), envSize + "=" + strconv.Itoa(m.size), envJob + "=" + m.job,
		envRendezvous + "=" + m.rendezvous,
	}
	if m.host {
		env = append(env, envHost+"=1")
	}
	if m.listen != "" {
		env = append(env, envListen+"="+m.listen)
	}
	if m.conns > 0 {
		env = append(env, envConns+"="+strconv.Itoa(m.conns))
	}
	if m.timeout > 0 {
		env = append(env, envTimeout+"="+m.timeout.String())
	}
	if m.join > 0 {
		env = append(env, envJoin+"="+m.join.String())
	}
	return env
}

// ofMember tells whether a "KEY=value" is one of these variables.
func ofMember(word string) bool {
	key, _, _ := strings.Cut(word, "=")
	return slices.Contains([]string{envRank, envSize, envJob, envRendezvous, envHost, envListen, envConns, envTimeout, envJoin}, key)
}

// memberFrom reads a process's place from its environment. Without envRank it
// has none. A variable that is missing or unreadable is an error that names it.
func memberFrom(lookup func(string) (string, bool)) (m member, ok bool, err error) {
	if _, ok = lookup(envRank); !ok {
		return member{}, false, nil
	}
	for _, v := range []struct {
		name  string
		least int
		into  *int
	}{{envRank, 0, &m.rank}, {envSize, 1, &m.size}, {envConns, 1, &m.conns}} {
		text, given := lookup(v.name)
		if !given && v.into == &m.conns {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < v.least || n > math.MaxInt32 {
			return member{}, false, fmt.Errorf("environment: %s=%q: want a number from %d (`gradsync launch` sets it)", v.name, text, v.least)
		}
		*v.into = n
	}
	if m.rank >= m.size {
		return member{}, false, fmt.Errorf("environment: %s=%d is not below %s=%d", envRank, m.rank, envSize, m.size)
	}
	for _, v := range []struct {
		name string
		into *string
	}{{envJob, &m.job}, {envRendezvous, &m.rendezvous}} {
		if *v.into, _ = lookup(v.name); *v.into == "" {
			return member{}, false, fmt.Errorf("environment: %s is missing beside %s (`gradsync launch` sets it)", v.name, envRank)
		}
	}
	if err := checkAddress(m.rendezvous); err != nil {
		return member{}, false, fmt.Errorf("environment: %s=%q: %w", envRendezvous, m.rendezvous, err)
	}
	if text, given := lookup(envHost); given {
		if m.host, err = strconv.ParseBool(text); err != nil {
			return member{}, false, fmt.Errorf("environment: %s=%q: want 1 or 0", envHost, text)
		}
	}
	m.listen, _ = lookup(envListen)
	for _, v := range []struct {
		name string
		into *time.Duration
	}{{envTimeout, &m.timeout}, {envJoin, &m.join}} {
		text, given := lookup(v.name)
		if !given {
			continue
		}
		if *v.into, err = time.ParseDuration(text); err != nil || *v.into <= 0 {
			return member{}, false, fmt.Errorf("environment: %s=%q: want a duration above 0, as 10s", v.name, text)
		}
	}
	return m, true, nil
}

// checkAddress wants host:port with a port from 1.
func checkAddress(s string) error {
	host, port, err := net.SplitHostPort(s)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" || strings.ContainsAny(host, " \t\n") {
		return fmt.Errorf("want host:port")
	}
	return nil
}
