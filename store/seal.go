package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/sallyport/sallyport/proxy/disk"
)

const (
	keyFile  = "seal.key"
	keyBytes = 32
	sealSize = sha256.Size
)

// seal is the keyed seal of one value at one place. Bucket and key are included, so a sealed record copied elsewhere is invalid.
func seal(key, bucket, place, value []byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range [][]byte{bucket, place} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		mac.Write(n[:])
		mac.Write(part)
	}
	mac.Write(value)
	return mac.Sum(nil)
}

// unseal returns the value of a sealed record, or ErrSeal if the seal does not match key, place and value.
func unseal(key, bucket, place, sealed []byte) ([]byte, error) {
	if len(sealed) < sealSize || !hmac.Equal(sealed[:sealSize], seal(key, bucket, place, sealed[sealSize:])) {
		return nil, ErrSeal
	}
	return sealed[sealSize:], nil
}

// key is the key to a store.
func (o Options) key(dir string) ([]byte, error) {
	if o.Key != nil {
		return o.Key, nil
	}
	return readKey(dir)
}

// readKey is the key of a folder, or fs.ErrNotExist.
func readKey(dir string) ([]byte, error) {
	key, err := disk.Read(filepath.Join(dir, keyFile), keyBytes+1)
	if err != nil {
		return nil, err
	}
	if len(key) != keyBytes {
		return nil, fmt.Errorf("%s is not a seal key: %w", filepath.Join(dir, keyFile), ErrSeal)
	}
	return key, nil
}

// writeKey writes a new key into the folder, whole or not at all, and never replaces one.
func writeKey(dir string, key []byte) error {
	err := disk.WriteNew(filepath.Join(dir, keyFile), key)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("it is there already: %w", ErrFolder)
	}
	if err != nil {
		return fmt.Errorf("write seal key: %w", err)
	}
	return nil
}

// markFile repeats a mark of the home outside the store. A lost store would take the mark with it, and so the only place where a person
// could decide what comes next.
const markFile = "home.mark"

// KeepMark writes mark next to the store, sealed with the store's key: anyone who could forge it could forge the store too.
func (s *Store) KeepMark(mark string) error {
	if markKept(s.dir, s.key, mark) {
		return nil
	}
	value := []byte(mark)
	sealed := append(seal(s.key, []byte("mark"), []byte(markFile), value), value...)
	if err := disk.WriteWhole(filepath.Join(s.dir, markFile), sealed); err != nil {
		return fmt.Errorf("write %s: %w", markFile, err)
	}
	return nil
}

// MarkKept reports whether KeepMark wrote this mark under the folder's current key. It is for a home whose store cannot be opened.
func MarkKept(dir string, options Options, mark string) bool {
	key, err := options.key(dir)
	return err == nil && markKept(dir, key, mark)
}

func markKept(dir string, key []byte, mark string) bool {
	sealed, err := disk.Read(filepath.Join(dir, markFile), 1<<10)
	if err != nil {
		return false
	}
	value, err := unseal(key, []byte("mark"), []byte(markFile), sealed)
	return err == nil && string(value) == mark
}

// Derive makes a key for one purpose from the key that seals this home. It reveals neither the sealing key nor the keys for other purposes.
func (s *Store) Derive(purpose, of string) []byte {
	return seal(s.key, []byte("derived key"), []byte(purpose), []byte(of))
}

// KeyedHash is a hash under this home's key. Its input may be a password: without the key no one can test guesses against the hash. label
// separates hashes of different things.
func (s *Store) KeyedHash(label string, parts ...[]byte) string {
	var whole bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&whole, "%d:", len(p))
		whole.Write(p)
	}
	return hex.EncodeToString(seal(s.key, []byte("keyed-hash"), []byte(label), whole.Bytes()))
}
