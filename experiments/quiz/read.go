package quiz

import "strings"

// longest is the most bytes of an answer that is read.
const longest = 1000

// typed are what is typed for characters that answers are made of: full-width ones
// of a Chinese keyboard, and signs that a text copied from a page has.
var typed = strings.NewReplacer("−", "-", "–", "-", "－", "-", "＋", "+", "／", "/", "．", ".", "。", "", "，", ",", "、", ",", "；", ";", "：", ":", "％", "%",
	"（", "(", "）", ")", "［", "[", "］", "]", "｛", "{", "｝", "}", "\u3000", " ", "\u00a0", " ", "\u202f", " ", "→", " ", "->", " ",
	"０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9")

// plain is an answer in lower case, with single spaces and ASCII's signs.
func plain(given string) string {
	return strings.ToLower(strings.Join(strings.Fields(typed.Replace(given)), " "))
}

// shortened is an answer as a message quotes it.
func shortened(given string) string {
	r := []rune(strings.TrimSpace(given))
	if len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return string(r)
}
