// Package launch starts the processes of a job over TCP and looks after them until all
// have ended: on which hosts they run and which ranks they have (Assign), how each
// learns its place (Environment, Place), and what becomes of the others if one fails
// (Tend).
package launch

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"gradsync/shared/cluster"
)

// Port is the port of rank 0 if several hosts take part and no rendezvous is named: all
// hosts must know it before any process runs.
const Port = "29571"

// HostSlots is a host with the number of processes that run there.
type HostSlots struct {
	Host string
	N    int
}

// ParseHosts reads "a:2,b:2": host names or addresses, an IPv6 one in brackets,
// each with its number of processes (1 if left out), each once.
func ParseHosts(list string) ([]HostSlots, error) {
	var out []HostSlots
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
		if err := cluster.CheckName(host); err != nil {
			return nil, err
		}
		if host == "" || strings.HasPrefix(host, "-") || strings.ContainsAny(host, " \t\n'\"\\$`;&|<>()[]") {
			return nil, fmt.Errorf("%q: want host:slots", item)
		}
		if slices.ContainsFunc(out, func(s HostSlots) bool { return s.Host == host }) {
			return nil, fmt.Errorf("%s stands twice", host)
		}
		out = append(out, HostSlots{host, n})
	}
	return out, nil
}

// Process says where a process of the job runs and which rank it has.
type Process struct {
	Index, Rank int
	Host        string
}

// Assign places np processes on the hosts in their order. Process i is rank i. With a
// server, the last process is the server, which all runtimes call rank 0, and process i
// is rank i+1.
func Assign(hosts []HostSlots, np int, server bool) ([]Process, error) {
	var out []Process
	for _, h := range hosts {
		for range h.N {
			p := Process{Index: len(out), Rank: len(out), Host: h.Host}
			if server {
				p.Rank = (p.Index + 1) % np
			}
			out = append(out, p)
		}
	}
	if len(out) != np {
		return nil, fmt.Errorf("--np %d, but --hosts has %d slots", np, len(out))
	}
	return out, nil
}

// HostOf returns the host of a rank.
func HostOf(all []Process, rank int) string {
	return all[slices.IndexFunc(all, func(p Process) bool { return p.Rank == rank })].Host
}

// RanksOf returns the ranks of a host.
func RanksOf(all []Process, host string) (ranks []int) {
	for _, p := range all {
		if p.Host == host {
			ranks = append(ranks, p.Rank)
		}
	}
	return ranks
}

// OnLoopback reports whether all addresses of a host are this machine's own, which no
// other reaches.
func OnLoopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	found, err := net.LookupIP(host)
	return err == nil && !slices.ContainsFunc(found, func(ip net.IP) bool { return !ip.IsLoopback() })
}

// FreeAddress returns an address of this machine on which nobody listens. Its port is none of those that most systems
// give to whoever asks for any: until somebody listens there, only who asks for this one takes it.
func FreeAddress(host string) (string, error) {
	const first, ports = 20_000, 9_000
	var err error
	for range 100 {
		var b [2]byte
		_, _ = rand.Read(b[:]) // never fails
		port := first + int(binary.LittleEndian.Uint16(b[:]))%ports
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}
