// Package typeset sets words and numbers for a page: numbers with their units, typed
// mathematics with its signs, code between backticks, Markdown, lists in words. It knows
// nothing of results or pages.
package typeset
