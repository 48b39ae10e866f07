package reveal

// Never tested on Windows.
func browser(address string) []string {
	return []string{"rundll32", "url.dll,FileProtocolHandler", address}
}
