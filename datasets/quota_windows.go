package datasets

import "syscall"

// diskQuota is ERROR_DISK_QUOTA_EXCEEDED.
const diskQuota = syscall.Errno(1295)
