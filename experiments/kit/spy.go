package kit

import (
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// Spy is a Proc that tells of its rank's messages: Sent of each as it is handed over, with the ranks that it goes to,
// and Received, unless nil, of each before who waits for it hears of it.
type Spy struct {
	cluster.Proc
	Sent     func(to []int, m *cluster.Msg)
	Received func(m *cluster.Msg)
	into     map[cluster.Req]*cluster.Msg
}

// Isend tells of the message and sends it.
func (s *Spy) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	s.Sent([]int{to}, m)
	return s.Proc.Isend(to, tag, m)
}

// Ibcast tells of the message at its root and sends it.
func (s *Spy) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if root == s.Rank() {
		s.Sent(slices.DeleteFunc(slices.Clone(group), func(v int) bool { return v == root }), m)
	}
	return s.Proc.Ibcast(group, root, tag, m)
}

// Irecv remembers where the message will be.
func (s *Spy) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	r := s.Proc.Irecv(from, tag, into)
	if s.Received != nil {
		if s.into == nil {
			s.into = map[cluster.Req]*cluster.Msg{}
		}
		s.into[r] = into
	}
	return r
}

// WaitAny tells of what has been received.
func (s *Spy) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	i, err := s.Proc.WaitAny(until, reqs...)
	if err == nil && i >= 0 && s.into[reqs[i]] != nil {
		s.Received(s.into[reqs[i]])
		delete(s.into, reqs[i])
	}
	return i, err
}
