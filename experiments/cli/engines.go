package cli

// Engines register themselves; nothing but the command line knows which there
// are.
import (
	_ "gradsync/shared/tensor/engine/portable"
)
