package oauth

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestWhatHoldsASecretPrintsNone(t *testing.T) {
	tokens := Tokens{Access: "hush-access", Refresh: "hush-refresh", Type: "Bearer"}
	reg := Registration{How: Own, ClientID: "mine", ClientSecret: "hush-secret"}
	setup := Setup{ClientSecret: "hush-secret"}
	attempt := &Attempt{verifier: "hush-verifier", page: "https://auth.example/?state=hush-state", reg: reg}
	var b bytes.Buffer
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&b, nil)), slog.New(slog.NewJSONHandler(&b, nil))} {
		log.Info("x", "tokens", tokens, "reg", reg, "setup", setup)
	}
	for _, v := range []any{tokens, &tokens, reg, &reg, setup, attempt, []any{tokens, reg}, struct{ T Tokens }{tokens}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			fmt.Fprintf(&b, verb+"\n", v)
		}
	}
	if strings.Contains(b.String(), "hush") || strings.Contains(b.String(), fmt.Sprintf("%x", "hush")) {
		t.Error(b.String())
	}
}
