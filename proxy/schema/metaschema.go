package schema

import (
	"embed"
	"errors"
	"strings"
	"sync"
)

// dialect is a version of JSON Schema: a draft by its number, later ones by their year.
type dialect int

const latest dialect = 2020

var dialects = map[string]dialect{
	"json-schema.org/draft/2020-12/schema": 2020,
	"json-schema.org/draft/2019-09/schema": 2019,
	"json-schema.org/draft-07/schema":      7,
	"json-schema.org/draft-06/schema":      6,
	"json-schema.org/draft-04/schema":      4,
}

// metaschemas are the schemas of schemas by json-schema.org (BSD license), by their address without its scheme, in the form that
// santhosh-tekuri/jsonschema has them.
//
//go:embed metaschemas
var metaschemas embed.FS

// withoutScheme is an address without http(s) and without an empty fragment.
func withoutScheme(address string) string {
	address = strings.TrimSuffix(address, "#")
	if rest, ok := strings.CutPrefix(address, "https://"); ok {
		return rest
	}
	rest, _ := strings.CutPrefix(address, "http://")
	return rest
}

// metaschema reads the metaschema at an address, which is the only thing that a reference to the outside can name.
func metaschema(address string) (any, bool) {
	path, ok := strings.CutPrefix(withoutScheme(address), "json-schema.org/")
	if !ok {
		return nil, false
	}
	raw, err := metaschemas.ReadFile("metaschemas/" + path + ".json")
	if err != nil {
		return nil, false
	}
	doc, err := decodedAny(string(raw))
	return doc, err == nil
}

// checks are the compiled metaschemas. A wrapper that validates nothing never compiles one.
var checks = map[dialect]func() (*Schema, error){
	2020: sync.OnceValues(func() (*Schema, error) { return checker("https://json-schema.org/draft/2020-12/schema") }),
	2019: sync.OnceValues(func() (*Schema, error) { return checker("https://json-schema.org/draft/2019-09/schema") }),
	7:    sync.OnceValues(func() (*Schema, error) { return checker("http://json-schema.org/draft-07/schema") }),
	6:    sync.OnceValues(func() (*Schema, error) { return checker("http://json-schema.org/draft-06/schema") }),
	4:    sync.OnceValues(func() (*Schema, error) { return checker("http://json-schema.org/draft-04/schema") }),
}

func checker(address string) (*Schema, error) {
	s := newSurvey()
	root, ok := s.load(address)
	if !ok {
		return nil, errors.New("the metaschema is missing")
	}
	if err := s.followAll(); err != nil {
		return nil, err
	}
	return convert(s, root)
}

// check holds a schema, or a part of one in another dialect, against its metaschema.
func check(raw string, d dialect) error {
	s, err := checks[d]()
	if err != nil {
		return err
	}
	doc, ok := decode(raw, sketch(raw).nodes)
	if !ok {
		return errors.New("is not JSON")
	}
	e := s.evaluation(&doc, spareWork+workPerByte*len(raw), true)
	if e.apply(s.root, 0, "", nil) && !e.stopped {
		return nil
	}
	if place := (&Violation{Schema: e.violation().Instance}).Place(); place != "" {
		return errors.New("breaks the rules of JSON Schema at " + place)
	}
	return errors.New("breaks the rules of JSON Schema")
}
