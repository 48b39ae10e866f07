package flow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"
)

// Kind is what a value is.
type Kind uint8

const (
	Name    Kind = iota // in prose: quoted, capitalised, with a digit or an underscore, or behind "id" or "#"
	Whole               // a whole field of at most maxField bytes
	Mail                // destinations from here on
	URL                 // without scheme and "www."
	Host                // of a URL
	Account             // IBAN or one that looks like it, wallet
	Phone               // digits only
	Repo                // owner/name
	Key                 // 24 characters or more that are no word
	Act                 // a verb and the beginning of a noun, where the text orders; no value of an argument
)

// Destination reports whether something can be sent to it.
func (k Kind) Destination() bool { return k >= Mail && k <= Key }

// String is the kind as a person is told it.
func (k Kind) String() string {
	return [...]string{"name", "text", "mail address", "URL", "host", "account number", "phone number", "repository", "key", "order"}[k]
}

// Value is something that a text holds.
type Value struct {
	Kind   Kind
	Prose  bool   // in running text, and not a field
	Member string // of the object that the field is in; "" in prose
	Text   string // folded
}

// Hasher makes hashes. It is not for several goroutines at once.
type Hasher struct {
	mac hash.Hash
	sum [sha256.Size]byte
}

// NewHasher makes hashes under a key of any length: HMAC-SHA-256 (RFC 2104), of which eight bytes are kept.
func NewHasher(key []byte) *Hasher { return &Hasher{mac: hmac.New(sha256.New, key)} }

// Hash is what of a text leaves the process.
func (h *Hasher) Hash(text string) uint64 {
	h.mac.Reset()
	h.mac.Write([]byte(text))
	return binary.BigEndian.Uint64(h.mac.Sum(h.sum[:0]))
}

// Hashed is a value without its text, HashedSize bytes on the wire.
type Hashed struct {
	Hash   uint64
	Member uint64 // hash of the member's name, 0 in prose
	Kind   Kind
	Prose  bool
	Echo   bool // a field that only repeats what a call gave this server before
}

// HashedSize is the length of a value on the wire.
const HashedSize = 17

const (
	proseBit = 0x80
	echoBit  = 0x40
)

// Append adds the value to a buffer.
func (v Hashed) Append(to []byte) []byte {
	kind := byte(v.Kind)
	if v.Prose {
		kind |= proseBit
	}
	if v.Echo {
		kind |= echoBit
	}
	to = append(to, kind)
	to = binary.BigEndian.AppendUint64(to, v.Hash)
	return binary.BigEndian.AppendUint64(to, v.Member)
}

// ReadHashed is the value at the beginning of a buffer of at least HashedSize bytes; not ok for a kind that no value has.
func ReadHashed(from []byte) (v Hashed, ok bool) {
	v.Kind, v.Prose, v.Echo = Kind(from[0]&^(proseBit|echoBit)), from[0]&proseBit != 0, from[0]&echoBit != 0
	v.Hash, v.Member = binary.BigEndian.Uint64(from[1:9]), binary.BigEndian.Uint64(from[9:17])
	return v, v.Kind <= Act
}

// MarkEcho marks a field on the wire as an echo.
func MarkEcho(at []byte) { at[0] |= echoBit }

// HostOf is the host in the text of a URL value.
func HostOf(url string) string {
	host := url
	if end := strings.IndexAny(url, "/?#"); end >= 0 {
		host = url[:end]
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return host
}
