package transport

import (
	"context"
	"strings"
	"testing"
)

func TestASandboxCanBeHadHere(t *testing.T) {
	said, err := TrySandbox(context.Background())
	if err != nil || !strings.Contains(said, "bubblewrap") {
		t.Fatal(said, err)
	}
}
