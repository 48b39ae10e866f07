package sealed

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// The file is a version byte, a nonce of its own for each write, and the entries as JSON, sealed with XChaCha20-Poly1305 (RFC 8439 with the
// extended nonce of draft-irtf-cfrg-xchacha-03). The version and the home's scope are authenticated with it. A random nonce of 24 bytes
// does not repeat, however often the file is written.
const (
	version = 1
	keySize = chacha20poly1305.KeySize
	// maxFile bounds what is read and written. The largest value has 64 KiB.
	maxFile = 8 << 20
)

// record is an Entry in the file.
type record struct {
	Value string `json:"value,omitempty"`
	Gone  bool   `json:"gone,omitempty"`
}

func (f File) seal(entries map[Key]Entry, key []byte) ([]byte, error) {
	kinds := map[string]map[string]record{}
	for k, e := range entries {
		if kinds[k.Kind] == nil {
			kinds[k.Kind] = map[string]record{}
		}
		kinds[k.Kind][k.Name] = record(e)
	}
	plain, err := json.Marshal(kinds)
	if err != nil {
		return nil, err
	}
	if len(plain)+1+chacha20poly1305.NonceSizeX+chacha20poly1305.Overhead > maxFile {
		return nil, fmt.Errorf("%s would have more than %d MiB: delete secrets that you no longer need", f.Path(), maxFile>>20)
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, 1+chacha20poly1305.NonceSizeX, 1+chacha20poly1305.NonceSizeX+len(plain)+chacha20poly1305.Overhead)
	raw[0] = version
	nonce := raw[1:]
	rand.Read(nonce) // never fails: see its documentation
	return aead.Seal(raw, nonce, plain, f.bound()), nil
}

func (f File) open(raw, key []byte) (map[Key]Entry, error) {
	if len(key) != keySize {
		return nil, f.broken("%s is damaged", keyName)
	}
	if len(raw) > 0 && raw[0] > version {
		return nil, fmt.Errorf("a newer Sallyport wrote %s: update this one", f.Path())
	}
	var aead cipher.AEAD
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, err
	}
	if len(raw) < 1+chacha20poly1305.NonceSizeX || raw[0] != version {
		return nil, f.broken("it is damaged")
	}
	plain, err := aead.Open(nil, raw[1:1+chacha20poly1305.NonceSizeX], raw[1+chacha20poly1305.NonceSizeX:], f.bound())
	if err != nil {
		return nil, f.broken("it is damaged, or was made with another key or in another folder")
	}
	var kinds map[string]map[string]record
	if err := json.Unmarshal(plain, &kinds); err != nil { // the error might quote a value
		return nil, f.broken("what it holds makes no sense")
	}
	entries := map[Key]Entry{}
	for kind, names := range kinds {
		for name, r := range names {
			entries[Key{kind, name}] = Entry(r)
		}
	}
	return entries, nil
}

// bound is what the file is only valid with.
func (f File) bound() []byte { return append([]byte{version}, f.scope...) }

// broken is the error for a file that can't be opened any more.
func (f File) broken(format string, args ...any) error {
	return fmt.Errorf("%s can't be opened (%s): put it and %s back from one backup, or move both away and store the secrets again", f.Path(), fmt.Sprintf(format, args...), keyName)
}
