// Package ring stands here so that others can import it, and enters a room of another paper.
package ring

import _ "gradsync/experiments/dasp/setup" // want rooms-dasp
