package cli

import _ "gradsync/shared/tensor/codec/entropy" // codecs register themselves; only the command line links a compressor
