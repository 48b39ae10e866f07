package desktop

import (
	"context"
	"errors"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
)

// ownSecrets is what the page may do with what the person stored: list names, and replace a value.
type ownSecrets struct {
	*hubLink
	store keychain.Store
}

// Secrets are the keys and passwords that the person stored, by name. The page never gets a value.
type Secrets struct {
	Items []Secret `json:"items"`
	Why   string   `json:"why"` // why there may be more than are listed, "" if there aren't
}

// Secret is one of them.
type Secret struct {
	Name string         `json:"name"`
	Kept keychain.Place `json:"kept" ts_type:"'keychain' | 'file'"`
}

// ReplaceSecret is the decision to replace the value of a secret. Nonce is from ConfirmReplacing.
type ReplaceSecret struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Nonce string `json:"nonce"`
}

// secretPatience is how long the page waits for the keychain, which gives up on each step after two seconds.
const secretPatience = 10 * time.Second

// Secrets lists the names of what is stored.
func (s ownSecrets) Secrets() (Secrets, error) {
	if _, err := s.engine(); err != nil {
		return Secrets{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), secretPatience)
	defer cancel()
	entries, err := s.store.Entries(ctx)
	out := Secrets{Items: each(entries, func(e keychain.Entry) Secret { return Secret{e.Name, e.Place} })}
	if err != nil {
		out.Why = keychain.Reason(err)
	}
	return out, nil
}

// ConfirmReplacing asks whether to replace the value of a secret, with a nonce for doing so.
func (s ownSecrets) ConfirmReplacing(name string) (Confirm, error) {
	if _, err := s.engine(); err != nil {
		return Confirm{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), secretPatience)
	defer cancel()
	if err := s.isStored(ctx, name); err != nil {
		return Confirm{}, err
	}
	return Confirm{ArmAfterMs: armAfterMs, Nonce: s.nonces.mint(secretSubject(name), "", ""), Words: "Everything that uses keychain:" + name + " gets the new value. You can't get the old one back."}, nil
}

// ReplaceSecret stores another value under the name of one. The old one stays until the new one is stored. No error repeats a value.
func (s ownSecrets) ReplaceSecret(d ReplaceSecret) error {
	h, err := s.engine()
	if err != nil {
		return err
	}
	if err := keychain.CheckValue(d.Value); err != nil {
		return &control.Error{Code: control.CodeBadRequest, Message: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), secretPatience)
	defer cancel()
	if err := s.isStored(ctx, d.Name); err != nil {
		return err
	}
	if _, err := s.store.Target(ctx); err != nil {
		return secretFailed(err)
	}
	if err := s.nonces.spend(d.Nonce, secretSubject(d.Name), "", "", false); err != nil {
		return err
	}
	if err := h.ReplaceSecret(here, d.Name); err != nil { // so that the activity log has it
		return err
	}
	if err := s.store.Set(ctx, d.Name, d.Value); err != nil {
		return secretFailed(err)
	}
	return nil
}

// isStored refuses a name without a value: storing a first one is done with `sallyport secret set`.
func (s ownSecrets) isStored(ctx context.Context, name string) error {
	switch _, err := s.store.Place(ctx, name); {
	case errors.Is(err, keychain.ErrNotFound):
		return &control.Error{Code: control.CodeNotFound, Message: "it is no longer stored"}
	case err != nil:
		return secretFailed(err)
	}
	return nil
}

func secretFailed(err error) error {
	return &control.Error{Code: control.CodeUnavailable, Message: "nothing was stored: " + keychain.Reason(err)}
}

func secretSubject(name string) string { return "secret\x00" + name }
