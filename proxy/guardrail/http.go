package guardrail

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// Formats of a service, as guardrail.http.format names them.
const (
	FormatSallyport = "sallyport" // the request as JSON, the answer as JSON
	FormatOpenAI    = "openai"    // a chat completion of an OpenAI-compatible server
)

// HTTPConfig is a service that judges texts.
type HTTPConfig struct {
	URL    string
	Format string // "" means FormatSallyport
	Model  string // for FormatOpenAI
	// Key is asked before each request; nil or "" means that none is sent. Its error is shown, so it must not have the key in it.
	Key func(context.Context) (string, error)
}

// HTTP is a Provider: it posts each request to one address. It follows no redirect: a text goes where a person said and nowhere else.
type HTTP struct {
	config HTTPConfig
	target string
	remote bool
	client *http.Client
	life   context.Context // ends with Close
	end    context.CancelFunc
}

// atOnce is how many pieces of one text are sent at the same time: a model takes seconds for one, and all must be judged in one timeout.
const atOnce = 4

// maxHeader is more than an honest service sends before its answer.
const maxHeader = 32 << 10

// NewHTTP connects to nothing yet. The error is one line in our words.
func NewHTTP(config HTTPConfig) (*HTTP, error) {
	address, loopback, err := readAddress(config.URL)
	if err != nil {
		return nil, err
	}
	switch config.Format {
	case FormatSallyport, "":
	case FormatOpenAI:
		if config.Model == "" {
			return nil, errors.New("the format openai needs a model: set guardrail.http.model")
		}
		address = chatCompletions(address)
	default:
		return nil, errors.New("its format is neither sallyport nor openai")
	}
	carrier := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DisableCompression:     true, // 64 KiB are 64 KiB
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    atOnce,
	}
	if loopback {
		carrier.Proxy = nil
		dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error { return onlyLoopback(address) }}
		carrier.DialContext = dialer.DialContext
	}
	h := &HTTP{config: config, target: address.String(), remote: !loopback, client: &http.Client{
		Transport:     carrier,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	h.life, h.end = context.WithCancel(context.Background())
	return h, nil
}

// Remote reports whether texts leave this computer.
func (h *HTTP) Remote() bool { return h.remote }

func (h *HTTP) Close() {
	h.end()
	h.client.CloseIdleConnections()
}

func (h *HTTP) width() int { return atOnce }

func (h *HTTP) Ask(ctx context.Context, r Request) (Answer, error) {
	if h.life.Err() != nil {
		return Answer{}, errClosed
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	raw, err := h.post(asking, &r)
	switch {
	case err == nil:
	case h.life.Err() != nil:
		return Answer{}, errClosed
	case ctx.Err() != nil:
		return Answer{}, ended(ctx, errTime)
	default:
		return Answer{}, err
	}
	if h.config.Format == FormatOpenAI {
		if raw, err = completion(raw); err != nil {
			return Answer{}, err
		}
	}
	return readAnswer(raw, r.ID)
}

// post returns the body of a good answer. Every error is a *Failure.
func (h *HTTP) post(ctx context.Context, r *Request) ([]byte, error) {
	request, err := h.request(ctx, r)
	if err != nil {
		return nil, err
	}
	response, err := h.client.Do(request)
	if err != nil {
		return nil, &Failure{explainHTTP(err)}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		reason := "answered with status " + strconv.Itoa(response.StatusCode) + " instead of 200"
		if response.StatusCode/100 == 3 {
			reason += " (redirects are not followed)"
		}
		return nil, &Failure{reason}
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	switch {
	case len(raw) > MaxAnswer:
		return nil, tooLong
	case err != nil:
		return nil, &Failure{"broke off in the middle of its reply"}
	}
	return raw, nil
}

func (h *HTTP) request(ctx context.Context, r *Request) (*http.Request, error) {
	body, err := json.Marshal(r)
	if err == nil && h.config.Format == FormatOpenAI {
		body, err = chat(h.config.Model, body)
	}
	if err != nil { // it can't happen: the request is strings
		return nil, &Failure{"can't be asked about this text"}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.target, bytes.NewReader(body))
	if err != nil {
		return nil, &Failure{"its address can't be asked"}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "sallyport")
	if h.config.Key == nil {
		return request, nil
	}
	key, err := h.config.Key(ctx)
	if err != nil {
		return nil, &Failure{"its key can't be read: " + err.Error()}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, &Failure{"its key holds a character that a key can't have, such as a line break"}
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return request, nil
}

// explainHTTP says in our words why there was no response. The library's text may quote what the service sent, so it is never used.
func explainHTTP(err error) string {
	var (
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		alert    tls.AlertError
		resolver *net.DNSError
		network  *net.OpError
		address  *url.Error
	)
	switch {
	case errors.Is(err, errLeadsAway):
		return errLeadsAway.Error()
	case errors.As(err, &name):
		return "its TLS certificate is for another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its TLS certificate has expired or is not valid yet"
	case errors.As(err, &unknown):
		return "its TLS certificate is from an authority that this computer does not trust"
	case errors.As(err, &verify):
		return "its TLS certificate is not valid"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "does not speak TLS at this address"
	case errors.As(err, &alert):
		return "refused the TLS connection"
	case errors.As(err, &resolver):
		return "its host can't be found"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "does not listen at its address: start it, or correct the address"
	case errors.As(err, &network) && network.Op == "dial":
		return "can't be reached"
	case errors.As(err, &address) && address.Timeout():
		return errTime.Reason
	}
	return "sent no HTTP response"
}
