package store

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// readKey is the key of a folder, or fs.ErrNotExist.
func readKey(dir string) ([]byte, error) {
	f, err := disk.Open(filepath.Join(dir, keyFile), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, keyBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read seal key: %w", err)
	}
	if len(key) != keyBytes {
		return nil, fmt.Errorf("%s is not a seal key: %w", filepath.Join(dir, keyFile), ErrSeal)
	}
	return key, nil
}

func newKey() ([]byte, error) {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("random numbers: %w", err)
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
