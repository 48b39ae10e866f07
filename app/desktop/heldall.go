package desktop

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/control"
)

// HeldAll is the responses of one item at the moment when one of them was shown, or when the person asked at their row. *Discard all*
// discards these, whatever comes after them.
type HeldAll struct {
	Count      int    `json:"count"`
	Digest     string `json:"digest"`
	Nonce      string `json:"nonce"`
	ArmAfterMs int    `json:"armAfterMs"`
}

// HeldAllDecision discards a set of held responses.
type HeldAllDecision struct {
	Code   string `json:"code"` // of the response that was shown
	Digest string `json:"digest"`
	Nonce  string `json:"nonce"`
	Reason string `json:"reason"`
}

// heldSets are the sets shown last, by digest: a page shows one, and a few more are kept for a second look.
type heldSets struct {
	mu    sync.Mutex
	shown []heldSet // the newest last
}

type heldSet struct {
	digest, group string
	codes         []string
}

const maxHeldSets = 8

func (s *heldSets) keep(codes []string, group string) (digest string) {
	sum := sha256.Sum256([]byte(strings.Join(codes, " ")))
	digest = hex.EncodeToString(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(slices.DeleteFunc(s.shown, func(set heldSet) bool { return set.digest == digest }), heldSet{digest: digest, group: group, codes: codes})
	s.shown = s.shown[max(0, len(s.shown)-maxHeldSets):]
	return digest
}

func (s *heldSets) of(digest string) (codes []string, group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, set := range s.shown {
		if set.digest == digest {
			return set.codes, set.group
		}
	}
	return nil, ""
}

// heldAll is the item of a held response as it is now, nil if the response is the only one.
func (p *Page) heldAll(it control.ItemDetail) *HeldAll {
	if it.Count < 2 {
		return nil
	}
	all, err := p.HeldTogether(it.Code)
	if err != nil || all.Count < 2 {
		return nil
	}
	return &all
}

// HeldTogether is what is pending in this response's item now, to ask whether to discard all of it. It includes the nonce of the answer.
func (p *Page) HeldTogether(code string) (HeldAll, error) {
	h, err := p.engine()
	if err != nil {
		return HeldAll{}, err
	}
	codes, group := h.HeldCodes(code)
	if len(codes) == 0 {
		return HeldAll{}, &control.Error{Code: control.CodeStale, Message: "nothing of it is held any more"}
	}
	digest := p.sets.keep(codes, group)
	return HeldAll{Count: len(codes), Digest: digest, Nonce: p.nonces.mint(heldAllSubject(code), digest, ""), ArmAfterMs: armAfterMs}, nil
}

func heldAllSubject(code string) string { return "held-all\x00" + code }

// DiscardAll deletes the responses that an item held when it was shown, and no others.
func (p *Page) DiscardAll(d HeldAllDecision) (control.DiscardedHeld, error) {
	h, err := p.engine()
	if err != nil {
		return control.DiscardedHeld{}, err
	}
	codes, group := p.sets.of(d.Digest)
	if err := p.nonces.spend(d.Nonce, heldAllSubject(d.Code), d.Digest, "", false); err != nil {
		return control.DiscardedHeld{}, err
	}
	if len(codes) == 0 {
		return control.DiscardedHeld{}, &control.Error{Code: control.CodeStale, Message: "it was shown too long ago: review it again", See: d.Code}
	}
	return h.DiscardHeld(here, control.DiscardHeld{Codes: codes, Group: group, Reason: d.Reason})
}
