// Package serve offers a folder of pages over HTTP, renders them again when results
// change, and lets open pages load themselves. What a render makes it is told (Options);
// it knows nothing of results.
package serve
