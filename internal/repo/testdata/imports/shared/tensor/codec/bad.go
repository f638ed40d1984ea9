// Package codec breaks the rule of the tensor leaves.
package codec

import _ "gradsync/shared/tensor" // want tensor-leaves
