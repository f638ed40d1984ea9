// Package inner breaks the rule of the entropy coders, one folder down.
package inner

import _ "gradsync/shared/tensor/layer" // want codec-entropy
