package guardian

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/sallyport/sallyport/app/clientconfig"
)

// Unwrapping byte for byte needs the entry's original text, whose arguments may be secrets, so the store keeps it encrypted (AES-256-GCM)
// under a key derived from the one that seals the home. The nonce is computed from the text, so that an unchanged record has the same bytes
// and is not written again; two texts never share one.

type sealedRecord struct {
	Sealed []byte `json:"sealed"`
}

// box seals the records of one client's file.
type box struct {
	aead  cipher.AEAD
	nonce []byte // key that makes nonces
	path  string
}

func (g *Guardian) recordBox(path string) (box, error) {
	block, err := aes.NewCipher(g.office.Store.Derive("client record", path))
	if err != nil {
		return box{}, err
	}
	aead, err := cipher.NewGCM(block)
	return box{aead: aead, nonce: g.office.Store.Derive("client record nonce", path), path: path}, err
}

func (b box) seal(r clientconfig.Record) (json.RawMessage, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("record of %q: %w", r.Name, err)
	}
	mac := hmac.New(sha256.New, b.nonce)
	mac.Write(text)
	nonce := mac.Sum(nil)[:b.aead.NonceSize()]
	return json.Marshal(sealedRecord{b.aead.Seal(nonce, nonce, text, []byte(b.path))})
}

// open decrypts a record. An unencrypted one of an earlier version is accepted: the next write of the file encrypts it.
func (b box) open(raw json.RawMessage) (r clientconfig.Record, ok bool) {
	var sealed sealedRecord
	if len(raw) == 0 || json.Unmarshal(raw, &sealed) != nil {
		return r, false
	}
	text := []byte(raw)
	if n := b.aead.NonceSize(); len(sealed.Sealed) > n {
		var err error
		if text, err = b.aead.Open(nil, sealed.Sealed[:n], sealed.Sealed[n:], []byte(b.path)); err != nil {
			return r, false
		}
	}
	return r, json.Unmarshal(text, &r) == nil && (len(r.Argv) > 0 || r.Remote())
}
