package main

import (
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/transport/remote"
)

// The package that edits clients' files may not know the transport, so each has the rule. An entry that one takes and the other refuses would be
// guarded and never start.
func TestProtectAndWrapAgreeOnHeadersAndAddresses(t *testing.T) {
	for _, name := range []string{
		"Authorization", "authorization", "X-Api-Key", "x_y", "!#$%&'*+-.^_`|~", "Host", "host", "CONNECTION", "Transfer-Encoding", "te", "Upgrade", "trailer", "Cookie", "Set-Cookie",
		"Origin", "last-event-id", "Content-Type", "content-x", "Contents", "Accept", "accept-encoding", "Acceptable", "Mcp-Session-Id", "mcp-x", "Mcp", "MCP-Protocol-Version",
		"", " ", "A B", "A:B", "A\r\nB", "\u00e4", "A\x00", "Te-X", "Proxy-Authorization",
	} {
		_, err := remote.ParseHeader(name + ": env:X")
		if name == "A:B" { // wrap would read another name and another value
			continue
		}
		if taken := clientconfig.HeaderTaken(name); taken != (err == nil) {
			t.Errorf("%q: protect takes it: %t, wrap: %v", name, taken, err)
		}
	}
	for _, spelled := range []string{
		"https://h.example/", "https://h.example", "http://localhost:1/x?y", "HTTPS://H.example/", "ftp://h.example/", "h.example", "", "https://", "https:///x", "https://u@h.example/",
		"https://u:p@h.example/", "https://h.example/#x", "https://h.example/#", "https://h.example/ x", "https://h.example/\u00e4", "https://h.example:x/", "https://[::1]/", "https://h.example/%zz", "//h.example/", "https:h.example",
	} {
		_, err := address.Parse(spelled)
		if why := clientconfig.AddressProblem(spelled); (why == "") != (err == nil) {
			t.Errorf("%q: protect says %q, wrap %v", spelled, why, err)
		}
	}
}
