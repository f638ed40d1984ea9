//go:build unix

package datasets

import "syscall"

// diskQuota is the error of a user's exhausted quota.
const diskQuota = syscall.EDQUOT
