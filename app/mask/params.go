package mask

import (
	"bytes"
	"encoding/json"
)

// Params are request parameters for a person, in their own order. A value under the name of a secret is masked as a whole: a passphrase has
// spaces in it.
func Params(raw []byte, secrets []string) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out bytes.Buffer
	if maskNext(d, &out, false, secrets) != nil {
		return nil
	}
	return out.Bytes()
}

// maskNext writes the next value. secret: its name is that of a secret.
func maskNext(d *json.Decoder, out *bytes.Buffer, secret bool, secrets []string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case string:
		if v = Text(v, secrets); secret && v != "" {
			v = Mark
		}
		out.WriteString(PlainJSON(v))
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
				out.WriteString(PlainJSON(name) + ":")
			}
			if err := maskNext(d, out, within, secrets); err != nil {
				return err
			}
		}
		end, err := d.Token()
		if err != nil {
			return err
		}
		delim, _ := end.(json.Delim)
		out.WriteRune(rune(delim))
	default:
		out.WriteString(PlainJSON(v))
	}
	return nil
}
