// Package result breaks its rule.
package result

import _ "gradsync/shared/cluster/virtual" // want result
