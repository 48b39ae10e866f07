package clientconfig

// managed has nothing to read: no managed policy of Claude Desktop on Linux is documented.
func managed(System) []policySource { return nil }
