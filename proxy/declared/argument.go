package declared

import "github.com/sallyport/sallyport/proxy/frame"

// SanitizeArgument is the argument by which one call turns spotlighting on or off. It is for the wrapper, and the server never gets it,
// unless its tool has a parameter of that name.
const SanitizeArgument = "__sanitize__"

func takesSanitize(tool []byte) bool {
	_, ok := frame.Find(tool, frame.Root(tool), "inputSchema", "properties", SanitizeArgument)
	return ok
}

// TakesSanitize reports whether a served tool has a parameter named SanitizeArgument.
func (v *View) TakesSanitize(key string) bool { return v.Seen != nil && v.Seen.sanitizes[key] }
