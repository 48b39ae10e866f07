package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sallyport/sallyport/proxy/address"
)

// elsewhere is another origin, which must see no connection.
func elsewhere(t *testing.T) (address string, visits *atomic.Int32) {
	visits = new(atomic.Int32)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inJSON(w, result) }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			visits.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, visits
}

func TestNothingIsSentToAnotherOrigin(t *testing.T) {
	there, visits := elsewhere(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
			w.Header().Set("Location", there+"/mcp")
			w.WriteHeader(status)
		})
		s := greeted(t, address)
		s.say(call)
		s.wantsError("redirects to "+there, "nothing was sent")
	}
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", there)
	}))
	t.Cleanup(older.Close)
	s := open(t, older.URL, func(o *Options) { o.Kind = Events })
	s.say(initialize)
	s.wantsError("wants messages at "+there, "nothing was sent")
	if visits.Load() != 0 {
		t.Errorf("the other origin saw %d connections", visits.Load())
	}
}

func TestARedirectWithinTheOriginKeepsTheMessage(t *testing.T) {
	for _, status := range []int{307, 308} {
		var bodies []string
		address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
			if r.URL.Path != "/new" {
				http.Redirect(w, r, "/new", status)
				return
			}
			bodies = append(bodies, body)
			inJSON(w, result)
		})
		s := greeted(t, address)
		s.say(call)
		s.wants(result)
		if !slices.Equal(bodies, []string{call}) {
			t.Errorf("%q", bodies)
		}
	}
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusPermanentRedirect)
	})
	s := greeted(t, address)
	s.say(call)
	s.wantsError("redirects within itself", "use the last address")
}

func TestWhereAnAddressMayLead(t *testing.T) {
	for _, c := range []struct {
		name, url string
		leads     []string
		plaintext bool
		words     string // of the refusal; "" for none
	}{
		{"http to this computer", "http://here.example/", []string{"127.0.0.1", "::1"}, false, ""},
		{"http to another computer", "http://there.example/", []string{"192.0.2.1"}, false, "in the clear"},
		{"http to this computer and another", "http://both.example/", []string{"127.0.0.1", "192.0.2.1"}, false, "in the clear"},
		{"http to another computer, allowed", "http://there.example/", []string{"192.0.2.1"}, true, ""},
		{"https to another computer", "https://there.example/", []string{"192.0.2.1"}, false, ""},
		{"https to an inner address", "https://inner.example/", []string{"10.0.0.1"}, false, ""},
		{"the address of a cloud's metadata", "https://meta.example/", []string{"169.254.169.254"}, true, "no server has"},
		{"the same, mapped", "https://meta.example/", []string{"::ffff:169.254.169.254"}, true, "no server has"},
		{"a link-local address", "https://link.example/", []string{"fe80::1"}, true, "no server has"},
		{"any address of this computer", "http://zero.example/", []string{"0.0.0.0"}, true, "no server has"},
		{"a group of computers", "https://many.example/", []string{"224.0.0.1"}, true, "no server has"},
		{"nowhere", "https://none.example/", nil, false, "no address"},
	} {
		u, err := address.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		d := newDialer(u, func() bool { return c.plaintext }, nil)
		d.Lookup = func(context.Context, string) (all []netip.Addr, err error) {
			for _, ip := range c.leads {
				all = append(all, netip.MustParseAddr(ip))
			}
			return all, nil
		}
		var dialled []string
		d.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			return nil, errors.New("far enough")
		}
		_, err = d.connect(t.Context(), "tcp", net.JoinHostPort(u.Hostname(), address.Port(u)))
		no, refused := errors.AsType[*address.Refusal](err)
		if refused != (c.words != "") || refused && !strings.Contains(no.Reason, c.words) {
			t.Errorf("%s: %v", c.name, err)
		}
		if refused == (len(dialled) > 0) {
			t.Errorf("%s: dialled %q", c.name, dialled)
		}
	}
}

// A name that is safe when it is looked up first and leads elsewhere the second time (DNS rebinding) is connected to where it was checked.
func TestANameIsLookedUpOnceForAConnection(t *testing.T) {
	u, _ := url.Parse("http://rebinds.example/")
	d := newDialer(u, func() bool { return false }, nil)
	looks := 0
	d.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		looks++
		if looks == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
	}
	var dialled []string
	d.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, errors.New("far enough")
	}
	_, _ = d.connect(t.Context(), "tcp", "rebinds.example:80")
	if looks != 1 || !slices.Equal(dialled, []string{"127.0.0.1:80"}) {
		t.Errorf("%d looks, dialled %q", looks, dialled)
	}
	if _, err := d.connect(t.Context(), "tcp", "rebinds.example:80"); err == nil || len(dialled) != 1 {
		t.Errorf("the second time it dialled %q: %v", dialled, err)
	}
}

func TestAClassThatIsNotAllowedGetsNothingOnTheSecondLookEither(t *testing.T) {
	u, err := address.Parse("https://server.example/mcp")
	if err != nil {
		t.Fatal(err)
	}
	var judged []address.Class
	d := newDialer(u, func() bool { return false }, func(host string, class address.Class, _ string) error {
		judged = append(judged, class)
		if class != address.Public {
			return address.Refused("%s leads inwards", host)
		}
		return nil
	})
	leads, dialled := []string{"93.184.216.34", "127.0.0.1"}, 0
	d.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		ip := netip.MustParseAddr(leads[0])
		leads = leads[1:]
		return []netip.Addr{ip}, nil
	}
	d.Dial = func(context.Context, string, string) (net.Conn, error) {
		dialled++
		return nil, errors.New("no network here")
	}
	for range 2 {
		_, err = d.connect(t.Context(), "tcp", "server.example:443")
	}
	if dialled != 1 || len(judged) != 2 || err == nil || err.Error() != "server.example leads inwards" {
		t.Errorf("dialled %d times, judged %v: %v", dialled, judged, err)
	}
}

func TestAProxyIsJudgedByItsHostWithoutWhatItIsSignedInToWith(t *testing.T) {
	u, err := address.Parse("https://server.example/mcp")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, proxy, want string }{
		{"a proxy", "http://squid.example:3128", "proxied squid.example:3128"},
		{"one that wants a password", "http://me:hush@squid.example:3128/", "proxied squid.example:3128"},
		{"one of a container", "http://squid_1:3128", "proxied squid_1:3128"},
		{"one without a port", "http://[2001:db8::1]", "proxied [2001:db8::1]"},
		{"one whose name can't be shown", "http://squid!.example", "proxied "},
	} {
		judged := ""
		d := newDialer(u, func() bool { return false }, func(_ string, class address.Class, proxy string) error {
			judged = string(class) + " " + proxy
			return address.Refused("far enough")
		})
		d.through = func(*http.Request) (*url.URL, error) { return url.Parse(c.proxy) }
		if _, err := d.proxy(&http.Request{URL: u}); err == nil || judged != c.want {
			t.Errorf("%s: judged %q, want %q: %v", c.name, judged, c.want, err)
		}
	}
}
