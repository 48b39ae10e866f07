package issuer

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"
)

// Visit opens an address as a person's browser does: it follows every redirect, to the program that wanted the sign-in in the end, and gives back the
// text of the last page. Names lead to this computer.
func (i *Issuer) Visit(ctx context.Context, page string) (text string, status int, err error) {
	t := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, dialLoopback(to))
		},
	}
	if i.o.Authority != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: i.o.Authority.Pool, MinVersion: tls.VersionTLS12}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return "", 0, err
	}
	got, err := (&http.Client{Transport: t, Timeout: 20 * time.Second}).Do(r)
	if err != nil {
		return "", 0, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	return string(body), got.StatusCode, err
}
