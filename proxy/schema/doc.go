// Package schema judges whether a value conforms to a JSON schema, where both come from a server that may be hostile. It is a pure function: it
// opens nothing, keeps nothing but its cache, and decides nothing about what happens to the response.
//
// Start with Cache.Get (or Compile), then Schema.Validate. What does not conform is a Violation: a keyword, two pointers and a sentence of
// ours. Of these only the keyword and Place are fit for a client.
//
// A schema goes through three hands. survey bounds it before anything else sees it: size, subschemas, levels, patterns, and references, none of
// which may lead outside. The library (santhosh-tekuri/jsonschema) checks it against its metaschema and resolves dialects, addresses,
// anchors and references. conversion takes the result over as rules.
//
// Rules are applied to a value by our own evaluation, not the library's, because its work can't be bounded from outside: it expands
// exponents, compares each value of an enum and each pair of a uniqueItems, looks at every name of an object for every subschema, and
// can't be stopped. A value goes through guards on its raw bytes (size, depth, exponents), decode (20 bytes a node, no number converted),
// counting (how often rules will be applied, never less than they are), and evaluation, which pays for everything else it does.
// docs/validation.md has the bounds, and how they were chosen.
//
// Invariants: no input takes more than linear memory or about two seconds; nothing panics out of the package; no text of the library and
// no byte of the value is in an error or a violation, but for the pointer to the place in the value.
package schema
