package method

// The descriptor of papers/dasp/rivals/template.go: copy both files for a method of your
// own, and put its name for "template" everywhere.
func init() {
	want, good := From(1)
	Register(Method{
		Name:     "template",
		Family:   Server,
		Document: "own",
		Label:    [2]string{"template", "模板"}, // on pages, in English and Chinese
		Flags: withServer(
			Flag{Name: "template-group", Default: 2.0, Help: "gradients that are applied together", Want: want, Good: good},
		),
		Look:    Look{Colour: "grey", Dash: "short", Symbol: "triangle", Texture: "posts"},
		Async:   true,
		Compare: false, // true: `gradsync run compare` has it too
		// Costs: []Formula{{"template", cost.ASP, true}}, // the formula by which the playground compares it
	})
}
