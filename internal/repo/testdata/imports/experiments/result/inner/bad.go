// Package inner breaks the rule of the schema, one folder down.
package inner

import _ "gradsync/shared/tensor/layer" // want result
