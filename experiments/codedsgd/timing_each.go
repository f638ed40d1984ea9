package codedsgd

import (
	"runtime"
	"sync"

	"gradsync/experiments/exp"
)

// each calls f for 0 … n−1, as many at once as there are cores, and returns the error
// of the smallest. What f gives must not depend on the order.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		free <- struct{}{}
		group.Go(func() {
			errs[i] = f(i)
			<-free
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// oneAtATime is a memo that several may ask.
type oneAtATime struct {
	mu sync.Mutex
	exp.Memo
}

func (m *oneAtATime) Load(key string, v any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Memo.Load(key, v)
}

func (m *oneAtATime) Save(key string, v any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Memo.Save(key, v)
}

// withOneMemo is env for several at once.
func withOneMemo(env exp.Env) exp.Env {
	if env.Memo != nil {
		env.Memo = &oneAtATime{Memo: env.Memo}
	}
	return env
}
