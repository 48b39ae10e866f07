package control

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/sallyport/sallyport/proxy/pin"
)

// SpoolKey is what a wrapper seals its spool under. What a server was started with and what it was asked may hold secrets, and the spool
// is a disk: so they stand there encrypted (AES-256-GCM). The hub makes the key of the home's seal key and the server's id, and has it
// again when the wrapper is gone. A wrapper that has met no hub has no key; nothing is approved for it, so nobody asks its server anything.
type SpoolKey struct {
	Server string `json:"server"` // the server's id
	Key    []byte `json:"key"`
}

// Keys finds the key of a server again, by its id; nil where there is none.
type Keys func(server string) []byte

// sealedPart is what stands encrypted in a file of the spool.
type sealedPart struct {
	Server ServerRef  `json:"server"`
	Params []byte     `json:"params,omitempty"`
	Same   pin.Digest `json:"same,omitempty"` // an unkeyed digest tells what was asked to whoever can guess it
	Item   string     `json:"item,omitempty"`
	Name   string     `json:"name,omitempty"` // a URI can carry a password
}

// seal takes what is secret out of what stands in a file in clear, and is its encrypted form; nil without a key.
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
	box, err := boxOf(k.Key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize(), box.NonceSize()+len(text)+box.Overhead())
	_, _ = rand.Read(nonce) // it does not fail
	return box.Seal(nonce, nonce, text, []byte(k.Server)), nil
}

// unseal puts back what was sealed. What cannot be opened, because the home has another seal key by now, stays out: the server is then
// known by its id alone, and what was asked by nobody.
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
	box, err := boxOf(key)
	if err != nil {
		return part, err
	}
	n := box.NonceSize()
	if len(sealed) < n {
		return part, errors.New("too short")
	}
	text, err := box.Open(nil, sealed[:n], sealed[n:], []byte(server))
	if err != nil {
		return part, err
	}
	return part, json.Unmarshal(text, &part)
}

func boxOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// known is the one key that a wrapper has, for its own files.
func (k *SpoolKey) known(server string) []byte {
	if k == nil || k.Server != server {
		return nil
	}
	return k.Key
}
