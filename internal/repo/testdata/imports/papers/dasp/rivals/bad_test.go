package rivals

import _ "gradsync/reports" // want paper-tests
