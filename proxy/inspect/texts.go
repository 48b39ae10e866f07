package inspect

import (
	"iter"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// The rules of findings that guardrail providers cause. The provider's name follows the prefix.
const (
	GuardrailPrefix = "guardrail:"
	GuardrailFailed = "guardrail_failed" // a provider could not judge a text
)

// longName is the length from which the name of a member can say something to a model, even in one word.
const longName = 24

// Texts are the strings of a response that Answer reads, in order, for a detector that takes plain text: values, text inside base64, and
// names of members unless they are one short word, as nearly all are. raw must have passed frame.Validate or frame.Scan.
func Texts(raw []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		var r reading
		r.strings(raw, &texts{yield: yield})
	}
}

// texts passes strings on until nobody wants more.
type texts struct {
	yield func(string) bool
	ended bool
}

func (t *texts) read(r *reading, text string, key bool) {
	if t.ended || text == "" || key && len(text) < longName && word(text) {
		return
	}
	if !key && (r.key("blob") || r.key("data")) && len(text) >= decode.MinBlob {
		if v, is := decode.Content(text); is {
			if v == nil {
				return // neither is an image read by Answer
			}
			text = v.Text
		}
	}
	t.ended = !t.yield(strings.Clone(text)) // text may point into a buffer
}
