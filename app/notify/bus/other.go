//go:build !linux

package bus

import "context"

func look(context.Context) (string, bool) {
	return "by this system itself, if its settings allow Sallyport to show any", false
}
