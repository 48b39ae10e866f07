// Package flow takes out of a text what a later call could carry on: addresses, names, short fields, and what the text orders to be done.
//
// Of a server's response (Response) and of a call's arguments (Arguments) alike, each Value is folded as a reader takes it, so that two spellings of
// one address are equal. Outside the process a value is only ever a Hash: eight bytes under a key of the home. The package decides nothing;
// docs/flow.md says what is made of it.
package flow
