package cli

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// rendezvousPort is where rank 0 listens if several hosts take part and nothing
// else is said: all must know it before any process runs.
const rendezvousPort = "29571"

// slots are so many processes of one host.
type slots struct {
	host string
	n    int
}

// parseHosts reads "a:2,b:2": host names or addresses, an IPv6 one in brackets,
// each with its number of processes (1 if left out), each once.
func parseHosts(list string) ([]slots, error) {
	var out []slots
	for _, item := range strings.Split(list, ",") {
		host, n := strings.TrimSpace(item), 1
		if at := strings.LastIndex(host, ":"); at >= 0 && !strings.HasSuffix(host, "]") {
			var err error
			if n, err = strconv.Atoi(host[at+1:]); err != nil || n < 1 || n > 1<<20 {
				return nil, fmt.Errorf("%q: want host:slots, slots from 1", item)
			}
			host = host[:at]
		}
		if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
			host = host[1 : len(host)-1]
		} else if strings.Contains(host, ":") {
			return nil, fmt.Errorf("%q: an IPv6 address stands in brackets", item)
		}
		if host == "" || strings.HasPrefix(host, "-") || strings.ContainsAny(host, " \t\n'\"\\$`;&|<>()[]") {
			return nil, fmt.Errorf("%q: want host:slots", item)
		}
		if slices.ContainsFunc(out, func(s slots) bool { return s.host == host }) {
			return nil, fmt.Errorf("%s stands twice", host)
		}
		out = append(out, slots{host, n})
	}
	return out, nil
}

// place is where a process of the job runs and which rank it has.
type place struct {
	process, rank int
	host          string
}

// places sets np processes on the hosts in their order. Of a method with a
// server the last process is the server, which all runtimes call rank 0, and
// process i is rank i+1; otherwise process i is rank i.
func places(hosts []slots, np int, server bool) ([]place, error) {
	var out []place
	for _, h := range hosts {
		for range h.n {
			p := place{process: len(out), rank: len(out), host: h.host}
			if server {
				p.rank = (p.process + 1) % np
			}
			out = append(out, p)
		}
	}
	if len(out) != np {
		return nil, fmt.Errorf("--np %d, but --hosts has %d slots", np, len(out))
	}
	return out, nil
}

// hostOf is the host of a rank.
func hostOf(all []place, rank int) string {
	return all[slices.IndexFunc(all, func(p place) bool { return p.rank == rank })].host
}

// freeAddress is an address of this machine on which nobody listens.
func freeAddress(host string) (string, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// quoted is a word of a shell's command line.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quotedLine is a command for a shell.
func quotedLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return strings.Join(out, " ")
}
