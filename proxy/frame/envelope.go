package frame

// field is a member of the envelope.
type field uint8

const (
	fieldNone field = iota
	fieldVersion
	fieldID
	fieldMethod
	fieldParams
	fieldResult
	fieldError
	fieldName // of params
	fieldCount
)

// message reads the whole line as one JSON-RPC message.
func (s *scanner) message() *Problem {
	raw := s.raw
	i := skipSpace(raw, 0)
	if i == len(raw) {
		return parseProblem("an empty line", i)
	}
	if p := firstByte(raw, i); p != nil {
		return p
	}
	if raw[i] == '[' {
		return invalidProblem("a batch; batches are not part of this protocol", i)
	}
	if p := s.document(placeEnvelope); p != nil {
		return p
	}
	if raw[i] != '{' {
		return invalidProblem("not an object", i)
	}
	return s.envelope(i)
}

// envelope applies JSON-RPC's rules to the members that were found. at is where the object starts.
func (s *scanner) envelope(at int) *Problem {
	version, method := s.spans[fieldVersion], s.spans[fieldMethod]
	params, result, failure := s.spans[fieldParams], s.spans[fieldResult], s.spans[fieldError]
	switch {
	case version.Empty():
		return invalidProblem("no jsonrpc member", at)
	case !s.stringIs(version, "2.0"):
		return invalidProblem(`jsonrpc is not "2.0"`, version.Start)
	case !result.Empty() && !failure.Empty():
		return invalidProblem("both result and error", failure.Start)
	case !method.Empty() && !(result.Empty() && failure.Empty()):
		return invalidProblem("method together with result or error", method.Start)
	case method.Empty() && result.Empty() && failure.Empty():
		return invalidProblem("none of method, result, error", at)
	}
	if method.Empty() {
		return nil
	}
	if !params.Empty() && s.raw[params.Start] != '{' && s.raw[params.Start] != '[' {
		return invalidProblem("params is neither object nor array", params.Start)
	}
	if s.raw[method.Start] != '"' {
		return invalidProblem("method is not a string", method.Start)
	}
	content := s.raw[method.Start+1 : method.End-1]
	if hasEscape(content) {
		s.methodBuffer, _ = appendUnescaped(s.methodBuffer[:0], content, replaceLone)
		content = s.methodBuffer
	}
	s.method = content[:len(content):len(content)]
	return nil
}

func (s *scanner) stringIs(v Span, text string) bool {
	content, ok := quoted(v.Of(s.raw))
	return ok && keyIs(content, text)
}

// envelopeField maps a key to a member of the envelope. ok is false for a known key in another case.
func (s *scanner) envelopeField(key []byte, tr traits) (f field, ok bool) {
	if tr != 0 {
		s.decoded[0] = appendKey(s.decoded[0][:0], key, false)
		key = s.decoded[0]
	}
	switch string(key) {
	case "jsonrpc":
		return fieldVersion, true
	case "id":
		return fieldID, true
	case "method":
		return fieldMethod, true
	case "params":
		return fieldParams, true
	case "result":
		return fieldResult, true
	case "error":
		return fieldError, true
	}
	switch string(s.folded(key)) {
	case "jsonrpc", "id", "method", "params", "result", "error":
		return fieldNone, false
	}
	return fieldNone, true
}

// paramsKey returns the place of the value of a key directly in params. ok is false for a known key in another case.
func (s *scanner) paramsKey(key []byte, tr traits) (child place, ok bool) {
	if tr != 0 {
		s.decoded[0] = appendKey(s.decoded[0][:0], key, false)
		key = s.decoded[0]
	}
	switch string(key) {
	case "arguments":
		if s.dir == FromClient {
			return placeExact, true
		}
		return placeOther, true
	case "context":
		if s.dir == FromClient {
			return placeContext, true
		}
		return placeOther, true
	case "name", "uri", "_meta":
		return placeOther, true
	}
	folded := s.folded(key)
	spelling, known := knownParam(folded)
	if known && spelling == "" {
		return placeOther, string(folded) == string(key)
	}
	return placeOther, !known || spelling == string(key)
}

// contextKey returns the place of the value of a key directly in a client's params.context.
func (s *scanner) contextKey(key []byte, tr traits) place {
	if tr != 0 {
		s.decoded[0] = appendKey(s.decoded[0][:0], key, false)
		key = s.decoded[0]
	}
	if string(key) == "arguments" {
		return placeExact
	}
	return placeOther
}

// folded is an unescaped key under case folding.
func (s *scanner) folded(key []byte) []byte {
	s.decoded[1] = append(s.decoded[1][:0], key...)
	s.decoded[1] = foldInPlace(s.decoded[1], 0)
	return s.decoded[1]
}

// knownParam looks up a folded key directly in params, in any protocol version, and returns the protocol's spelling; "" if that equals the
// folded form.
func knownParam(folded []byte) (spelling string, known bool) {
	switch string(folded) {
	case "_meta", "action", "argument", "arguments", "capabilities", "content", "context", "cursor", "data", "description",
		"error", "level", "logger", "message", "messages", "metadata", "mode", "model", "name", "notifications", "progress",
		"reason", "ref", "roots", "status", "task", "temperature", "tools", "total", "ttl", "uri", "uris", "url":
		return "", true
	case "clientinfo":
		return "clientInfo", true
	case "createdat":
		return "createdAt", true
	case "elicitationid":
		return "elicitationId", true
	case "includecontext":
		return "includeContext", true
	case "inputresponses":
		return "inputResponses", true
	case "lastupdatedat":
		return "lastUpdatedAt", true
	case "maxtokens":
		return "maxTokens", true
	case "modelpreferences":
		return "modelPreferences", true
	case "pollinterval":
		return "pollInterval", true
	case "progresstoken":
		return "progressToken", true
	case "protocolversion":
		return "protocolVersion", true
	case "requestedschema":
		return "requestedSchema", true
	case "requestid":
		return "requestId", true
	case "requeststate":
		return "requestState", true
	case "statusmessage":
		return "statusMessage", true
	case "stopsequences":
		return "stopSequences", true
	case "systemprompt":
		return "systemPrompt", true
	case "taskid":
		return "taskId", true
	case "toolchoice":
		return "toolChoice", true
	}
	return "", false
}
