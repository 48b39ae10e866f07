package oauth

import (
	"fmt"
	"log/slog"
)

// However they are printed or logged, what holds a secret shows none of it.

func (t Tokens) shown() string {
	return fmt.Sprintf("tokens of %d scopes until %s", len(t.Scopes), t.Expires.Format("2006-01-02 15:04:05"))
}

func (r Registration) shown() string { return "a registration (" + string(r.How) + ")" }

func (s Setup) shown() string { return "a setup" }

// Format implements fmt.Formatter.
func (t Tokens) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.shown())) }

// Format implements fmt.Formatter.
func (r Registration) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(r.shown())) }

// Format implements fmt.Formatter.
func (s Setup) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.shown())) }

// Format implements fmt.Formatter: an attempt has a verifier, and its page a state.
func (a *Attempt) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("a sign-in")) }

// LogValue implements slog.LogValuer.
func (t Tokens) LogValue() slog.Value { return slog.StringValue(t.shown()) }

// LogValue implements slog.LogValuer.
func (r Registration) LogValue() slog.Value { return slog.StringValue(r.shown()) }

// LogValue implements slog.LogValuer.
func (s Setup) LogValue() slog.Value { return slog.StringValue(s.shown()) }
