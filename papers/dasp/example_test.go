package dasp_test

import (
	"fmt"
	"time"

	"gradsync/papers/dasp"
)

// Algorithm 1: the farther worker 0 gets ahead of the oldest version, the longer
// it has to wait. Worker 1 is slow and holds version 0 all the while.
func ExampleConfig_Decide() {
	cfg := dasp.Config{Workers: 2, Smin: 1, Smax: 3, Alpha: 0.5}
	nodes := dasp.NewView(2)
	nodes.Finished(1, 9*time.Second) // f of its last iteration
	for range 5 {
		nodes.Finished(0, time.Second)
		d := cfg.Decide(nodes, 0)
		fmt.Printf("gap %d: %v", d.Gap, d.State)
		switch d.State {
		case dasp.WSS:
			fmt.Printf(", waits %v", d.Wait)
		case dasp.FSS:
			fmt.Printf(", waits for worker %d", d.Until)
		}
		fmt.Println()
		nodes.Updated() // Algorithm 2: its gradient makes a version,
		nodes.Handed(0) // with which it goes on
	}
	// Output:
	// gap 0: QIS
	// gap 1: QIS
	// gap 2: WSS, waits 4s
	// gap 3: WSS, waits 4s
	// gap 4: FSS, waits for worker 1
}

// The server of DASP, gradient by gradient: events go in, orders come out.
// Workers 0 and 1 wait for the slow worker 2, and their gradients make one version.
func ExampleNew() {
	server, err := dasp.New(dasp.Config{Workers: 3, Smin: 1, Smax: 2, Alpha: 0.5})
	if err != nil {
		panic(err)
	}
	for _, push := range []struct{ worker, second int }{{0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 3}, {2, 9}} {
		at := time.Duration(push.second) * time.Second
		fmt.Printf("%v: gradient of worker %d\n", at, push.worker)
		for _, a := range server.Step(dasp.Event{Kind: dasp.EventPush, Worker: push.worker, At: at, Compute: time.Second}) {
			switch a.Kind {
			case dasp.Apply:
				fmt.Printf("    new version of the gradients of %v, each × %.2f\n", a.Workers, a.Weight)
			case dasp.Reply:
				fmt.Printf("    worker %d goes on (%v)\n", a.Workers[0], a.State)
			}
		}
	}
	// Output:
	// 1s: gradient of worker 0
	//     new version of the gradients of [0], each × 0.33
	//     worker 0 goes on (QIS)
	// 1s: gradient of worker 1
	//     new version of the gradients of [1], each × 0.33
	//     worker 1 goes on (QIS)
	// 2s: gradient of worker 0
	//     new version of the gradients of [0], each × 0.33
	//     worker 0 goes on (QIS)
	// 2s: gradient of worker 1
	// 3s: gradient of worker 0
	// 9s: gradient of worker 2
	//     new version of the gradients of [2], each × 0.33
	//     worker 2 goes on (QIS)
	//     new version of the gradients of [0 1], each × 0.50
	//     worker 0 goes on (FSS)
	//     worker 1 goes on (WSS)
}
