package office

import "context"

// Until is a context that ends once closing is closed too: work that nobody waits for ends with the hub. It needs no lock.
func Until(ctx context.Context, closing <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
