//go:build linux

package control

import (
	"context"
	"testing"
)

func (h *testHub) SignIn(_ context.Context, _ Wrapper, s SignIn) (SignedIn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revision++
	state := h.state("signed in")
	if s.Demanded {
		state.SignIn = SignInState{Wanted: true, Code: "LOGN"}
		return SignedIn{State: state, Code: "LOGN"}, nil
	}
	return SignedIn{State: state, Token: "token"}, nil
}

func (h *testHub) Login(context.Context, Peer, Login) (LoginBegun, error) { return LoginBegun{}, nil }

func (h *testHub) LoginEnd(_ context.Context, _ Peer, id string) (SignInStatus, error) {
	return SignInStatus{Server: id}, nil
}

func (h *testHub) Logout(_ context.Context, _ Peer, server string) (SignInStatus, error) {
	return SignInStatus{Server: server}, nil
}

func (h *testHub) SignIns(SignInQuery) ([]SignInStatus, error) { return nil, nil }

func TestTheAnswerToASignInIsAStateToo(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	l := testLink(t, LinkOptions{Home: h})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	got, err := l.SignIn(testContext(t), SignIn{Demanded: true, Refused: TokenHash("old")})
	if err != nil || got.Code != "LOGN" || !l.State().SignIn.Wanted {
		t.Errorf("a demand: %+v, %v, state %+v", got, err, l.State().SignIn)
	}
	got, err = l.SignIn(testContext(t), SignIn{})
	if err != nil || got.Token != "token" || l.State().SignIn.Wanted {
		t.Errorf("a question: %+v, %v, state %+v", got, err, l.State().SignIn)
	}
}
