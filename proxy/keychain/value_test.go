package keychain

import (
	"slices"
	"strings"
	"testing"
)

func TestValuesThatAreNone(t *testing.T) {
	for _, value := range []string{"x", "with space", "ü", strings.Repeat("v", MaxValue)} {
		if err := CheckValue(value); err != nil {
			t.Errorf("%.20q: %v", value, err)
		}
	}
	for _, value := range []string{"", "secret\n", "se\rcret", "se\x00cret", "secret\xff", "\x1b[200~secret", "secret\x7f", strings.Repeat("secret", MaxValue)} {
		err := CheckValue(value)
		if err == nil {
			t.Errorf("%.20q is taken for a value", value)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%.20q: %v has the value in it", value, err)
		}
	}
}

// The form of `security dump-keychain`, as Apple's open source of the program prints it. It has never been compared with a Mac here.
func TestTheNamesInADumpOfAMacsKeychainAreThoseOfOneService(t *testing.T) {
	dump := entry("sallyport.0011", "secret.openai") + entry("sallyport.0011", "seal.head") + entry("sallyport.2233", "secret.other") +
		entry("com.example", "secret.theirs") + entry("sallyport.0011", "secret.b")
	if got := accountsIn([]byte(dump), "sallyport.0011", "secret."); !slices.Equal(got, []string{"openai", "b"}) {
		t.Errorf("got %q", got)
	}
	if got := accountsIn(nil, "sallyport.0011", "secret."); got != nil {
		t.Errorf("got %q from nothing", got)
	}
}

func entry(service, account string) string {
	return `keychain: "/Users/me/Library/Keychains/login.keychain-db"
version: 512
class: "genp"
attributes:
    0x00000007 <blob>="` + service + `"
    "acct"<blob>="` + account + `"
    "cdat"<timedate>=0x32303236303130313132303030305A00  "20260101120000Z\000"
    "desc"<blob>=<NULL>
    "svce"<blob>="` + service + `"
    "type"<uint32>=<NULL>
`
}

func TestExitCodesOfSecurity(t *testing.T) {
	for code, want := range map[int]error{44: ErrNotFound, 36: ErrLocked, 50: ErrAbsent, 37: ErrAbsent, 51: ErrRefused, 128: ErrRefused, 1: ErrRefused} {
		if err := exitMeans(code); !isError(err, want) {
			t.Errorf("%d: %v, want %v", code, err, want)
		}
	}
}
