package reveal

// Never tested on a Mac.
func browser(address string) []string { return []string{"/usr/bin/open", address} }
