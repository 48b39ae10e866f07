package transport

import "github.com/sallyport/sallyport/proxy/sandbox"

// enter fails: there is no sandbox on macOS.
func enter(Command, string) (*Prepared, error) {
	_, err := sandbox.Bubblewrap()
	return nil, &sandbox.Error{Reason: err.Error()}
}
