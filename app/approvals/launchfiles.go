package approvals

import (
	"encoding/json"
	"maps"

	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// metaFiles is where the store keeps what the hub knows of files by their stat.
const metaFiles = "launch.files"

// maxFiles bounds them: a few for each server. Past it all is learned anew.
const maxFiles = 256

func (a *Approvals) learnFiles(tx *store.Tx, files []pin.FileStamp) (learned bool, err error) {
	if a.files == nil {
		a.files = map[string]pin.FileStamp{}
		if raw, err := tx.Meta(metaFiles); err == nil && json.Unmarshal(raw, &a.files) != nil {
			clear(a.files)
		}
	}
	if len(files) == 0 || len(files) > 16 {
		return false, nil
	}
	next := maps.Clone(a.files)
	if len(next)+len(files) > maxFiles {
		clear(next)
	}
	for _, f := range files {
		if f.CTime == 0 || len(f.SHA256) != 64 || len(f.Path) > 4096 {
			continue
		}
		learned = learned || next[f.Path] != f
		next[f.Path] = f
	}
	if !learned {
		return false, nil
	}
	a.files = next
	raw, err := json.Marshal(next)
	if err != nil {
		return false, err
	}
	return true, tx.SetMeta(metaFiles, raw)
}
