package main

import (
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/address"
)

// The package that edits clients' files has words of its own for what is wrong with an address. An entry that one takes and the other refuses would
// be guarded and never start.
func TestProtectAndWrapAgreeOnAddresses(t *testing.T) {
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
