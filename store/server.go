package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Server is one server: a transport and an identifier. The entry's name in a client's file is only how it is shown.
type Server struct {
	ID         string          `json:"id"`       // ServerID of what follows, exact
	Identity   string          `json:"identity"` // for people: "stdio:npx -y …", secrets masked
	Transport  string          `json:"transport"`
	Argv       []string        `json:"argv,omitempty"`
	URL        string          `json:"url,omitempty"`
	Name       string          `json:"name"`
	Names      []string        `json:"names,omitempty"` // other names that it ran under
	Clients    []string        `json:"clients,omitempty"`
	FirstSeen  time.Time       `json:"first_seen"`
	LastSeen   time.Time       `json:"last_seen"`
	Protocol   string          `json:"protocol,omitempty"`    // last negotiated MCP version
	Era        string          `json:"era,omitempty"`         // era of the last report
	ServerInfo json.RawMessage `json:"server_info,omitempty"` // recorded and shown, not pinned
	Findings   json.RawMessage `json:"findings,omitempty"`    // of the last report, about the whole
	Blocked    bool            `json:"blocked,omitempty"`     // whole, by a person or a Critical change
	BlockedBy  string          `json:"blocked_by,omitempty"`  // "person", "critical"
	Noisy      []time.Time     `json:"noisy,omitempty"`       // when items came and went, the last day
	Number     int             `json:"number,omitempty"`      // "server 3", where the name may not stand in a sentence
	FirstUse   time.Time       `json:"first_use,omitzero"`    // when first use was decided; zero while nobody has looked
	Sandbox    string          `json:"sandbox,omitempty"`     // what it ran under when it last declared itself
	Program    *Program        `json:"program,omitempty"`     // what its command runs, as it was last seen
	Asks       []Asked         `json:"asks,omitempty"`        // decisions over what it asks its clients for, the newest last
	Versions   *vocab.Versions `json:"versions,omitempty"`    // of its last start, where there was no common protocol version
	Extra      json.RawMessage `json:"extra,omitempty"`       // what a later version adds
}

// Program is what a server's command runs, and since when it is that.
type Program struct {
	Fingerprint string    `json:"fingerprint"` // in hex
	Since       time.Time `json:"since"`
}

// Asked is a person's decision over a request of a server, or over all of its kind where Digest is "".
type Asked struct {
	Part    string    `json:"part"` // "interaction:sampling"
	Digest  string    `json:"digest,omitempty"`
	Allowed bool      `json:"allowed"`
	Code    string    `json:"code"` // inbox item of the decision
	At      time.Time `json:"at"`
}

// ServerID is the identity of a server: SHA-256 over transport and exact identifier, in hex. Every part is written with its
// length, so that no two vectors join to one string.
func ServerID(transport string, argv []string, url string) string {
	h := sha256.New()
	write := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	write(transport)
	write(url)
	for _, a := range argv {
		write(a)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// PutServer writes a server whole.
func (tx *Tx) PutServer(s Server) error {
	tx.rolled = true
	return tx.put(bucketServers, []byte(s.ID), s)
}

// Server is one server; ErrNotFound, or ErrSeal if something else wrote it (then nothing of it may be trusted).
func (tx *Tx) Server(id string) (Server, error) {
	var s Server
	err := tx.get(bucketServers, []byte(id), &s)
	return s, err
}

// Servers are all servers whose seal holds, by id. Tampered names the others.
func (tx *Tx) Servers() ([]Server, error) {
	return list[Server](&tx.sealed, bucketServers, nil)
}

// DeleteServer forgets a server with its pins and seen definitions. Its history stays.
func (tx *Tx) DeleteServer(id string) error {
	tx.rolled = true
	if err := tx.delete(bucketServers, []byte(id)); err != nil {
		return err
	}
	prefix, err := serverPrefix(id)
	if err != nil {
		return err
	}
	for _, bucket := range [][]byte{bucketPins, bucketSeen} {
		if err := tx.deletePrefix(bucket, prefix); err != nil {
			return err
		}
	}
	return nil
}
