//go:build !darwin && !windows

package clientconfig

// managed has nothing to read: no managed policy of Claude Desktop on this system is documented.
func managed(System) []policySource { return nil }
