// Package chart makes the charts of a notebook's figures. go-echarts builds an ECharts
// option (Option), ECharts draws it once for readers without scripts, and the browser
// draws it live; Show returns both with the numbers behind them. The palette, the words
// of a chart in both languages and its numbers as CSV belong to it. It knows figures, and
// nothing of the results that they show.
package chart
