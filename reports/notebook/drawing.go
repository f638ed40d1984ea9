package notebook

// Drawing holds the numbers of a figure with the words of one language.
type Drawing struct {
	ID     string
	Kind   string // of its frame, or of its result
	Form   string // line | bar | gantt | map
	X, Y   Axis
	Series []Series
	Before []Series // those before curves that coincide became one: they fix colours; nil: Series
	Lanes  []string // gantt and map
	Bands  []Band
}

// Axis describes an axis of a drawing.
type Axis struct {
	Title, Unit string
	Log         bool
	Categories  []string // bar and map
}

// Series is one line or one set of bars. Lo and Hi, where present, bound a confidence band
// or error bars. A series of one seed carries Seed and is drawn faint; the mean carries none.
type Series struct {
	Name  string
	Group string // key: fixes colour and dash
	Seed  *uint64
	X     []float64 // none of bars
	Y     []float64 // NaN: a bar that is not there
	Lo    []float64
	Hi    []float64
}

// Band is an interval in a lane of a gantt figure, in the unit of X; of a map it is a cell: From is the
// place of its category, and To the number in it.
type Band struct {
	Lane     int
	From, To float64
	Key      string // of its state: fixes its look
	State    string
	Label    string
}
