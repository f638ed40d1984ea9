// Package chart shows the figures of notebooks. NewPlot makes the plot of a page, text of both
// languages around one stretched drawing; SVG draws the same figure for a document of its reader's,
// by an ECharts option that go-echarts builds and goja runs; CSV returns the numbers behind both.
// The palette belongs to it. It knows figures, and nothing of the results that they show.
package chart
