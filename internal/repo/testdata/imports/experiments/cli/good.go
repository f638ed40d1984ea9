package cli

import (
	_ "gradsync/reports/text"
	_ "gradsync/shared/tensor/engine/portable"
)
