package legible

// Name is the only way for a name chosen by a server or a configuration file to get into our own sentences: name if it is
// [A-Za-z0-9._-]{1,64}, else fallback, which is ours ("tool 3 of weather"). So no name can carry a sentence, a direction or a line break in
// our voice.
func Name(name, fallback string) string {
	if len(name) == 0 || len(name) > 64 {
		return fallback
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return fallback
		}
	}
	return name
}
