package schema

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestASchemaIsCompiledOnce(t *testing.T) {
	var c Cache
	first, err := c.Get([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Get([]byte(`{"type":"object"}`)); again != first {
		t.Error("compiled again")
	}
	if other, _ := c.Get([]byte(`{"type":"object" }`)); other == first {
		t.Error("other bytes, the same schema")
	}
}

func TestAFailureIsKept(t *testing.T) {
	var c Cache
	_, first := c.Get([]byte(`{"$ref":"#"}`))
	_, again := c.Get([]byte(`{"$ref":"#"}`))
	if first == nil || again != first {
		t.Errorf("%v, then %v", first, again)
	}
}

func TestTheSchemaThatWasNotUsedForLongestIsForgotten(t *testing.T) {
	var c Cache
	schema := func(i int) []byte { return fmt.Appendf(nil, `{"title":"%d"}`, i) }
	first, _ := c.Get(schema(0))
	second, _ := c.Get(schema(1))
	for i := 2; i < maxCached; i++ {
		if _, err := c.Get(schema(i)); err != nil {
			t.Fatal(err)
		}
	}
	if again, _ := c.Get(schema(0)); again != first {
		t.Error("one of 64 was forgotten")
	}
	if _, err := c.Get(schema(maxCached)); err != nil || len(c.entries) != maxCached {
		t.Errorf("%v, %d kept", err, len(c.entries))
	}
	if again, _ := c.Get(schema(0)); again != first {
		t.Error("the one that was used last was forgotten")
	}
	if again, _ := c.Get(schema(1)); again == second {
		t.Error("the oldest was not forgotten")
	}
}

func TestManyLargeSchemasTakeLittleMemory(t *testing.T) {
	var c Cache
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 40 {
		var schema string
		switch i % 4 {
		case 0:
			schema = fmt.Sprintf(`{"title":"%d","properties":{%s}}`, i, items(3900, `"p%d":{"enum":["a"]}`))
		case 1:
			schema = fmt.Sprintf(`{"title":"%d","enum":[%s]}`, i, items(14000, `"v%d"`))
		case 2:
			schema = fmt.Sprintf(`{"title":"%d","allOf":[%s]}`, i, items(180, `{"pattern":"^%d[a-z]{0,90}$"}`))
		case 3:
			schema = strings.Repeat(`{"properties":{"`+strings.Repeat("n", 200)+`":`, 40) + fmt.Sprintf(`{"title":"%d","required":[%s]}`, i, items(12000, `"r%d"`)) + strings.Repeat(`}}`, 40)
		}
		if _, err := c.Get([]byte(schema)); err != nil {
			t.Fatalf("%.80s: %v", schema, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
	t.Logf("%d MiB for %d schemas of an estimated %d MiB", held, len(c.entries), c.weight>>20)
	if held > 64 {
		t.Errorf("%d MiB are held", held)
	}
	runtime.KeepAlive(&c)
}

func TestSchemasAreSharedByGoroutines(t *testing.T) {
	var c Cache
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 40 {
				s, err := c.Get(fmt.Appendf(nil, `{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"},"pattern":"^(?!b)a%d"}`, i%4))
				if err != nil {
					t.Error(err)
					return
				}
				if v := s.Validate(fmt.Appendf(nil, `["a%d",["b"]]`, i%4), generous); v == nil || v.Keyword != "pattern" && v.Keyword != "cost" {
					t.Errorf("%+v", v)
				}
			}
		})
	}
	wait.Wait()
}
