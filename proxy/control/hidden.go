package control

import (
	"path/filepath"

	"github.com/sallyport/sallyport/proxy/disk"
)

// Private are the folders of this home, which no server in a sandbox may see. They are created where they are missing: what
// does not exist cannot be hidden, and could be made by a server that wants to be found there.
func (h Home) Private() ([]string, error) {
	if err := h.Make(); err != nil {
		return nil, err
	}
	folders := []string{h.Dir, filepath.Dir(h.Settings), filepath.Dir(h.Socket)}
	if path, err := h.readRecordedSocket(); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	if len(h.Socket) > maxSocketPath {
		folders = append(folders, shortFolder())
	}
	for _, dir := range folders {
		if err := disk.OwnFolder(dir); err != nil {
			return nil, err
		}
	}
	return folders, nil
}
