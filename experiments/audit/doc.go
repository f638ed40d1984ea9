// Package audit holds the audit trail of a training with a parameter server: a file from which another
// person can recompute every decision of the server and the training itself, and the check that does the
// former. `gradsync train --record FILE` writes one, `train --replay FILE` follows its order, and
// `replay --check FILE` checks it.
//
// A run with a lease, in which workers leave and join, has no trail, nor has one that another network's clock times.
//
// # Format, version 2
//
// A file has JSON objects, one per line, in UTF-8: a header, then one line per event in the order in which
// the server handled them, then an end. All instants and durations are whole nanoseconds; instants count from
// the start of the run on the server's clock. Versions are counted in global updates, the first parameters
// being version 0. Workers, steps and images count from 0, pushes from 1. A field that is 0 or empty may be
// left out, unless it stands here with [always].
//
// The header:
//
//	format            "gradsync audit trail"
//	version           2
//	method            a value of --sync
//	options           the method's parameters by the names of rivals.Options; 0 or "" is the default
//	workers, seed     N, and the seed of all random streams
//	runtime           virtual, local or tcp: whose clock the instants are of
//	platform          its name
//	model             and its width, image, classes where they are not the network's own
//	batch             images of a mini-batch, B
//	rate, momentum, weight_decay   of the server's step
//	max_pushes, max_updates        where the run ends: gradients in the updates that were made, and updates;
//	                  0: no bound
//	target_accuracy   at which it ends before; 0: none. No trail says what an evaluation found, so a check
//	                  then does not ask for a bound
//	data              name, images (of the training part), sha256 of its content, raw_pixels; null in a
//	                  timing-only run, which trains nothing
//	first_parameters  SHA-256 of version 0, little-endian float32
//	engine            who computed, with the class of its bits
//
// An event has
//
//	event     "push": a gradient was complete at the server; "timer": the time of a waiting worker was over
//	at        the instant at which the server told the method of it [always]
//	worker    whose gradient or timer [always]
//	orders    what the method ordered then, in order [always]
//
// and a push also
//
//	push      its number, in order of arrival [always]
//	step      the worker's own count of its gradients [always]
//	held      version of the weights that the gradient was computed on, v_n [always]
//	sent      instant at which those weights left the server: in virtual time the worker's last answered, of
//	          version 0 the start [always]
//	compute   the forward and backward pass, as the worker measured it, ns
//	f         the iteration's time that the method was told, ns: compute, or at − sent with duration iteration
//	answered  instant at which the next weights left for the worker; none if the run ended before
//	batch     the images of the mini-batch by their index in the training part, in order
//	gap       v_n − min(v) as Algorithm 1 saw it, versions; this and the next three of methods with states
//	oldest    id_min, the worker with the oldest version
//	state     QIS, WSS or FSS
//	wait      T_wait of equation (1), ns; WSS only
//
// An order is one of
//
//	update  w ← w − rate · weight · Σ g over workers, in that order: one new version (Algorithm 2, line 7)
//	        workers, pushes (whose gradients), weight, version (the new one), done (its instant; none if
//	        the run ended before)
//	answer  workers are handed the newest weights
//	        workers, pushes (that it answers), version (given), state (in which they were; "" of a worker
//	        that a method without states delayed), gap
//	timer   the worker waits until then, unless it is answered before
//	        workers, pushes, until (an instant)
//	drop    gradients are not used
//	        workers, pushes
//
// The end has event "end", at, and
//
//	pushes, updates   that arrived, and that were made
//	parameters        SHA-256 of the last version, little-endian float32; none in a timing-only run
//
// # To recompute the training
//
// Begin with the parameters that the seed draws (or the file that --load named): their hash is in the header.
// Go through the events; at an update, take of each of its pushes the mean-loss gradient of batch on version
// held, sum them in the order of workers and make the step. The hash of the result is in the end, if the
// arithmetic has the class of bits that engine names. `gradsync train --replay` does it.
//
// # Mini-batches
//
// A permutation of the training images, drawn from the stream (seed, −1, "data", "shards"), is cut into N
// pieces, piece n from ⌊n·images/N⌋. Worker n's epoch e is a shuffle of its piece from the stream (seed, n,
// "data", "epoch e"), cut into batches, of which an incomplete last one is left out. cluster.Stream draws.
package audit
