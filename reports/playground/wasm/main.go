//go:build wasip1

// Command wasm is package playground for the page: numbers in, numbers out.
package main

import "gradsync/reports/playground"

func main() {}

// of is playground.Of.
//
//go:wasmexport of
func of(method, quantity, workers, perMachine, redundancy int32, parameters, bandwidth, inner, latency, compute, slowest, density, codec float64) float64 {
	return playground.Of(int(method), playground.Quantity(quantity), playground.Setting{
		Workers: int(workers), PerMachine: int(perMachine), Redundancy: int(redundancy), Parameters: parameters, Bandwidth: bandwidth,
		Inner: inner, Latency: latency, Compute: compute, Slowest: slowest, Density: density, Codec: codec,
	})
}

// about is playground.About.
//
//go:wasmexport about
func about(fact, workers, perMachine, redundancy int32, parameters, bandwidth, inner, latency, compute, slowest, density, codec float64) float64 {
	return playground.About(playground.Fact(fact), playground.Setting{
		Workers: int(workers), PerMachine: int(perMachine), Redundancy: int(redundancy), Parameters: parameters, Bandwidth: bandwidth,
		Inner: inner, Latency: latency, Compute: compute, Slowest: slowest, Density: density, Codec: codec,
	})
}
