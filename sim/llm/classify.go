package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxErrorBody is how much of a failed reply an error keeps.
const maxErrorBody = 2 << 10

// statusOf gives the status that a kind stands for where the reply has none.
var statusOf = map[Kind]int{
	KindRateLimit: 429, KindQuota: 402, KindAuth: 401, KindBadRequest: 400,
	KindContextWindow: 400, KindContentFilter: 400, KindServer: 502,
}

// leadingField is how Anthropic's messages begin where they are about one field.
var leadingField = regexp.MustCompile(`^([a-z][a-z_]*(?:\.[a-z0-9_]+)*): `)

// classify turns a failed reply into an error, by the rows of failures. status is the HTTP status, or 200 if the body of a
// successful reply turned out to be an error. The message is never empty. It is total: any body yields an error.
func (m Models) classify(status int, h http.Header, body []byte, now time.Time) *Error {
	d := readErrorBody(body)
	if len(d.texts) == 0 {
		d.texts = []string{plainText(body)}
	}
	e := &Error{
		Status:      status,
		Code:        d.code,
		Message:     d.message,
		Param:       d.param,
		RetryAfter:  max(retryAfter(h, now), d.retry),
		RequestID:   requestID(h),
		ContentType: h.Get("Content-Type"),
		Body:        excerpt(body),
	}
	if e.Code == "" {
		e.Code = d.kind
	}
	if status < 300 {
		e.Status = d.status
	}
	kind, known := m.kindOf(d, e.Status)
	e.Kind, e.Unknown = kind, !known
	if e.Status == 0 {
		e.Status = statusOf[e.Kind]
	}
	if e.Param == "" && strings.EqualFold(d.kind, "invalid_request_error") {
		if m := leadingField.FindStringSubmatch(e.Message); m != nil {
			e.Param = m[1]
		}
	}
	if e.Message == "" {
		e.Message = plainText(body)
	}
	if e.Message == "" {
		e.Message = "the endpoint gave no reason"
		if t := http.StatusText(e.Status); t != "" {
			e.Message = t
		}
	}
	if status >= 300 && status < 400 {
		e.Message = fmt.Sprintf("redirected to %q, which is not followed: set base_url to the final address", h.Get("Location"))
	}
	return e
}

// errorDetail is what the many shapes of error bodies have in common.
type errorDetail struct {
	message, code, kind, param string
	depth                      int // of the message within the body
	status                     int // a numeric code in 400…599
	retry                      time.Duration
	codes, texts               []string // all that the error calls itself, and all that it says
}

// says is all that the error says, one text to a line.
func (d errorDetail) says() string {
	return strings.ReplaceAll(strings.Join(d.texts, " "), "\n", " ") + "\n" + strings.Join(d.codes, "\n")
}

// What error bodies call their parts. Parts of aside tell more of an error, which keeps its own message.
var (
	textKeys  = []string{"message", "msg", "detail", "error_description", "error_message", "error_msg", "status_msg", "error", "raw"}
	codeKeys  = []string{"code", "type", "status", "reason", "error_type", "status_code", "error_code", "err_code", "__type"}
	innerKeys = []string{"error", "errors", "detail", "fault", "base_resp", "response"}
	asideKeys = []string{"metadata", "raw", "details", "innererror", "inner_error", "cause"}
)

// deepest is how far errors are nested at most.
const deepest = 6

// readErrorBody reads the error out of a body of any known shape: an object with an error object or string, a list of such
// objects, a flat object, a validation report, an upstream's error within. What it does not know it leaves empty.
func readErrorBody(body []byte) errorDetail {
	var d errorDetail
	if json.Valid(body) {
		d.read(string(bytes.TrimSpace(body)), 1, false)
	}
	return d
}

// read takes what it finds in an object, a list of objects or a text that holds JSON. What an inner object says is kept
// over what the outer one said.
func (d *errorDetail) read(raw string, depth int, aside bool) {
	if list, ok := listOf(raw); ok {
		for _, item := range list {
			d.read(item, depth, aside)
		}
		return
	}
	if inner := textOf(raw); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
		raw = inner
	}
	o, ok := objectOf(raw)
	if !ok || depth > deepest {
		return
	}
	d.readTexts(o, depth, aside)
	d.readCodes(o, aside)
	if t, err := time.ParseDuration(scalar(o.get("retryDelay"))); err == nil {
		d.retry = clampWait(t)
	}
	for _, key := range innerKeys {
		d.read(o.get(key), depth+1, aside)
	}
	for _, key := range asideKeys {
		d.read(o.get(key), depth+1, true)
	}
}

func (d *errorDetail) readTexts(o object, depth int, aside bool) {
	for _, key := range textKeys {
		s := scalar(o.get(key))
		if s == "" || strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
			continue
		}
		d.texts = append(d.texts, s)
		switch {
		case !aside && depth > d.depth:
			d.message, d.depth = s, depth
		case key == "raw":
			d.message = strings.TrimSpace(d.message + ": " + s)
		}
	}
}

func (d *errorDetail) readCodes(o object, aside bool) {
	if o.get("flagged_input") != "" { // what a moderation layer says about the prompt
		d.codes = append(d.codes, "flagged_input")
	}
	for _, key := range codeKeys {
		s := scalar(o.get(key))
		if s == "" {
			continue
		}
		d.codes = append(d.codes, s)
		n, err := strconv.Atoi(s)
		switch {
		case err == nil && n >= 400 && n <= 599:
			if !aside {
				d.status = n
			}
		case aside || s == "error" || s == "0":
		case strings.Contains(key, "code"):
			d.code = s
		default:
			d.kind = s
		}
	}
	if s := scalar(o.get("param")); s != "" && !aside {
		d.param = s
	}
}

var (
	scriptOrStyle = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>`)
	tag           = regexp.MustCompile(`(?s)<[^>]*>`)
)

// plainText makes one short line out of a body that is not a known error
// object, such as an HTML page.
func plainText(body []byte) string {
	if len(body) > 4*maxErrorBody {
		body = body[:4*maxErrorBody]
	}
	s := tag.ReplaceAllString(scriptOrStyle.ReplaceAllString(string(body), " "), " ")
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return clip(s, 200)
}

// excerpt keeps the first 2 KB of a body as valid text.
func excerpt(body []byte) string {
	return clip(strings.ToValidUTF8(string(body[:min(len(body), maxErrorBody+4)]), "\uFFFD"), maxErrorBody)
}

// clip cuts s to at most n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

func requestID(h http.Header) string {
	for _, key := range []string{"X-Request-Id", "Request-Id", "X-Amzn-Requestid", "Apim-Request-Id", "Cf-Ray"} {
		if v := h.Get(key); v != "" {
			return clip(v, 200)
		}
	}
	return ""
}
