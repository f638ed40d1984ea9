package bench

import "gradsync/shared/cluster/formula"

// OnMPIRow holds what one case came to with our ring over Open MPI. Bandwidths are of the bus, in bytes per second, the ratios
// those of that ring over the others', round by round.
type OnMPIRow struct {
	Ranks     int               `json:"ranks"`
	Bytes     int               `json:"bytes"`
	Rounds    int               `json:"rounds"`
	Bandwidth map[string]Spread `json:"bytes_per_second"` // by contender
	TCP       *Interval         `json:"ratio_tcp,omitempty"`
	Ring      *Interval         `json:"ratio_c_ring,omitempty"`
	AllReduce *Interval         `json:"ratio_allreduce,omitempty"`
	Notes     []Note            `json:"notes,omitempty"`
}

// OnMPI derives a row from an outcome.
func (o *Outcome) OnMPI() OnMPIRow {
	r := OnMPIRow{Ranks: o.Job.Ranks, Bytes: o.Job.Bytes, Bandwidth: map[string]Spread{}, Notes: o.Notes}
	for _, res := range o.Results {
		r.Bandwidth[res.Contender] = res.rate(formula.BusBandwidth(o.Job.Ranks, float64(o.Job.Bytes), 1))
	}
	ours := o.Find(RingOnMPI)
	if ours == nil {
		return r
	}
	r.Rounds = ours.Rounds
	r.TCP, r.Ring, r.AllReduce = o.Against(RingOnMPI, OurRing), o.Against(RingOnMPI, MPIRing), o.Against(RingOnMPI, MPIReduce)
	return r
}

var onMPIHead = []string{"processes", "size", "over Open MPI", "over TCP", "ring in C", "MPI_Allreduce",
	"× over TCP", "× ring in C", "× MPI_Allreduce", "rounds"}

// cells returns the row of a table, and the row whose notes are the table's.
func (r OnMPIRow) cells() ([]string, RingRow) {
	b := RingRow{Ranks: r.Ranks, Bytes: r.Bytes, Rounds: r.Rounds, Bandwidth: r.Bandwidth, Notes: r.Notes}
	return append(b.rates(RingOnMPI, OurRing, MPIRing, MPIReduce), r.TCP.text(), r.Ring.text(), r.AllReduce.text(), b.rounds()), b
}

// OnMPIText returns the table for a terminal.
func OnMPIText(rows []OnMPIRow) string {
	table := [][]string{onMPIHead}
	var notes []RingRow
	for _, r := range rows {
		cells, b := r.cells()
		table, notes = append(table, cells), append(notes, b)
	}
	return ringTable(table, notes)
}
