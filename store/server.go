package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Server is one server, identified by transport and identifier. The entry's name in a client's file is only for display.
type Server struct {
	ID         string          `json:"id"`       // ServerID of the exact transport and identifier
	Identity   string          `json:"identity"` // for people: "stdio:npx -y …", secrets masked
	Transport  string          `json:"transport"`
	Argv       []string        `json:"argv,omitempty"`
	URL        string          `json:"url,omitempty"`
	Name       string          `json:"name"`
	Names      []string        `json:"names,omitempty"` // other names it ran under
	Clients    []string        `json:"clients,omitempty"`
	FirstSeen  time.Time       `json:"first_seen"`
	LastSeen   time.Time       `json:"last_seen"`
	Protocol   string          `json:"protocol,omitempty"`    // last negotiated MCP version
	Era        string          `json:"era,omitempty"`         // era of the last report
	ServerInfo json.RawMessage `json:"server_info,omitempty"` // recorded and shown, not pinned
	Findings   json.RawMessage `json:"findings,omitempty"`    // of the last report, about the whole
	Blocked    bool            `json:"blocked,omitempty"`     // as a whole, by a person or a Critical change
	BlockedBy  vocab.By        `json:"blocked_by,omitempty"`
	Noisy      []time.Time     `json:"noisy,omitempty"`    // times when items came and went, during the last day
	Number     int             `json:"number,omitempty"`   // "server 3", if the name can't be used in a sentence
	FirstUse   time.Time       `json:"first_use,omitzero"` // when first use was decided; zero before the first review
	Sandbox    vocab.Sandbox   `json:"sandbox,omitempty"`  // its sandbox when it last declared itself
	Program    *Program        `json:"program,omitempty"`  // what its command was last seen to run
	Asks       []Asked         `json:"asks,omitempty"`     // decisions about its requests to clients, newest last
	Versions   *vocab.Versions `json:"versions,omitempty"` // of its last start, if there was no common protocol version
	Eras       *Eras           `json:"eras,omitempty"`     // in which its process is known to answer
	// InEra is what it last said of itself in each era. Protocol, Era and ServerInfo are those of the report that last changed anything,
	// Findings are those of both eras together.
	InEra map[string]InEra `json:"in_era,omitempty"`
	// Issuer is where a person last signed in to it; it stays when the sign-in ends.
	Issuer string          `json:"issuer,omitempty"`
	Extra  json.RawMessage `json:"extra,omitempty"` // fields of later versions
}

// Remote reports whether it is reached at an address, by its identity: no program of it runs here.
func (s Server) Remote() bool { return strings.HasPrefix(s.Identity, "url:") }

// Eras are the eras in which a server's process answered, as long as it is this program.
type Eras struct {
	vocab.Eras
	Program string `json:"program,omitempty"` // its fingerprint; "" if unknown, and of a remote server
}

// InEra is what a server said of itself as a whole in one protocol era.
type InEra struct {
	Protocol   string          `json:"protocol,omitempty"`
	ServerInfo json.RawMessage `json:"server_info,omitempty"`
	Findings   json.RawMessage `json:"findings,omitempty"`
	Program    string          `json:"program,omitempty"` // fingerprint of what ran, "" if unknown
}

// Program is what a server's command runs, and since when.
type Program struct {
	Fingerprint string    `json:"fingerprint"` // in hex
	Since       time.Time `json:"since"`
}

// Asked is a person's decision about a request of a server, or about all of its kind if Digest is "".
type Asked struct {
	Part    string    `json:"part"` // "interaction:sampling"
	Digest  string    `json:"digest,omitempty"`
	Allowed bool      `json:"allowed"`
	Code    string    `json:"code"` // inbox item of the decision
	At      time.Time `json:"at"`
}

// ServerID is the identity of a server: SHA-256 over transport and exact identifier, in hex. Every part is written with its length, so that
// no two argument vectors have the same input.
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

func (tx *Tx) PutServer(s Server) error {
	return tx.put(bucketServers, []byte(s.ID), s)
}

// Server is one server; ErrNotFound, or ErrSeal if something else wrote it (then trust nothing in it).
func (tx *Tx) Server(id string) (Server, error) {
	var s Server
	err := tx.get(bucketServers, []byte(id), &s)
	return s, err
}

// Servers are all servers with a valid seal, by id. Tampered names the others.
func (tx *Tx) Servers() []Server {
	return list[Server](&tx.sealed, bucketServers, nil)
}
