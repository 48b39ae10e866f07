package reveal

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrNoBrowser means that no browser could be started.
var ErrNoBrowser = errors.New("no browser could be started")

// Browse opens an address in the person's browser: $BROWSER if it is set, which may name several with colons between them, else the system's own. It
// is for an address that a person asked for.
func Browse(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ErrNoBrowser
	}
	for command := range strings.SplitSeq(os.Getenv("BROWSER"), ":") {
		if words := strings.Fields(command); len(words) > 0 && started(withAddress(words, address)) {
			return nil
		}
	}
	if started(browser(address)) {
		return nil
	}
	return ErrNoBrowser
}

// withAddress puts an address in place of %s, or at the end.
func withAddress(words []string, address string) []string {
	var placed bool
	for i, word := range words {
		if strings.Contains(word, "%s") {
			words[i], placed = strings.ReplaceAll(word, "%s", address), true
		}
	}
	if !placed {
		words = append(words, address)
	}
	return words
}

// started starts a program and reports whether it did not fail at once. One that goes on is a browser.
func started(words []string) bool {
	command := exec.Command(words[0], words[1:]...)
	if command.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(opens):
		return true
	}
}

// opens is how long an opener takes to say that it failed.
const opens = 2 * time.Second
