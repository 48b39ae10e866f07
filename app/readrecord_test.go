package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestAReadKeepsWhatItNamesWithoutItsSecret(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	said := `{"uri":"postgres://ada:hunter2hunter2@db/notes?a=1&b=2","action":"","took":3}`
	_, err := p.Records(w, control.Records{Records: []control.Record{{ID: "r1", Time: p.at.now(), Kind: vocab.RecordRead, Status: "ok", Detail: json.RawMessage(said)}}})
	if err != nil {
		t.Fatal(err)
	}
	reads := p.records("resource_read")
	if len(reads) != 1 || strings.Contains(string(reads[0].Detail), "hunter2") {
		t.Fatalf("%+v", reads)
	}
	var kept map[string]any
	if err := json.Unmarshal(reads[0].Detail, &kept); err != nil || !strings.HasSuffix(fmt.Sprint(kept["uri"]), "b=2") || fmt.Sprint(kept["took"]) != "3" {
		t.Errorf("%s, %v", reads[0].Detail, err)
	}
}
