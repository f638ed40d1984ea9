package reports

import (
	"regexp"
	"strings"

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
		if !bare.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// bare is a word of a command that a shell takes as it is.
var bare = regexp.MustCompile(`^[A-Za-z0-9_./,:=@%+-]+$`)
