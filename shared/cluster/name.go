package cluster

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// CheckName refuses a name that is not text or has a character that would steer a
// terminal or break a line: those of Unicode's classes Cc (control), Cf (format, as
// the marks that turn the direction of writing), Zl and Zp (separators of lines and
// paragraphs). Every name that a user gives and a program prints is checked by it:
// of platforms, hosts, nodes, jobs, experiments and data sets.
//
// Source: ours: names come from files, flags and networks, and end on terminals
func CheckName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("%.64q is not UTF-8: want a name of printable characters", name)
	}
	for _, r := range name {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("%.64q has the control character %U: want a name of printable characters", name, r)
		}
	}
	return nil
}
