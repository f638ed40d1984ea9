package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"gradsync/experiments/bench"
)

// measureFLOPS is the rate of the fastest engine of ours on a product that fits
// into the cache, one thread, best of several rounds.
func measureFLOPS(budget time.Duration) (engine string, rate float64, err error) {
	const size = 512
	engine, _, err = chooseEngine(autoEngine, engineStates())
	if err != nil {
		return "", 0, err
	}
	task, err := openTask(bench.Job{Kind: bench.KindGemm, Contender: engine, Threads: 1, M: size, N: size, K: size})
	if err != nil {
		return "", 0, err
	}
	best := time.Duration(1 << 62)
	for begin, round := time.Now(), 0; round < 3 || time.Since(begin) < budget; round++ {
		start := time.Now()
		if err := task.Run(1); err != nil {
			return "", 0, err
		}
		best = min(best, max(time.Since(start), 1))
	}
	return engine, 2 * size * size * size / best.Seconds(), nil
}

// measureLoopback is what one TCP connection to this machine carries, in bytes
// per second: for about the budget, from the first byte to the last one read.
func measureLoopback(budget time.Duration) (rate float64, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	defer l.Close()
	limit := time.Now().Add(budget + 10*time.Second)
	if err := l.(*net.TCPListener).SetDeadline(limit); err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	sent := make(chan error, 1)
	go func() { sent <- sendFor(l.Addr().String(), budget) }()
	in, err := l.Accept()
	if err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	defer in.Close()
	if err := in.SetDeadline(limit); err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	start := time.Now()
	buffer, total := make([]byte, 1<<20), int64(0)
	for err == nil {
		var n int
		n, err = in.Read(buffer)
		total += int64(n)
	}
	took := time.Since(start)
	if err == io.EOF {
		err = nil
	}
	if err = errors.Join(err, <-sent); err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	return float64(total) / took.Seconds(), nil
}

// sendFor writes to a connection as fast as it goes, 4 MiB at least.
func sendFor(addr string, budget time.Duration) error {
	out, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for begin, n := time.Now(), 0; n < 4 || time.Since(begin) < budget; n++ {
		if _, err := out.Write(block); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}
