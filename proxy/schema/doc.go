// Package schema judges whether a value conforms to a JSON schema, where both come from a server that may be hostile. It is a pure function: it
// opens nothing, keeps nothing but its cache, and decides nothing about what happens to the response.
//
// Start with Cache.Get (or Compile), then Schema.Validate. What does not conform is a Violation: a keyword, two pointers and a sentence of
// ours. Of these only the keyword and Place are fit for a client.
//
// A schema goes through three hands. survey bounds it (size, subschemas, levels, patterns), finds out what is where in which dialect, and follows
// references, none of which may lead outside. check holds it against the metaschema of its dialect, which is a schema like any other. conversion
// makes rules of it that are the same in all dialects.
//
// A value goes through guards on its raw bytes (size, depth, exponents), decode (20 bytes a node, no number converted), counting (how often
// rules will be applied, never less than they are), and evaluation, which pays for everything else it does. docs/validation.md has the bounds.
//
// A library (santhosh-tekuri/jsonschema) judges the same in tests, beside the official test suite. docs/decisions says why it is not used here.
//
// Invariants: no input takes more than linear memory or about two seconds; nothing panics out of the package; no text of the library and
// no byte of the value is in an error or a violation, but for the pointer to the place in the value.
package schema
