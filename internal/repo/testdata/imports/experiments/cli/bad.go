package cli

import (
	_ "gradsync/shared/gpu/driver"
	_ "gradsync/shared/gpu/fake" // want gpu-tests-only
)
