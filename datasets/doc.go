// Package datasets opens the image sets that the experiments train on: MNIST
// and Fashion-MNIST (IDX files), CIFAR-10 (binary or Python archive, packed or
// not), an embedded Fashion-MNIST subset, and a seeded synthetic set for tests.
//
// # Look-up
//
// Open looks in Options.Dir (the flag --data-dir), then in $GRADSYNC_DATA, then
// in the user's cache folder, then among the embedded sets, and takes the first
// place that holds the set. In each place it tries the layouts that the official
// archives, `gradsync data fetch`, Debian's dataset packages and torchvision leave:
//
//	DIR/mnist/train-images-idx3-ubyte.gz        DIR/MNIST/raw/train-images-idx3-ubyte
//	DIR/fashion-mnist/…                         DIR/FashionMNIST/raw/…
//	DIR/cifar-10-batches-bin/data_batch_1.bin   DIR/cifar-10-binary.tar.gz
//	DIR/cifar-10-batches-py/data_batch_1        DIR/cifar-10-python.tar.gz
//
// or the files directly in DIR. A place that was named explicitly and does not
// exist is an error. So is a place that holds the set in part or broken: a set
// that is there is never passed over in silence. A folder that simply holds no
// such set is passed, and Set.Note says so.
//
// # Trust
//
// Files are untrusted. How much is read or allocated follows from the manifest in
// this package, never from a size that a file states about itself. Each bad input
// gives one error that names the file and what is wrong with it. Nothing is
// downloaded unless Fetch is called.
package datasets
