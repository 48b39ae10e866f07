package store

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func benchRecord() Record {
	return Record{
		Time: time.Now(), Kind: vocab.RecordCall, Status: "ok", Server: "weather", Tool: "get_forecast", Summary: "called get_forecast",
		Detail: json.RawMessage(`{"arguments":42,"check":"none","note":"about as much as a call's record carries"}`),
		Client: "Claude Desktop", Session: "01HZXW3J8N5V2Q6R7T9Y0ABCDE", Request: "req-17", DurationUS: 8123, Bytes: 2048,
	}
}

func BenchmarkAppendNow(b *testing.B) {
	for _, size := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := mustOpen(b, home(b), Options{})
			records := make([]Record, size)
			for i := range records {
				records[i] = benchRecord()
			}
			for b.Loop() {
				if _, err := s.AppendNow(records...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/record")
		})
	}
}

func BenchmarkDecision(b *testing.B) {
	s := mustOpen(b, home(b), Options{})
	for b.Loop() {
		err := s.Update(func(tx *Tx) error {
			if err := tx.PutPin(Pin{ServerID: "s", Item: "tool:a", Era: "legacy", State: vocab.PartApproved, Raw: make([]byte, 1500)}); err != nil {
				return err
			}
			_, err := tx.Append(Record{Kind: "approval"})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify10000(b *testing.B) {
	s := mustOpen(b, home(b), Options{})
	records := make([]Record, 10_000)
	for i := range records {
		records[i] = benchRecord()
	}
	if _, err := s.AppendNow(records...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if v, err := s.Verify(nil); err != nil || v.Bad != "" {
			b.Fatal(v, err)
		}
	}
}
