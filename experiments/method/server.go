package method

import "gradsync/experiments/method/cost"

// withServer returns a method's own flags and those of every method with a server.
func withServer(own ...Flag) []Flag { return append(own, ofServer...) }

// ofServer are the flags of every method with a server.
var ofServer = []Flag{
	{Name: "lease", Want: "at least 0, which is for ever", Good: func(x float64) bool { return x >= 0 },
		Help: "the server goes on without a worker silent for this time (0: never); on tcp with --elastic only"},
	{Name: "record", Help: "write an audit trail: every gradient's arrival and every decision (gradsync replay --check)"},
	{Name: "replay", Help: "follow a recorded order of arrival: the recorded run's bits on any runtime"},
}

var staleness = Flag{Name: "staleness", Default: int64(3), Help: "clocks ahead of the slowest"}

// servers are the policies of papers/dasp/rivals, in the order of the paper's tables.
func servers() []Method {
	of := func(name, english, chinese string, look Look, async bool, costs []Formula, own ...Flag) Method {
		return Method{Name: name, Family: Server, Document: "dasp", Label: [2]string{english, chinese},
			Flags: withServer(own...), Look: look, Async: async, Costs: costs}
	}
	return []Method{
		of("bsp", "BSP", "BSP", Look{Colour: "blue", Dash: "solid", Symbol: "circle", Texture: "plain"}, false, []Formula{{"bsp", cost.BSP, false}}),
		of("asp", "ASP", "ASP", Look{Colour: "vermillion", Dash: "dots", Symbol: "triangle", Texture: "dots"}, true, []Formula{{"asp", cost.ASP, true}},
			Flag{Name: "asp-weight", Default: "1/N", Help: "factor of each gradient: 1/N or 1"}),
		of("ssp", "SSP", "SSP", Look{Colour: "green", Dash: "dashes", Symbol: "rect", Texture: "stripes"}, true, nil, staleness),
		of("dssp", "DSSP", "DSSP", Look{Colour: "orange", Dash: "dash-dot", Symbol: "diamond", Texture: "back"}, true, nil,
			Flag{Name: "lower", Default: int64(3), Help: "least threshold, clocks"},
			Flag{Name: "upper", Default: int64(15), Help: "largest threshold, clocks"},
			Flag{Name: "dssp", Default: "capped", Help: "grants capped by the largest threshold, or as printed, without a cap"}),
		of("dasp", "DASP", "DASP", Look{Colour: "purple", Dash: "solid", Symbol: "roundRect", Texture: "levels", Subject: true}, true, nil,
			Flag{Name: "smin", Default: int64(0), Help: "lower threshold, versions (default (N+1)/2)"},
			Flag{Name: "smax", Default: int64(0), Help: "upper threshold, versions (default N)"},
			Flag{Name: "alpha", Default: 0.5, Help: "weight of eq. (1)"},
			Flag{Name: "wait", Default: "difference", Help: "reading of eq. (1): difference, absolute, convex, oldest"},
			Flag{Name: "duration", Default: "compute", Help: "f is the compute time or the whole iteration's, transfers included"},
			Flag{Name: "gap", Default: "pre", Help: "pre- or post-update gap"},
			Flag{Name: "fss", Default: "recheck", Help: "recheck or literal"},
			Flag{Name: "arrivals", Default: "apart", Help: "QIS arrivals stay apart or join a group"},
			Flag{Name: "qis-weight", Default: "1/N", Help: "1/N or 1"},
			Flag{Name: "group-weight", Default: "1/K", Help: "1/K or 1/N"},
			Flag{Name: "adjustment", Want: "at least 0", Good: func(x float64) bool { return x >= 0 },
				Help: "the server's time, beside a decision's, where a worker's WSS or FSS begins or ends"}),
		of("backup", "backup workers", "备份工作节点", Look{}, false, nil, Flag{Name: "backup", Default: 1, Help: "gradients dropped per round"}),
		of("gssp", "GSSP", "GSSP", Look{}, true, nil, staleness),
	}
}
