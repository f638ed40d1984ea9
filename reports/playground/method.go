// Package playground evaluates the cost formulas of experiments/method/cost for one
// setting of a reader's choice. It is compiled to WebAssembly for the page
// (reports/playground/wasm) and called natively for the tables of that page, so it
// imports descriptors, formulas and math only.
package playground

//go:generate go run ./pack -o ../assets/playground.wasm.gz

import (
	"gradsync/experiments/method"
	"gradsync/experiments/method/cost"
)

// Setting and Cost are what a formula takes and gives.
type (
	Setting = cost.Setting
	Cost    = cost.Cost
)

// mostWorkers bounds Setting.Workers.
const mostWorkers = cost.MostWorkers

// Method is a cost formula of a method.
type Method = method.Formula

// Methods lists the cost formulas of all methods, in the page's order. The page names
// one by its index.
func Methods() (out []Method) {
	for _, m := range method.All() {
		out = append(out, m.Costs...)
	}
	return out
}

// Quantity is a number of a Cost, as the page asks for it.
type Quantity int32

// The numbers of a Cost, in its order.
const (
	Compute Quantity = iota
	Wait
	Exchange
	Total
	Sent
	Received
	quantities
)

// Of returns a quantity of method m, NaN where the setting is out of range or has no
// such method.
func Of(m int, q Quantity, s Setting) float64 {
	all := Methods()
	if m < 0 || m >= len(all) || q < 0 || q >= quantities || !s.Valid() {
		return cost.None().Total
	}
	c := all[m].Cost(s)
	return [quantities]float64{c.Compute, c.Wait, c.Exchange, c.Total, c.Sent, c.Received}[q]
}
