package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/launch"
	"gradsync/shared/cluster/tcp"
)

// mostDays bounds how long certificates count.
const mostDays = 3650

func (a *app) certsCommand() *cobra.Command {
	var ranks, days int
	var job string
	cmd := &cobra.Command{
		Use: "certs DIR --ranks N", Short: "Make the certificates with which a job's ranks know each other",
		Long: `Make the folder DIR of a job's certificates for launch --certs and train --certs:
the authority's (ca.pem), and one with its P-256 key for the rendezvous and for
each rank, readable by their owner alone. Each names job and rank, and a rank is
refused with any other. The authority's key is forgotten: nobody can add a rank,
so make another folder for more ranks, or when these have expired. A folder that
is there already is never written to.

Certificates are good from an hour before they are made, for hosts whose clocks
are behind, for --days; a host judges by its own clock, when a connection opens.
A key that others than its owner may read is refused.

Whoever connects is shown the name of the job in the certificate; it is a new one
unless --job says which, and has nothing to do with launch --job.`,
		Example: "  gradsync certs job.certs --ranks 4\n  gradsync certs week.certs --ranks 4 --days 7 --json",
		Args:    args(1, 1, "the folder to make"),
		RunE: func(cmd *cobra.Command, words []string) error {
			switch {
			case !cmd.Flags().Changed("ranks"):
				return usagef("certs: --ranks is missing: how many processes the job has, a server included")
			case ranks < 1 || ranks > 1<<16:
				return usagef("certs: --ranks %d: 1 to %d, the processes of the job", ranks, 1<<16)
			case days < 1 || days > mostDays:
				return usagef("certs: --days %d: 1 to %d", days, mostDays)
			}
			if job == "" {
				job = launch.NewJob()
			}
			now := time.Now().UTC().Truncate(time.Second)
			c := tcp.Certs{Job: job, Ranks: ranks, From: now.Add(-time.Hour), Until: now.AddDate(0, 0, days)} // other hosts' clocks may be late
			files, err := tcp.MakeCerts(words[0], c)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"dir": filepath.Clean(words[0]), "job": job, "ranks": ranks, "not_before": c.From, "not_after": c.Until, "files": files})
			}
			fmt.Fprintf(a.out, "%s: certificates of %d ranks and their authority's, job %s, good until %s; give each host its own ranks' alone\n",
				filepath.Clean(words[0]), ranks, job, c.Until.Format(time.RFC3339))
			return nil
		},
	}
	s := cmd.Flags()
	s.IntVar(&ranks, "ranks", 0, "ranks of the job, a server included")
	s.IntVar(&days, "days", 30, "days until the certificates expire")
	s.StringVar(&job, "job", "", "name in the certificates (default a new one)")
	return cmd
}

// insecureLine stands before all that an insecure run says, --quiet or not.
const insecureLine = "INSECURE: --insecure lets the ranks speak in the clear off loopback: whoever reads the network reads every gradient " +
	"and the job's name, and can then join and forge"
