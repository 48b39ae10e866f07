//go:build unix

package sealed

import (
	"os"

	"github.com/sallyport/sallyport/proxy/disk"
)

func hold(file *os.File) (bool, error) { return disk.Lock(file) }
