// Package golden holds tests to the bytes that an earlier version wrote on the socket and into the store. A golden file has one line per
// value: its name, a tab, its JSON.
//
// It is for tests only. It fills structs by reflection, so that an added, renamed or reordered field always shows.
package golden

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Values are the JSON of values, by name.
type Values map[string][]byte

// Check compares values with the golden file, which must have the same names. With update it rewrites the file.
func Check(t *testing.T, file string, got Values, update bool) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got.lines(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := Read(t, file)
	for name, value := range want {
		switch now, ok := got[name]; {
		case !ok:
			t.Errorf("%s: %s is not written any more", file, name)
		case string(now) != string(value):
			t.Errorf("%s: %s is written otherwise\nwas %s\nnow %s", file, name, value, now)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s does not hold %s: run the test with -update", file, name)
		}
	}
}

// Read gives the values of a golden file.
func Read(t *testing.T, file string) Values {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values := Values{}
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("%s: a line without a tab: %.80q", file, line)
		}
		values[name] = []byte(value)
	}
	return values
}

func (v Values) lines() []byte {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(v)) {
		out = fmt.Appendf(out, "%s\t%s\n", name, v[name])
	}
	return out
}

// Again decodes JSON into a new value of the same type, to test that everything written is read back.
func Again(like any, raw []byte) (any, error) {
	again := reflect.New(reflect.TypeOf(like))
	err := json.Unmarshal(raw, again.Interface())
	return again.Elem().Interface(), err
}

// Full is a value of the same type with something in every JSON field. The content of a field depends only on its JSON name, so types can
// move and fields can get types of their own.
func Full(like any) any {
	v := reflect.New(reflect.TypeOf(like)).Elem()
	fill(v, reflect.TypeOf(like).Name(), 0)
	return v.Interface()
}

// deepest limits recursive types.
const deepest = 12

var (
	aTime    = reflect.TypeFor[time.Time]()
	aMessage = reflect.TypeFor[json.RawMessage]()
)

func fill(v reflect.Value, name string, depth int) {
	if depth > deepest {
		return
	}
	hash := fnv.New32a()
	hash.Write([]byte(name))
	number := int64(hash.Sum32()%9000) + 1000
	switch {
	case v.Type() == aTime:
		v.Set(reflect.ValueOf(time.Date(2026, 3, 1, 12, 0, 0, int(number)*1000, time.UTC)))
		return
	case v.Type() == aMessage:
		v.SetBytes(fmt.Appendf(nil, `{"b":%d,"a":["<é>",1.50]}`, number))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name + " <é> \"\n")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(number % (1 << (v.Type().Bits() - 2)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(number) % (1 << (v.Type().Bits() - 1)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(number) + 0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(name + "\x00\xff"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), fmt.Sprint(name, i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, fmt.Sprint(name, "_key", i), depth+1)
			fill(value, fmt.Sprint(name, i), depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.IsExported() && tag != "-" {
				fill(v.Field(i), cmp.Or(tag, field.Name), depth+1)
			}
		}
	default:
		panic(fmt.Sprintf("a field %s of kind %s", name, v.Kind()))
	}
}
