package reports

import (
	"regexp"

	"gradsync/internal/shell"
	"gradsync/reports/notebook"
)

// ownCommand returns the command that made a comparison of somebody's own: the one that its record has, else the
// words in its configuration, which name no folder; "" of other results.
func ownCommand(l loaded) string {
	if paperOf(l.ID) != notebook.Own {
		return ""
	}
	if l.Run != nil && l.Run.Command != "" && !l.Stale {
		return l.Run.Command
	}
	config, _ := l.Config.(map[string]any)
	list, _ := config["command"].([]any)
	var words []string
	for _, x := range list {
		w, _ := x.(string)
		words = append(words, w)
	}
	return shell.Quoted(words...)
}

// outFolder is the folder that a command writes to, whose name may have been shortened when it was recorded.
var outFolder = regexp.MustCompile(`--out(=| )('[^']*'|[^ ]+)`)
