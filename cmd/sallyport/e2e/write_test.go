//go:build survey || conformance

package e2e

import "flag"

var write = flag.Bool("write", false, "write the page that a test is about: docs/sandbox.md, docs/conformance.md")
