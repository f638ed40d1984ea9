package cluster

import _ "gonum.org/v1/gonum/stat"
