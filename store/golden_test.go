package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/golden"
	bolt "go.etcd.io/bbolt"
)

var updateGolden = flag.Bool("update", false, "write the golden file anew: homes of earlier versions are read otherwise with it")

// one is a value of a bucket, and how it is written and read.
type one struct {
	bucket []byte
	put    func(tx *Tx, v any) error
	value  any
	keyed  func(v any) any // the value with a key that the bucket accepts
}

// kept has every kind of value in the store, by name.
var kept = map[string]one{
	"server": {bucketServers, func(tx *Tx, v any) error { return tx.PutServer(v.(Server)) }, Server{}, func(v any) any { s := v.(Server); s.ID = "id"; return s }},
	"pin":    {bucketPins, func(tx *Tx, v any) error { return tx.PutPin(v.(Pin)) }, Pin{}, func(v any) any { p := v.(Pin); p.ServerID, p.Item = "id", "tool:echo"; return p }},
	"seen":   {bucketSeen, func(tx *Tx, v any) error { return tx.PutSeen(v.(Seen)) }, Seen{}, func(v any) any { s := v.(Seen); s.ServerID, s.Item = "id", "tool:echo"; return s }},
	"history": {bucketHistory, func(tx *Tx, v any) error { return tx.AddHistory(v.(Event)) }, Event{}, func(v any) any {
		e := v.(Event)
		e.ServerID, e.Item = "id", "tool:echo"
		return e
	}},
	"item waiting": {bucketInbox, func(tx *Tx, v any) error { return tx.PutItem(v.(Item)) }, Item{}, func(v any) any {
		it := v.(Item)
		it.Code, it.Decided = "ABCD", ""
		return it
	}},
	"item decided": {bucketDecided, func(tx *Tx, v any) error { return tx.PutItem(v.(Item)) }, Item{}, func(v any) any {
		it := v.(Item)
		it.Code, it.Decided = "ABCD", "approved"
		return it
	}},
	"item held":    {bucketHeldItem, func(tx *Tx, v any) error { return tx.PutHeldItem(v.(Item)) }, Item{}, func(v any) any { it := v.(Item); it.Code = "ABCD"; return it }},
	"held":         {bucketHeld, func(tx *Tx, v any) error { return tx.PutHeld(v.(Held)) }, Held{}, func(v any) any { h := v.(Held); h.Code = "ABCD"; return h }},
	"exception":    {bucketExcepted, func(tx *Tx, v any) error { return tx.PutException(v.(Exception)) }, Exception{}, func(v any) any { e := v.(Exception); e.ID = "id"; return e }},
	"allowed call": {bucketAllowed, func(tx *Tx, v any) error { return tx.AllowedCalls().Put(v.(AllowedCall)) }, AllowedCall{}, func(v any) any { a := v.(AllowedCall); a.ID = "id"; return a }},
	"used values":  {bucketUsed, func(tx *Tx, v any) error { return tx.Flow().PutUsed(v.(Used)) }, Used{}, func(v any) any { return v }},
	"heard":        {bucketUsed, func(tx *Tx, v any) error { return tx.Flow().HeardAt(v.(time.Time)) }, time.Time{}, func(v any) any { return v }},
	"task": {bucketTasks, func(tx *Tx, v any) error { _, err := tx.Tasks().Put(v.(Task), 10); return err }, Task{}, func(v any) any {
		k := v.(Task)
		k.ServerID, k.ID, k.Sequence = "id", "of "+k.Item, 0
		return k
	}},
	"client file": {bucketMeta, func(tx *Tx, v any) error { return tx.PutClientFile(v.(ClientFile)) }, ClientFile{}, func(v any) any { f := v.(ClientFile); f.Path = "/x"; return f }},
	"extension":   {bucketMeta, func(tx *Tx, v any) error { return Extensions(tx).Put(v.(Extension)) }, Extension{}, func(v any) any { e := v.(Extension); e.Folder = "/x"; return e }},
	"of the home": {bucketMeta, func(tx *Tx, v any) error { return tx.SetMeta("cli", v.([]byte)) }, []byte{}, func(v any) any { return v }},
	"loss":        {bucketMeta, func(tx *Tx, v any) error { return tx.put(bucketMeta, metaLoss, v) }, Loss{}, func(v any) any { return v }},
	"birth":       {bucketMeta, func(tx *Tx, v any) error { return tx.put(bucketMeta, metaBirth, v) }, birth{}, func(v any) any { return v }},
	"head":        {bucketMeta, func(tx *Tx, v any) error { return tx.put(bucketMeta, metaHead, v) }, head{}, func(v any) any { return v }},
	"anchor":      {bucketAnchors, func(tx *Tx, v any) error { return tx.put(bucketAnchors, sequenceKey(1), v) }, anchor{}, func(v any) any { return v }},
}

// entries are all keys and values of a bucket.
func entries(t *testing.T, s *Store, bucket []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	if err := s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(k, v []byte) error {
			all[string(k)] = bytes.Clone(v)
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryValueOfTheStoreIsWrittenAndReadAsByTheLastVersion(t *testing.T) {
	s := mustOpen(t, home(t), Options{Key: bytes.Repeat([]byte{7}, keyBytes)})
	written := golden.Values{}
	for name, k := range kept {
		for _, how := range []string{"full", "empty"} {
			value := k.value
			if how == "full" {
				value = golden.Full(k.value)
			}
			before := entries(t, s, k.bucket)
			if err := s.Update(func(tx *Tx) error { return k.put(tx, k.keyed(value)) }); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for key, sealed := range entries(t, s, k.bucket) {
				if !bytes.Equal(before[key], sealed) && key != string(metaRoll) {
					sum := sha256.Sum256([]byte(key))
					written[name+" "+how] = sealed[sealSize:]
					written[name+" "+how+" key and seal"] = fmt.Appendf(nil, "%s %x", hex.EncodeToString(sum[:8]), sealed[:sealSize])
				}
			}
			read, err := golden.Again(k.value, written[name+" "+how])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if again, err := json.Marshal(read); err != nil || !bytes.Equal(again, written[name+" "+how]) {
				t.Errorf("%s is read otherwise: %v\nwas %s\nnow %s", name, err, written[name+" "+how], again)
			}
		}
	}
	held := golden.Full(HeldText{}).(HeldText)
	text, sum := held.Encode()
	written["held text with guards"], written["held text with guards sum"] = fmt.Appendf(nil, "%x", text), []byte(sum)
	held.Guards = nil // as the first version wrote it
	text, sum = held.Encode()
	written["held text"], written["held text sum"] = fmt.Appendf(nil, "%x", text), []byte(sum)
	golden.Check(t, "testdata/values.golden", written, *updateGolden)
}

// A record's hash covers its bytes: with one more field, or in another order, no chain of an earlier version would verify.
func TestARecordIsWrittenAndHashedAsByTheLastVersion(t *testing.T) {
	s := mustOpen(t, home(t), Options{Key: bytes.Repeat([]byte{7}, keyBytes)})
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return at }
	full := golden.Full(Record{}).(Record)
	if err := s.Update(func(tx *Tx) error {
		_, err := tx.Append(full, Record{ID: "empty", Time: at}, Record{ID: "escapes", Time: at, Summary: "a\xffb\u2028<&>", Detail: json.RawMessage("{\"a\":\"\xff\"}")})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	written := golden.Values{}
	for key, stored := range entries(t, s, bucketActivity) {
		n := fmt.Sprintf("record %x", key)
		written[n] = stored[recordOverhead:]
		written[n+" arrival and hash"] = []byte(hex.EncodeToString(stored[:recordOverhead]))
	}
	for name, raw := range written {
		if strings.HasSuffix(name, "hash") {
			continue
		}
		read, err := golden.Again(Record{}, raw)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(read); err != nil || !bytes.Equal(again, raw) {
			t.Errorf("%s is read otherwise: %v\nwas %s\nnow %s", name, err, raw, again)
		}
	}
	golden.Check(t, "testdata/records.golden", written, *updateGolden)
}
