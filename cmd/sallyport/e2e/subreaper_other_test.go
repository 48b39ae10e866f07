//go:build !linux

package e2e

import "testing"

func inheritsNothing(testing.TB) {}
