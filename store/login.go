package store

// Login is the detail of an item about a sign-in that a remote server wants. No token is in it.
type Login struct {
	Issuer     string   `json:"issuer,omitempty"` // "" while the person has to choose among Issuers
	Page       string   `json:"page,omitempty"`   // origin of the page that will be opened
	Scopes     []string `json:"scopes,omitempty"`
	Registered string   `json:"registered,omitempty"` // own, document or dynamic
	Issuers    []string `json:"issuers,omitempty"`
	Digest     string   `json:"digest"`           // of all of this and of the resource
	Before     string   `json:"before,omitempty"` // the issuer of the sign-in that there was
	Had        []string `json:"had,omitempty"`    // the scopes of the sign-in that is not enough
}
