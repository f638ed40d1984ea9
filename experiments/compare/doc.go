// Package compare sets the methods of all four documents beside one another: on the
// same network, data, cluster and seeds, with as many samples per update as each
// method allows and one rule for the learning rate.
//
// It judges no claim of a document. It answers what none of them asks: which method to
// use when.
package compare
