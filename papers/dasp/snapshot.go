package dasp

import "gradsync/shared/cluster"

// snapshots are the encoded weights under way to workers. Replies of one
// version share their bytes; bytes are used anew when all their sends are done.
type snapshots struct {
	all []*snapshot // the newest last
}

type snapshot struct {
	version int64
	body    []byte
	sends   []cluster.Req
}

// of returns the encoded params of that version.
func (s *snapshots) of(version int64, params []float32) []byte {
	if k := len(s.all); k > 0 && s.all[k-1].version == version {
		return s.all[k-1].body
	}
	fresh := &snapshot{}
	for i, old := range s.all {
		if old.done() {
			fresh = old
			s.all = append(s.all[:i], s.all[i+1:]...)
			break
		}
	}
	fresh.version, fresh.sends = version, fresh.sends[:0]
	fresh.body = appendFloats(fresh.body[:0], params)
	s.all = append(s.all, fresh)
	return fresh.body
}

// track notes a send of the newest snapshot.
func (s *snapshots) track(r cluster.Req) {
	if k := len(s.all); k > 0 {
		s.all[k-1].sends = append(s.all[k-1].sends, r)
	}
}

// done reports whether all sends are over.
func (s *snapshot) done() bool {
	for _, r := range s.sends {
		if !r.Done() {
			return false
		}
	}
	return true
}
