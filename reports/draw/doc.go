// Package draw makes files of what ECharts draws: SVG in, a third of its bytes out (Tidy),
// and of this a drawing that needs no page (StandAlone), as SVG and as an image. It knows the elements that ECharts writes and refuses any other, so
// that no drawing loses a part in silence. It knows nothing of pages, results or words.
package draw
