// Package proc reads what a process shows of itself: arguments, environment, file, folder. On Linux it reads /proc/PID (proc(5)), on macOS
// sysctl (compiled, not run so far), elsewhere nothing. Parents, groups and sessions are in proxy/proc/table.
//
// The number may be given to another process between two readings. Before you act on one, compare its start, or read twice.
package proc
