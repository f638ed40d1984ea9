// Package rivals breaks the rule of a paper, one folder down.
package rivals

import _ "gradsync/papers/ringsparse/exact" // want paper-codedsgd
