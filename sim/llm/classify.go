package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxErrorBody is how much of a failed reply an error keeps.
const maxErrorBody = 2 << 10

// rule says what a failed reply is: one with any of these codes, with words that match, or with any of these statuses,
// and with the status where one is demanded.
type rule struct {
	kind     Kind
	codes    []string // in lower case: code, type or reason of the error
	words    *regexp.Regexp
	statuses []int
	only     func(status int) bool // nil for any
}

// rules are tried in order; the first that fits counts. Codes say more than the status: an empty account is a 429 at some
// providers, a full context window a 400 or a 500. Then come the sentences of servers without codes, then the status, and
// codes that only count where there is none, which is an error inside a 200 reply.
var rules = []rule{
	{kind: KindQuota, codes: []string{"insufficient_quota", "insufficient_balance", "billing_hard_limit_reached", "billing_not_active", "billing_error"}},
	{kind: KindContextWindow, codes: []string{"context_length_exceeded", "context_window_exceeded", "exceed_context_size_error", "string_above_max_length"}},
	{kind: KindContentFilter, codes: []string{"content_filter", "content_policy_violation", "responsibleaipolicyviolation", flaggedInput}},
	{kind: KindAuth, codes: []string{"invalid_api_key", "api_key_invalid", "authentication_error", "unauthenticated", "permission_denied",
		"permission_error", "unsupported_country_region_territory"}},
	{kind: KindContextWindow, only: func(status int) bool { return status != 429 }, words: regexp.MustCompile(`(?i)maximum context length|` +
		`context (window|length|size)[^.]{0,40}exceed|exceed[^.]{0,60}(context (window|length|size)|maximum number of tokens)|prompt is too long|input is too long`)},
	{kind: KindQuota, words: regexp.MustCompile(`(?i)credit balance is too low|insufficient (credits|balance|funds)`)},
	// One request that is larger than an account's limit for a whole minute is a 429, but waiting does not help.
	{kind: KindBadRequest, words: regexp.MustCompile(`(?i)request too large for [^.]{0,120}tokens per min`)},
	{kind: KindAuth, statuses: []int{401, 403}},
	{kind: KindQuota, statuses: []int{402}},
	{kind: KindTimeout, statuses: []int{408}},
	{kind: KindRateLimit, statuses: []int{429}},
	{kind: KindServer, statuses: []int{409, 423, 424, 425, 499}}, // a state of the server that passes
	{kind: KindRateLimit, only: absent, codes: []string{"rate_limit_exceeded", "rate_limit_error", "too_many_requests", "resource_exhausted"}},
	{kind: KindBadRequest, only: absent, codes: []string{"invalid_request_error", "invalid_argument", "badrequesterror", "not_found_error", "notfounderror",
		"model_not_found", "request_too_large"}},
}

func absent(status int) bool { return status == 0 }

// flaggedInput is among the codes for what a moderation layer says about the prompt.
const flaggedInput = "flagged_input"

func (r rule) fits(d errorDetail, status int) bool {
	if r.only != nil && !r.only(status) {
		return false
	}
	return slices.Contains(r.statuses, status) || r.words != nil && r.words.MatchString(d.message) ||
		slices.ContainsFunc(r.codes, func(c string) bool { return slices.Contains(d.codes(), c) })
}

// statusOf gives the status that a kind stands for where the reply has none.
var statusOf = map[Kind]int{
	KindRateLimit: 429, KindQuota: 402, KindAuth: 401, KindBadRequest: 400,
	KindContextWindow: 400, KindContentFilter: 400, KindServer: 502,
}

// leadingField is how Anthropic's messages begin where they are about one field.
var leadingField = regexp.MustCompile(`^([a-z][a-z_]*(?:\.[a-z0-9_]+)*): `)

// classify turns a failed reply into an error. status is the HTTP status, or
// 200 if the body of a successful reply turned out to be an error. The message
// is never empty. It is total: any body yields an error.
func classify(status int, h http.Header, body []byte, now time.Time) *Error {
	d := readErrorBody(body)
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
	e.Kind = d.decide(e.Status)
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
	message, code, kind, inner, param string
	status                            int // a numeric code in 400…599
	flagged                           bool
	retry                             time.Duration
}

// codes are all that an error calls itself, in lower case.
func (d errorDetail) codes() []string {
	out := []string{strings.ToLower(d.code), strings.ToLower(d.inner), strings.ToLower(d.kind)}
	if d.flagged {
		out = append(out, flaggedInput)
	}
	return out
}

// decide picks the kind.
func (d errorDetail) decide(status int) Kind {
	for _, r := range rules {
		if r.fits(d, status) {
			return r.kind
		}
	}
	if status == 0 || status >= 500 {
		return KindServer
	}
	return KindBadRequest
}

// readErrorBody reads the error out of a body of any known shape: an object
// with an error object or string, a list of such objects, a flat object, a
// validation report. What it does not know it leaves empty.
func readErrorBody(body []byte) errorDetail {
	var d errorDetail
	if !json.Valid(body) {
		return d
	}
	top := firstObject(string(bytes.TrimSpace(body)))
	d.read(top)
	for _, key := range []string{"error", "errors", "detail", "fault"} {
		raw := top.get(key)
		if inner := firstObject(raw); inner != nil {
			d.read(inner)
		} else if s := scalar(raw); s != "" && d.message == "" {
			d.message = s
		}
	}
	return d
}

// read takes what it finds in one object, keeping what an inner object says
// over what the outer one said.
func (d *errorDetail) read(o object) {
	for _, key := range []string{"message", "msg", "detail", "error_description"} {
		if s := scalar(o.get(key)); s != "" {
			d.message = s
			break
		}
	}
	if s := scalar(o.get("code")); s != "" {
		if n, err := strconv.Atoi(s); err == nil {
			d.setStatus(n)
		} else {
			d.code = s
		}
	}
	for _, key := range []string{"type", "status"} {
		s := scalar(o.get(key))
		if n, err := strconv.Atoi(s); err == nil {
			d.setStatus(n)
		} else if s != "" && s != "error" {
			d.kind = s
		}
	}
	if s := scalar(o.get("param")); s != "" {
		d.param = s
	}
	for _, key := range []string{"innererror", "inner_error"} {
		if in := firstObject(o.get(key)); in != nil {
			d.inner = scalar(in.get("code"))
		}
	}
	if meta := firstObject(o.get("metadata")); meta != nil {
		d.flagged = meta.get("flagged_input") != ""
		if s := scalar(meta.get("raw")); s != "" {
			d.message = strings.TrimSpace(d.message + ": " + s)
		}
	}
	d.readDetails(o.get("details"))
}

// readDetails reads the typed details of Google's errors.
func (d *errorDetail) readDetails(raw string) {
	list, _ := listOf(raw)
	for _, item := range list {
		o, _ := objectOf(item)
		if s := scalar(o.get("reason")); s != "" && d.inner == "" {
			d.inner = s
		}
		if t, err := time.ParseDuration(scalar(o.get("retryDelay"))); err == nil {
			d.retry = clampWait(t)
		}
	}
}

func (d *errorDetail) setStatus(n int) {
	if n >= 400 && n <= 599 {
		d.status = n
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
