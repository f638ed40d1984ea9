package cli

import (
	_ "gradsync/reports/text"
	_ "gradsync/shared/tensor/codec/entropy"
	_ "gradsync/shared/tensor/engine/portable"
)
