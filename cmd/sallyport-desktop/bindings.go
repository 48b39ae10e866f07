//go:build bindings

package main

// writesBindings: this build writes the page's bindings and does nothing else.
const writesBindings = true
