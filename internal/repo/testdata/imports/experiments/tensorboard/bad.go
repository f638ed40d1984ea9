// Package tensorboard breaks its rule.
package tensorboard

import _ "gradsync/experiments/claims" // want tensorboard
