package app

import (
	"context"

	"github.com/sallyport/sallyport/proxy/keychain"
)

// moveSecrets moves what went to the sealed file, while the keychain could not be used, to the keychain. What can't be moved now stays and counts; it
// moves when it is next met. A file that can't be used is for doctor and whoever reads it to say.
func (h *Hub) moveSecrets() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		select {
		case <-h.closing:
			stop()
		case <-ctx.Done():
		}
	}()
	for _, kept := range []keychain.Store{keychain.Secrets(h.opts.Home.Dir), keychain.Tokens(h.opts.Home.Dir)} {
		_, _ = kept.Move(ctx)
	}
}
