// Package check imports what .ci/depguard.yaml forbids here.
package check

import _ "gradsync/shared/cluster" // want gpu-check
