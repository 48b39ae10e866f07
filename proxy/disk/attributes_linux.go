package disk

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// keepAttributes copies the access list and the user's own attributes. The system sets labels of a security module; a file system without
// attributes has none to keep.
func keepAttributes(file *os.File, old string) error {
	list := make([]byte, 64<<10)
	n, err := unix.Listxattr(old, list)
	if err != nil {
		return nil
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(list[:n], []byte{0}), []byte{0}) {
		name := string(name)
		if name != "system.posix_acl_access" && !strings.HasPrefix(name, "user.") {
			continue
		}
		value := make([]byte, 64<<10)
		size, err := unix.Getxattr(old, name, value)
		if err != nil {
			continue // it was removed meanwhile
		}
		if err := unix.Fsetxattr(int(file.Fd()), name, value[:size], 0); err != nil {
			return fmt.Errorf("keep its attribute %s: %w", name, err)
		}
	}
	return nil
}
