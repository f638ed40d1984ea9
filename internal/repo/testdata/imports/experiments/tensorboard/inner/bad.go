// Package inner breaks the rule of event files, one folder down.
package inner

import _ "gradsync/experiments/train" // want tensorboard
