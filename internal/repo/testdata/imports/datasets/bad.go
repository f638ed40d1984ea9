// Package datasets breaks its rule.
package datasets

import _ "gradsync/shared/tensor/layer" // want datasets
