//go:build !race

package schema

const underRace = false
