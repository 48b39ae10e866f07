package desktop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/oauth/issuer"
	"github.com/sallyport/sallyport/proxy/control"
)

// wants is a desk with a remote server that wants a sign-in for time:read, and a browser that opens nothing.
func wants(t *testing.T, knobs issuer.Knobs) (d *desk, i *issuer.Issuer, opened *[]string) {
	t.Helper()
	t.Setenv("SALLYPORT_KEYCHAIN", "off")
	knobs.Scopes = []string{"time:read", "time:write"}
	i, err := issuer.Start(issuer.Options{Knobs: knobs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	d, opened = newDesk(t), new([]string)
	d.Page.signIns.browse = func(address string) error { *opened = append(*opened, address); return nil }
	w := &deaf{1}
	if _, err := d.hub.Register(w, control.Peer{PID: 101, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "url", URL: i.Resource, Name: "clock"}, Client: "claude-desktop", Session: "s1",
	}); err != nil {
		t.Fatal(err)
	}
	challenge := `Bearer resource_metadata="` + i.MetadataURL() + `", scope="time:read"`
	if _, err := d.hub.SignIn(context.Background(), w, control.SignIn{URL: i.Resource, Challenge: []string{challenge}, Demanded: true}); err != nil {
		t.Fatal(err)
	}
	return d, i, opened
}

func begins(r Review) SignInDecision {
	return SignInDecision{Code: r.Code, Digest: r.Digest, Nonce: r.Nonce}
}

func TestASignInBeginsOnlyAsItWasShown(t *testing.T) {
	d, i, opened := wants(t, issuer.Knobs{})
	r := d.look()
	if s := r.SignIn; r.Kind != "login" || s == nil || s.Plan.Host != hostIn(i.URL) || !slices.Equal(s.Plan.Scopes, []string{"time:read"}) || s.Plan.Registered != "dynamic" || s.Under != nil {
		t.Fatalf("review: %+v", r)
	}
	for name, change := range map[string]func(*SignInDecision){
		"without a nonce":         func(s *SignInDecision) { s.Nonce = "" },
		"with another digest":     func(s *SignInDecision) { s.Digest = "d" },
		"at a place nobody named": func(s *SignInDecision) { s.Issuer = "https://evil.example" },
	} {
		s := begins(r)
		change(&s)
		if _, err := d.BeginSignIn(s); codeOf(err) != control.CodeStale {
			t.Errorf("%s: %v", name, err)
		}
	}
	soon, err := d.Review(r.Code)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.BeginSignIn(begins(soon)); codeOf(err) != control.CodeBadRequest {
		t.Errorf("too soon: %v", err)
	}
	if _, err := d.Allow(of(r)); codeOf(err) != control.CodeBadRequest {
		t.Errorf("a yes without a sign-in: %v", err)
	}
	if i.Count(issuer.Registrations) != 0 {
		t.Fatal("something was begun")
	}

	r = d.look()
	begun, err := d.BeginSignIn(begins(r))
	if err != nil || begun.ID == "" || begun.Host != hostIn(i.URL) || len(*opened) != 0 {
		t.Fatalf("%+v, %v; opened %q", begun, err, *opened)
	}
	if _, err := d.BeginSignIn(begins(r)); codeOf(err) != control.CodeStale {
		t.Errorf("the same look twice: %v", err)
	}
	if r = d.look(); r.SignIn.Under == nil || *r.SignIn.Under != begun {
		t.Errorf("under way: %+v", r.SignIn)
	}
	if again, err := d.BeginSignIn(begins(r)); err != nil || again != begun {
		t.Errorf("a second one does not join: %+v, %v", again, err)
	}
	if address, err := d.OpenSignIn(begun.ID); address != "" || err != nil || len(*opened) != 1 || !strings.HasPrefix((*opened)[0], i.URL) {
		t.Fatalf("%q, %v; opened %q", address, err, *opened)
	}
	if _, _, err := i.Visit(context.Background(), (*opened)[0]); err != nil {
		t.Fatal(err)
	}
	if end, err := d.WaitSignIn(begun.ID); err != nil || end != (SignInEnd{SignedIn: true}) {
		t.Fatalf("%+v, %v", end, err)
	}
	if _, err := d.OpenSignIn(begun.ID); codeOf(err) != control.CodeNotFound {
		t.Errorf("opened after it was over: %v", err)
	}
	if done, err := d.Review(r.Code); err != nil || done.Decided != "approved" || done.SignIn.Under != nil {
		t.Errorf("%+v, %v", done, err)
	}
	if in, err := d.SignInOf(r.Identity); err != nil || !in.SignedIn || in.Host != hostIn(i.URL) || in.Since == "" || in.Kept != "file" {
		t.Errorf("%+v, %v", in, err)
	}
	if out, err := d.SignOut(r.Identity); err != nil || out.SignedIn || i.Count(issuer.Revoked) == 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWhyASignInFailedIsToldApartFromTheIssuersWords(t *testing.T) {
	d, i, opened := wants(t, issuer.Knobs{Denies: true})
	begun, err := d.BeginSignIn(begins(d.look()))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = d.OpenSignIn(begun.ID)
	_, _, _ = i.Visit(context.Background(), (*opened)[0])
	end, err := d.WaitSignIn(begun.ID)
	if err != nil || end.SignedIn || end.Said != "the person declined" || end.Why == "" || strings.Contains(end.Why, end.Said) {
		t.Fatalf("%+v, %v", end, err)
	}
	r := d.look()
	if r.SignIn.Failed == nil || *r.SignIn.Failed != end {
		t.Errorf("the review: %+v", r.SignIn)
	}

	// Stopped by the person, it did not fail, and nothing that the page sends counts.
	i.Set(func(k *issuer.Knobs) { k.Denies = false })
	if begun, err = d.BeginSignIn(begins(r)); err != nil {
		t.Fatal(err)
	}
	d.Page.signIns.browse = func(address string) error { *opened = append(*opened, address); return errors.New("no browser") }
	if address, err := d.OpenSignIn(begun.ID); err != nil || address != (*opened)[1] {
		t.Errorf("without a browser: %q, %v", address, err)
	}
	if err := d.StopSignIn(begun.ID); err != nil {
		t.Fatal(err)
	}
	if end, err := d.WaitSignIn(begun.ID); err != nil || end != (SignInEnd{Stopped: true}) {
		t.Errorf("%+v, %v", end, err)
	}
	_, _, _ = i.Visit(context.Background(), (*opened)[1])
	if r := d.look(); i.Count(issuer.Exchanges) != 0 || r.SignIn.Failed != nil || r.SignIn.Under != nil {
		t.Errorf("after it was stopped: %+v", r.SignIn)
	}
}

func TestOneOfSeveralPlacesHasALookOfItsOwn(t *testing.T) {
	other, err := issuer.Start(issuer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	d, i, _ := wants(t, issuer.Knobs{Edit: func(document string, members map[string]any) {
		if document == "resource" {
			members["authorization_servers"] = []string{members["authorization_servers"].([]string)[0], other.URL}
		}
	}})
	r := d.look()
	if s := r.SignIn; s == nil || s.Plan.Issuer != "" || len(s.Choices) != 2 || s.Choices[1].Host != hostIn(other.URL) {
		t.Fatalf("%+v", r.SignIn)
	}
	if _, err := d.BeginSignIn(begins(r)); codeOf(err) != control.CodeBadRequest {
		t.Errorf("without a choice: %v", err)
	}
	if _, err := d.SignInPlan(r.Code, "https://evil.example"); codeOf(err) != control.CodeBadRequest {
		t.Errorf("a place nobody named: %v", err)
	}
	plan, err := d.SignInPlan(r.Code, i.URL)
	if err != nil || plan.Issuer != i.URL || plan.Nonce == "" || plan.Digest == "" {
		t.Fatalf("%+v, %v", plan, err)
	}
	d.at = d.at.Add(time.Second)
	if _, err := d.BeginSignIn(SignInDecision{Code: r.Code, Issuer: other.URL, Digest: plan.Digest, Nonce: plan.Nonce}); codeOf(err) != control.CodeStale {
		t.Errorf("the look at one place begins at another: %v", err)
	}
	begun, err := d.BeginSignIn(SignInDecision{Code: r.Code, Issuer: i.URL, Digest: plan.Digest, Nonce: plan.Nonce})
	if err != nil || begun.Host != hostIn(i.URL) {
		t.Errorf("%+v, %v", begun, err)
	}
	if err := d.StopSignIn(begun.ID); err != nil {
		t.Error(err)
	}
}

func TestAClientIdThatWasEnteredIsShownAtOnce(t *testing.T) {
	d, i, _ := wants(t, issuer.Knobs{NoRegistrar: true})
	r := d.look()
	if r.SignIn.Plan.Registered != "" {
		t.Fatalf("%+v", r.SignIn)
	}
	if plan, err := d.SignInPlan(r.Code, ""); err != nil || plan.Registered != "" {
		t.Fatalf("%+v, %v", plan, err)
	}
	i.Know("known", "", "")
	if _, err := d.SetSetting(SetSetting{Key: "auth.client_id", Value: "known", Server: r.Identity}); codeOf(err) == control.CodeLoosens {
		c, err := d.ConfirmLoosening("auth.client_id", "known", r.Identity, "")
		if err != nil {
			t.Fatal(err)
		}
		d.at = d.at.Add(time.Second)
		if _, err := d.SetSetting(SetSetting{Key: "auth.client_id", Value: "known", Server: r.Identity, Nonce: c.Nonce}); err != nil {
			t.Fatal(err)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	if plan, err := d.SignInPlan(r.Code, ""); err != nil || plan.Registered != "own" {
		t.Fatalf("%+v, %v", plan, err)
	}
	if now := d.look(); now.Code == r.Code || now.SignIn.Plan.Registered != "own" {
		t.Errorf("the item: %+v", now.SignIn)
	}
}

func TestAnotherPlaceThanBeforeIsSaid(t *testing.T) {
	other, err := issuer.Start(issuer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	d, i, opened := wants(t, issuer.Knobs{})
	r := d.look()
	if r.SignIn.BeforeHost != "" || r.Severity != "review" {
		t.Errorf("a first sign-in: %+v", r)
	}
	begun, err := d.BeginSignIn(begins(r))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = d.OpenSignIn(begun.ID)
	_, _, _ = i.Visit(context.Background(), (*opened)[0])
	if end, err := d.WaitSignIn(begun.ID); err != nil || !end.SignedIn {
		t.Fatalf("%+v, %v", end, err)
	}
	i.Forget()
	i.Set(func(k *issuer.Knobs) {
		k.Edit = func(document string, members map[string]any) {
			if document == "resource" {
				members["authorization_servers"] = []string{other.URL}
			}
		}
	})
	w := &deaf{1}
	if _, err := d.hub.Register(w, control.Peer{PID: 101, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "url", URL: i.Resource, Name: "clock"}, Client: "claude-desktop", Session: "s2",
	}); err != nil {
		t.Fatal(err)
	}
	had, err := d.hub.SignIn(context.Background(), w, control.SignIn{URL: i.Resource})
	if err != nil || had.Token == "" {
		t.Fatalf("%v", err)
	}
	challenge := `Bearer resource_metadata="` + i.MetadataURL() + `", scope="time:read"`
	if _, err := d.hub.SignIn(context.Background(), w, control.SignIn{URL: i.Resource, Challenge: []string{challenge}, Demanded: true, Refused: control.TokenHash(had.Token)}); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"before", "after"} {
		if r = d.look(); r.SignIn.Plan.Host != hostIn(other.URL) || r.SignIn.BeforeHost != hostIn(i.URL) || r.Severity != "high" {
			t.Errorf("another place, %s the hub was started again: %s, %+v", when, r.Severity, r.SignIn)
		}
		if when == "after" {
			break
		}
		d.startAgain()
		if _, err := d.hub.Register(w, control.Peer{PID: 101, Role: control.RoleWrapper}, control.Register{
			Server: control.ServerRef{Transport: "url", URL: i.Resource, Name: "clock"}, Client: "claude-desktop", Session: "s3",
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.hub.SignIn(context.Background(), w, control.SignIn{URL: i.Resource, Challenge: []string{challenge}, Demanded: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// startAgain ends the hub and starts another one on its home.
func (d *desk) startAgain() {
	d.t.Helper()
	home, err := control.HomeAt(filepath.Join(os.Getenv("HOME"), "home"))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.hub.Close(); err != nil {
		d.t.Fatal(err)
	}
	if d.hub, err = app.Open(app.Options{Home: home, StartedBy: app.ByDesktop, Window: true, Version: "test"}); err != nil {
		d.t.Fatal(err)
	}
}

func TestAfterARestartTheItemStillLeadsToItsSignIn(t *testing.T) {
	d, _, _ := wants(t, issuer.Knobs{})
	d.startAgain()
	begun, err := d.BeginSignIn(begins(d.look()))
	if err != nil || begun.ID == "" {
		t.Fatalf("%+v, %v", begun, err)
	}
	if err := d.StopSignIn(begun.ID); err != nil {
		t.Error(err)
	}
}
