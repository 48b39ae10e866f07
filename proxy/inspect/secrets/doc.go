// Package secrets knows what secrets look like: the forms that issuers document (catalogue), the names that precede a value, and what a
// value must look like to be secret.
//
// It does not read texts from end to end. Its caller does (package rules, for its own literals and for these in one pass) and records the
// Places where a secret may be; Look.Find examines those and returns what it Found. The work is limited by the length of the text. No text
// that this package makes contains a secret.
package secrets
