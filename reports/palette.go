package reports

import (
	"reflect"
	"slices"

	"gradsync/reports/notebook"
)

// The palette of Okabe and Ito, which readers with any common colour vision
// tell apart; yellow is left to areas, as a line it is too pale on white.
const (
	orange     = "#E69F00"
	skyBlue    = "#56B4E9"
	green      = "#009E73"
	yellow     = "#F0E442"
	blue       = "#0072B2"
	vermillion = "#D55E00"
	purple     = "#CC79A7"
	grey       = "#8A8F98"
)

// ink stands for the colour of text in a chart's option. The browser puts the
// theme's colour in its place, a printed SVG the surrounding text's.
const ink = "#010203"

// look is how one method is drawn: colour alone never tells two apart.
type look struct {
	Colour string
	Dash   any    // ECharts line type: a word or lengths in pixels
	Symbol string // marker of the mean line
	Decal  decal
}

// decal is a texture over a bar or a band, for print and for colour-blind
// readers.
type decal struct {
	Symbol string  `json:"symbol"`
	DashX  []int   `json:"dashArrayX"`
	DashY  []int   `json:"dashArrayY"`
	Turn   float64 `json:"rotation"`
	Size   float64 `json:"symbolSize"`
	Colour string  `json:"color"`
}

const decalInk = "rgba(0,0,0,0.28)"

var (
	plain   = decal{Symbol: "none", Colour: "rgba(0,0,0,0)"}
	stripes = decal{Symbol: "rect", DashX: []int{1, 0}, DashY: []int{2, 5}, Turn: -0.785, Size: 1, Colour: decalInk}
	back    = decal{Symbol: "rect", DashX: []int{1, 0}, DashY: []int{2, 5}, Turn: 0.785, Size: 1, Colour: decalInk}
	dots    = decal{Symbol: "rect", DashX: []int{3, 5}, DashY: []int{3, 5}, Size: 1, Colour: decalInk}
	levels  = decal{Symbol: "rect", DashX: []int{1, 0}, DashY: []int{1, 4}, Size: 1, Colour: decalInk}
	posts   = decal{Symbol: "rect", DashX: []int{1, 4}, DashY: []int{1, 0}, Size: 1, Colour: decalInk}
)

// methods fixes how each method looks on every page; keys are slugs of their names.
var methods = map[string]look{
	"bsp":  {blue, "solid", "circle", plain},
	"asp":  {vermillion, []int{2, 3}, "triangle", dots},
	"ssp":  {green, []int{8, 4}, "rect", stripes},
	"dssp": {orange, []int{8, 3, 2, 3}, "diamond", back},
	"dasp": {purple, "solid", "roundRect", levels},

	"ring":             {skyBlue, []int{12, 4}, "circle", posts},
	"naive":            {vermillion, []int{2, 3}, "triangle", dots},
	"halving-doubling": {green, []int{8, 4}, "rect", stripes},
	"hierarchical":     {orange, []int{8, 3, 2, 3}, "diamond", back},
	"ringsparse":       {purple, "solid", "roundRect", levels},
	"dense":            {skyBlue, []int{12, 4}, "circle", posts}, // the ring again, by the patent's word
	"gradients":        {green, []int{4, 2}, "rect", stripes},
	"weights":          {orange, []int{12, 4, 2, 4}, "diamond", back},
	"all-gather":       {vermillion, []int{2, 3}, "triangle", dots},
	"printed":          {blue, []int{6, 3, 2, 3, 2, 3}, "circle", plain}, // RingSparse by the printed rule
	"layer":            {grey, []int{8, 4}, "rect", levels},              // and with D of the layer
	"ideal":            {grey, []int{2, 2}, "none", plain},

	"ssgd-unicast":   {vermillion, []int{2, 3}, "triangle", dots},
	"ssgd-multicast": {orange, []int{8, 3, 2, 3}, "diamond", back},
	"ssgd":           {blue, "solid", "circle", plain}, // whose nodes add up before they send
	"asgd":           {grey, []int{8, 4}, "triangle", stripes},
	"cssgd":          {purple, "solid", "roundRect", levels},
	"cssgd-r2":       {purple, "solid", "roundRect", levels},
	"cssgd-r3":       {green, []int{8, 4}, "rect", stripes},
	"compressed":     {green, []int{4, 2}, "diamond", dots},

	"qis": {green, "solid", "circle", plain}, // as lines: yellow, the band of WSS, is too pale
	"wss": {orange, []int{8, 3, 2, 3}, "diamond", stripes},
	"fss": {vermillion, []int{8, 4}, "triangle", back},
}

// own are the methods that are a page's subject: where their curve coincides
// with another's, theirs is the look of both.
var own = []string{"dasp", "ringsparse", "cssgd", "cssgd-r2"}

// spare dresses groups that are no method, in order of appearance.
var spare = []look{
	{blue, "solid", "circle", plain},
	{vermillion, []int{8, 4}, "triangle", stripes},
	{green, []int{2, 3}, "rect", dots},
	{orange, []int{8, 3, 2, 3}, "diamond", back},
	{purple, []int{12, 4}, "roundRect", levels},
	{skyBlue, []int{4, 2}, "circle", posts},
	{grey, "solid", "triangle", plain},
}

// states fixes how each band of a time line looks; keys are lower-case.
var states = map[string]look{
	"compute": {Colour: skyBlue, Decal: plain},
	"push":    {Colour: blue, Decal: posts},
	"pull":    {Colour: blue, Decal: levels},
	"apply":   {Colour: grey, Decal: plain},
	"qis":     {Colour: green, Decal: plain},
	"at-once": {Colour: green, Decal: plain}, // methods without states
	"wss":     {Colour: yellow, Decal: stripes},
	"fss":     {Colour: vermillion, Decal: back},
	"barrier": {Colour: purple, Decal: dots},
	"wait":    {Colour: purple, Decal: dots},

	"forward":        {Colour: skyBlue, Decal: plain},
	"backward":       {Colour: green, Decal: posts},
	"all-reduce":     {Colour: blue, Decal: stripes},
	"reduce-scatter": {Colour: blue, Decal: stripes},
	"all-gather":     {Colour: orange, Decal: back},
	"send":           {Colour: blue, Decal: posts},
	"receive":        {Colour: blue, Decal: levels},
	"compress":       {Colour: yellow, Decal: stripes},
	"decompress":     {Colour: yellow, Decal: levels},
	"convert":        {Colour: vermillion, Decal: dots},
	"update":         {Colour: grey, Decal: plain},
	"idle":           {Colour: purple, Decal: dots},
	"computes":       {Colour: skyBlue, Decal: plain}, // blocks of a node, without time
	"fetches":        {Colour: yellow, Decal: stripes},
}

// group is what a series is coloured by.
func group(s notebook.Series) string {
	if s.Group != "" {
		return s.Group
	}
	return s.Name
}

// looks dresses every group of a figure. A group that is no method, or whose look
// another of the figure wears, takes a spare look that nobody in it wears.
func looks(series []notebook.Series) map[string]look {
	out := map[string]look{}
	var worn []look
	for _, s := range series {
		l, ok := methods[slug(group(s))]
		if ok && out[group(s)].Colour == "" && !slices.ContainsFunc(worn, l.like) {
			out[group(s)], worn = l, append(worn, l)
		}
	}
	for _, s := range series {
		if g := group(s); out[g].Colour == "" {
			out[g] = unworn(worn)
			worn = append(worn, out[g])
		}
	}
	return out
}

// like reports whether two looks are one in colour and texture.
func (l look) like(o look) bool { return l.Colour == o.Colour && reflect.DeepEqual(l.Decal, o.Decal) }

// unworn is a spare look in a colour that nobody wears; when all are worn, one of
// them in another texture.
func unworn(worn []look) look {
	for _, l := range spare {
		if !slices.ContainsFunc(worn, func(w look) bool { return w.Colour == l.Colour }) {
			return l
		}
	}
	for shift := 1; shift < len(spare); shift++ {
		for i, l := range spare {
			p := spare[(i+shift)%len(spare)]
			l.Dash, l.Symbol, l.Decal = p.Dash, p.Symbol, p.Decal
			if !slices.ContainsFunc(worn, l.like) {
				return l
			}
		}
	}
	return spare[len(worn)%len(spare)]
}

// bandStates lists the states of a time line in order of appearance, and their keys.
func bandStates(bands []notebook.Band) (names, keys []string) {
	for _, b := range bands {
		if !slices.Contains(names, b.State) {
			names, keys = append(names, b.State), append(keys, b.Key)
		}
	}
	return names, keys
}
