// Package shell writes commands as a POSIX shell reads them.
package shell

import "strings"

// plain has the letters of a word that a shell takes as it is.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"

// Quoted returns words as a shell takes them for the same words: those with any other
// letter, and an empty one, in quotes.
func Quoted(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.Trim(w, plain) != "" {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
