// Package jupyter writes notebooks for Jupyter, of nbformat 4.5, with the bytes that Python's
// nbformat writes: cells of Markdown with LaTeX, and cells of Python with their outputs. It knows
// tables and figures of notebooks, and nothing of the results that they show.
package jupyter
