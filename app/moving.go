package app

import (
	"context"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/keychain"
)

// moveSecrets moves what went to the sealed file, while the keychain could not be used, to the keychain. What can't be moved now stays and counts; it
// moves when it is next met. A file that can't be used is for doctor and whoever reads it to say.
func (h *Hub) moveSecrets() {
	ctx, stop := office.Until(context.Background(), h.closing)
	defer stop()
	for _, kept := range []keychain.Store{keychain.Secrets(h.opts.Home.Dir), keychain.Tokens(h.opts.Home.Dir)} {
		_, _ = kept.Move(ctx)
	}
}
