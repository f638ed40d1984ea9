package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"gradsync/shared/cluster"
)

// tagSame is the tag of what processes compare. No method uses it.
const tagSame = cluster.MaxTag - 1

// sameRun fails if processes of one job do not run the same training: another
// command, other data, an engine of other roundings, other first parameters. They
// would never agree, or agree on what nobody asked for.
func (r *runner) sameRun(p cluster.Proc) error {
	c := r.cfg
	c.Engine, c.Load = "", "" // other names may stand for the same bits, which are compared
	config, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	data := ""
	if r.out.Data != nil {
		data = r.out.Data.SHA256
	}
	x := &replica{runner: r, p: p}
	for _, f := range [][2]string{{"flags", string(config)}, {"data", data}, {"engine", r.out.Engine}, {"first parameters", ParamsHash(r.init)}} {
		if err := x.same(f[0], f[1]); err != nil {
			return err
		}
	}
	return nil
}

// same compares a text with the left neighbour's, by its SHA-256 in the four words
// of a message without a body, so that no byte of an exchange is counted for it.
func (x *replica) same(what, text string) error {
	n, p := x.p.Size(), x.p
	left := (p.Rank() + n - 1) % n
	if left == p.Rank() {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	out, in := cluster.Msg{Body: []byte{}}, cluster.Msg{}
	for i := range out.Meta {
		out.Meta[i] = int64(binary.LittleEndian.Uint64(sum[8*i:]))
	}
	received := p.Irecv(left, tagSame, &in)
	if err := cluster.Wait(p, p.Isend((p.Rank()+1)%n, tagSame, &out), received); err != nil {
		return err
	}
	if in.Meta != out.Meta {
		return fmt.Errorf("train: ranks %d and %d do not agree: %s differ", left, p.Rank(), what)
	}
	return nil
}
