package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// maxExportLine is far more than one record can be.
const maxExportLine = 64 << 20

// exported is the last record of the export to compare with, which is the head that the chain had then. Its ID is "" without --export.
func (c activityVerifyCommand) exported() (last vocab.Record, err error) {
	if c.Export == "" {
		return last, nil
	}
	file, err := os.Open(string(c.Export))
	if err != nil {
		return last, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxExportLine)
	for lines.Scan() {
		var line struct {
			vocab.Record
			Filtered json.RawMessage `json:"filtered"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Filtered == nil && (line.ID == "" || line.Hash == "") {
			return vocab.Record{}, fmt.Errorf("%s is not an export: make one with \"sallyport activity export\" (jsonl)", c.Export)
		}
		if line.Filtered != nil {
			return vocab.Record{}, fmt.Errorf("%s has only the records that match its filters, so it has no head: export without filters", c.Export)
		}
		last = line.Record
	}
	if err := lines.Err(); err != nil {
		return vocab.Record{}, fmt.Errorf("%s: %w", c.Export, err)
	}
	if last.ID == "" {
		return last, fmt.Errorf("%s has no record", c.Export)
	}
	return last, nil
}

// compareExported looks for the exported record in a chain that holds.
func compareExported(ctx context.Context, hub *control.Client, exported vocab.Record, v *control.Verified) error {
	now, err := control.AskRecord(ctx, hub, exported.ID)
	switch {
	case hubError(err, control.CodeNotFound):
		v.Bad, v.Reason = exported.ID, "the last record of the export is gone: retention removed it, or the log is another one"
		v.Sealed = false
	case err != nil:
		return err
	case now.Hash != exported.Hash:
		v.Bad, v.Reason = exported.ID, "it has another hash in the export: the log was written anew"
		v.Sealed = false
	default:
		v.Sealed, v.Unsealed = true, ""
	}
	return nil
}
