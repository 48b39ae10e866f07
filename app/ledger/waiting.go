package ledger

import "github.com/sallyport/sallyport/store"

// WaitingFor are the items that wait for a server, by kind, without what is in them.
func WaitingFor(tx *store.Tx, id string) (map[string]store.Item, error) {
	all, err := tx.WaitingHeads()
	if err != nil {
		return nil, err
	}
	waiting := map[string]store.Item{}
	for _, it := range all {
		if it.ServerID == id {
			waiting[it.Kind] = it
		}
	}
	return waiting, nil
}

// WaitingCodes are the codes of what waits for a server, by kind.
func WaitingCodes(tx *store.Tx, id string) map[string]string {
	codes := map[string]string{}
	waiting, err := WaitingFor(tx, id)
	if err != nil {
		return codes
	}
	for kind, it := range waiting {
		codes[kind] = it.Code
	}
	return codes
}
