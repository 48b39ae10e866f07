// Package secrets knows what secrets look like: the forms that issuers document (catalogue), the names that stand before a value, and
// what a value must look like to be one.
//
// It does not read texts from end to end. Whoever does (package rules, for its own literals and for these in one pass) notes the
// Places where a secret may be; Look.Find looks there and says what it Found. Looking is bounded by the length of the text. No text
// that this package makes holds a secret.
package secrets
