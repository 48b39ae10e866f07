package app

import (
	"bytes"
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// HeldParams are what was asked for when a held answer came, secrets included: for the window alone, where a person looks at
// one of them. They are on no socket.
func (h *Hub) HeldParams(code, digest string) (params []byte, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.usable(); err != nil {
		return nil, err
	}
	err = h.store.View(func(tx *store.Tx) error {
		_, one, err := h.heldItemOf(tx, code, digest)
		if err != nil {
			return err
		}
		text, err := tx.HeldText(one)
		if absent(err) {
			return answer(control.CodeStale, "the text of %s is not kept any more", one.Code)
		}
		params = text.Params
		return err
	})
	return params, h.failed(err)
}

// maskParams is what was asked for as a person is shown it, in its own order. What stands under the name of a secret is one as a
// whole: a passphrase has spaces in it.
func maskParams(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out bytes.Buffer
	if maskNext(d, &out, false) != nil {
		return nil
	}
	return out.Bytes()
}

// maskNext writes the next value. secret: it stands under the name of one.
func maskNext(d *json.Decoder, out *bytes.Buffer, secret bool) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case string:
		switch {
		case secret && v != "":
			v = masked
		default:
			v = maskText(v, nil)
		}
		out.WriteString(plainJSON(v))
		return nil
	case json.Delim:
		out.WriteRune(rune(v))
		for i := 0; d.More(); i++ {
			if i > 0 {
				out.WriteByte(',')
			}
			within := secret
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				name, _ := key.(string)
				within = within || secretName().MatchString(name)
				out.WriteString(plainJSON(name) + ":")
			}
			if err := maskNext(d, out, within); err != nil {
				return err
			}
		}
		end, err := d.Token()
		if err != nil {
			return err
		}
		delim, _ := end.(json.Delim)
		out.WriteRune(rune(delim))
		return nil
	default:
		out.WriteString(plainJSON(v))
		return nil
	}
}
