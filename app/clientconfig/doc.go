// Package clientconfig finds, reads and edits the configuration files of MCP clients, in JSON, TOML and YAML. A client is a Row: where its
// file is and how it spells an entry are data, and the code knows no client. Package markup reads TOML and YAML into the tree that JSON is
// read into, so that all else is written once.
//
// Start with Locate (where the files are and whether they can be read), then Parse (the entries of one file), Wrap and Unwrap (the file's
// bytes with wrappers added or removed) and Write (save them, after a backup). Classify says what one entry is; Compare and PutBack are for
// watching a protected file; Diff shows a change to a person.
//
// Three promises hold everywhere. Only an entry's command and arguments are edited, or what names its remote server, as splices of the
// original bytes, so everything else in the file stays byte for byte and Unwrap restores what Wrap was given; each result is parsed again
// and compared. A file that two programs could read differently (invalid, a duplicate key) is refused, never guessed at. And no value of an
// entry's env, nor a secret among its arguments, appears in any error, String or Diff.
//
// Wrap, Unwrap, Compare and PutBack work on text, and read the disk only to tell whether a command is our file; Locate, Extensions,
// ReadPolicy and Read only read; Write and Backups write. The package knows no hub, no store and no settings.
package clientconfig
