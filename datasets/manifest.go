package datasets

import (
	"bytes"
	_ "embed"
	"encoding/json"
)

// Known data sets.
const (
	mnist        = "mnist"
	fashionMNIST = "fashion-mnist"
	cifar10      = "cifar-10"
	synthetic    = "synthetic"
)

// cifarRecord is one image of a CIFAR-10 batch file: a label byte and 3×32×32.
const (
	cifarPixels = 3 * 32 * 32
	cifarRecord = 1 + cifarPixels
)

// Names of the official archives.
const (
	cifarBinaryTar = "cifar-10-binary.tar.gz"
	cifarPythonTar = "cifar-10-python.tar.gz"
)

// Roles of the four IDX files, in the order of entry.idx.
const (
	trainImages = iota
	trainLabels
	testImages
	testLabels
)

// entry holds what this package knows about a data set before it has read a byte: every limit that
// a reader applies follows from here.
type entry struct {
	Name    string
	Title   string // as papers write it
	Licence string
	Classes int
	C, H, W int
	Train   int      // training images
	Test    int      // test images
	IDX     []string // IDX stems by role; nil: CIFAR batches
	Batches int      // CIFAR: training batches of test images each
	Folders []string // sub-folders of a data directory, tried in this order
	// Content is Set.SHA256 of the official files, whatever container they came in.
	Content string
	// Known maps the sha256 of a whole uncompressed file (IDX with header, CIFAR
	// batch in binary records) to its official name.
	Known map[string]string
	// Downloads lists the files that Fetch gets, each from every one of Mirrors.
	Mirrors   []string
	Downloads []Download
}

// Download is one file of a set as its mirrors serve it.
type Download struct {
	File   string   `json:"file"`
	Size   int64    `json:"size"`
	MD5    string   `json:"md5,omitempty"`
	SHA256 string   `json:"sha256,omitempty"`
	URLs   []string `json:"urls"` // mirrors first, the origin last
}

//go:embed manifest.json
var manifest []byte

// entries is the manifest. Sums of MNIST and CIFAR-10 batches were taken from the official files; MD5 of the archives are
// those that their home pages state. Of CIFAR-10 the Python archive is fetched, since most mirrors carry that one; the
// binary archive is read where a user has it.
var entries = readManifest()

func readManifest() (all []*entry) {
	if err := strictly(manifest, &all); err != nil {
		panic("datasets: manifest.json: " + err.Error())
	}
	for _, e := range all {
		for i := range e.Downloads {
			for _, from := range e.Mirrors {
				e.Downloads[i].URLs = append(e.Downloads[i].URLs, from+e.Downloads[i].File)
			}
		}
	}
	return all
}

// strictly reads JSON into v and refuses fields that v has not.
func strictly(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Names lists the built-in data sets. Own lists those of own images.
func Names() []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return append(names, synthetic)
}

// Downloads lists the files that Fetch would get for a set.
func Downloads(name string) ([]Download, error) {
	e, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return e.Downloads, nil
}

// lookup finds a set's manifest entry.
func lookup(name string) (*entry, error) {
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, &UnknownError{Name: name}
}

// idxSpec returns what the IDX file of a role must hold.
func (e *entry) idxSpec(role int) idxSpec {
	s := idxSpec{count: e.Train, other: e.Test, h: e.H, w: e.W}
	if role == testImages || role == testLabels {
		s.count, s.other = e.Test, e.Train
	}
	s.images = role == trainImages || role == testImages
	return s
}
