package control

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// SpoolKey is the key under which a wrapper seals parts of its spool. A server's command and requests may contain secrets, so on
// disk they are encrypted (AES-256-GCM). The hub derives the key from the home's seal key and the server's id, and can do so again when the
// wrapper is gone. A wrapper that has met no hub has no key, but it has nothing approved either, so its server gets no requests.
type SpoolKey struct {
	Server string `json:"server"` // the server's id
	Key    []byte `json:"key"`
}

// Keys returns the key of a server by its id; nil if there is none.
type Keys func(server string) []byte

// sealedPart is the encrypted part of a spool file.
type sealedPart struct {
	Server ServerRef  `json:"server"`
	Params []byte     `json:"params,omitempty"`
	Same   pin.Digest `json:"same,omitempty"` // a guess at the request could be confirmed by this unkeyed digest
	Item   string     `json:"item,omitempty"`
	Name   string     `json:"name,omitempty"` // a URI can carry a password
}

// seal removes the secret parts from what is written in clear and returns them encrypted; nil without a key.
func (k *SpoolKey) seal(register *Register, held *Held) ([]byte, error) {
	if k == nil || k.Server == "" {
		return nil, nil
	}
	part := sealedPart{Server: register.Server}
	register.Server = ServerRef{Transport: part.Server.Transport, Name: part.Server.Name}
	register.ServerID = k.Server
	if held != nil {
		part.Params, part.Same, part.Item, part.Name = held.Params, held.Same, held.Item, held.Name
		held.Params, held.Same, held.Item, held.Name = nil, "", "", ""
	}
	text, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	return sealWith(k, text)
}

func sealWith(k *SpoolKey, text []byte) ([]byte, error) {
	box, err := boxOf(k.Key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize(), box.NonceSize()+len(text)+box.Overhead())
	_, _ = rand.Read(nonce) // it does not fail
	return box.Seal(nonce, nonce, text, []byte(k.Server)), nil
}

// sealedDetail is a read's record detail in a spool file. The name in it is masked by rules, but the hub's rules know more secrets.
type sealedDetail struct {
	Sealed []byte `json:"sealed"`
}

// sealNamed seals the name in a read's detail. Without a key, the name is not written.
func (k *SpoolKey) sealNamed(r Record) Record {
	if r.Kind != vocab.RecordRead && r.Kind != vocab.RecordPrompt || len(r.Detail) == 0 {
		return r
	}
	detail := r.Detail
	r.Detail = nil
	if k == nil {
		return r
	}
	if box, err := sealWith(k, detail); err == nil {
		r.Detail, _ = json.Marshal(sealedDetail{box})
	}
	return r
}

// unsealNamed restores it, or removes what can't be decrypted.
func unsealNamed(r *Record, key []byte, server string) {
	if r.Kind != vocab.RecordRead && r.Kind != vocab.RecordPrompt {
		return
	}
	var sealed sealedDetail
	if len(r.Detail) == 0 || json.Unmarshal(r.Detail, &sealed) != nil || sealed.Sealed == nil {
		return // written by an earlier version
	}
	text, err := openWith(sealed.Sealed, key, server)
	if err != nil {
		text = nil
	}
	r.Detail = text
}

// unseal restores what was sealed. If it can't be decrypted because the home has another seal key by now, it stays out: the server is
// then known only by its id, and the request not at all.
func unseal(sealed []byte, keys Keys, register *Register, held *Held) {
	if len(sealed) == 0 || keys == nil {
		return
	}
	part, err := open(sealed, keys(register.ServerID), register.ServerID)
	if err != nil {
		return
	}
	register.Server, register.ServerID = part.Server, ""
	if held != nil {
		held.Params, held.Same, held.Item, held.Name = part.Params, part.Same, part.Item, part.Name
	}
}

func open(sealed, key []byte, server string) (part sealedPart, err error) {
	text, err := openWith(sealed, key, server)
	if err != nil {
		return part, err
	}
	return part, json.Unmarshal(text, &part)
}

func openWith(sealed, key []byte, server string) ([]byte, error) {
	box, err := boxOf(key)
	if err != nil {
		return nil, err
	}
	n := box.NonceSize()
	if len(sealed) < n {
		return nil, errors.New("too short")
	}
	return box.Open(nil, sealed[:n], sealed[n:], []byte(server))
}

func boxOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// known returns the only key that a wrapper has, for its own files.
func (k *SpoolKey) known(server string) []byte {
	if k == nil || k.Server != server {
		return nil
	}
	return k.Key
}
