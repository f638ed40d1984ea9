package cli

import (
	"os"

	"gradsync/shared/cluster/tcp"
)

// tcpFromEnv is this process's place in a job over TCP, as launch has told it;
// false where nobody has.
func tcpFromEnv() (tcp.Config, bool, error) {
	m, ok, err := memberFrom(os.LookupEnv)
	return tcp.Config{Rank: m.rank, Size: m.size, Job: m.job, Rendezvous: m.rendezvous, Host: m.host, Listen: m.listen,
		Conns: m.conns, Timeout: m.timeout, Join: m.join}, ok, err
}
