//go:build !bindings

package main

const writesBindings = false
