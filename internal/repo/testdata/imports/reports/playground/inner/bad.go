// Package inner breaks the rule of the playground, one folder down.
package inner

import _ "gradsync/shared/tensor/layer" // want playground
