// Package browser holds the tests that open the committed pages (reports/html)
// from their files in a real Chromium without a window: what they log and ask
// for, their controls, their layout and contrast, paper, no scripts, the
// keyboard. Without a Chromium every test of it skips and says so.
// GRADSYNC_PAGES=DIR opens the pages in another folder instead, an absolute one.
package browser
