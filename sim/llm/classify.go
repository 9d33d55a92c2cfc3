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

// decisive lists the provider codes that say more than the HTTP status: quota
// is a 429 at some providers, a full context window is a 400 or a 500.
var decisive = map[string]Kind{
	"insufficient_quota":                   KindQuota,
	"insufficient_balance":                 KindQuota,
	"billing_hard_limit_reached":           KindQuota,
	"billing_not_active":                   KindQuota,
	"billing_error":                        KindQuota,
	"context_length_exceeded":              KindContextWindow,
	"context_window_exceeded":              KindContextWindow,
	"exceed_context_size_error":            KindContextWindow,
	"string_above_max_length":              KindContextWindow,
	"content_filter":                       KindContentFilter,
	"content_policy_violation":             KindContentFilter,
	"responsibleaipolicyviolation":         KindContentFilter,
	"invalid_api_key":                      KindAuth,
	"api_key_invalid":                      KindAuth,
	"authentication_error":                 KindAuth,
	"unauthenticated":                      KindAuth,
	"permission_denied":                    KindAuth,
	"permission_error":                     KindAuth,
	"unsupported_country_region_territory": KindAuth,
}

// general lists codes that only count where there is no telling status, which
// is the case of an error inside a 200 reply.
var general = map[string]Kind{
	"rate_limit_exceeded":   KindRateLimit,
	"rate_limit_error":      KindRateLimit,
	"too_many_requests":     KindRateLimit,
	"resource_exhausted":    KindRateLimit,
	"invalid_request_error": KindBadRequest,
	"invalid_argument":      KindBadRequest,
	"badrequesterror":       KindBadRequest,
	"not_found_error":       KindBadRequest,
	"notfounderror":         KindBadRequest,
	"model_not_found":       KindBadRequest,
	"request_too_large":     KindBadRequest,
}

// statusOf gives the status that a kind stands for where the reply has none.
var statusOf = map[Kind]int{
	KindRateLimit: 429, KindQuota: 402, KindAuth: 401, KindBadRequest: 400,
	KindContextWindow: 400, KindContentFilter: 400, KindServer: 502,
}

// contextProse matches the sentences by which servers without error codes
// report a conversation that is too long.
var contextProse = regexp.MustCompile(`(?i)maximum context length|context (window|length|size)[^.]{0,40}exceed|exceed[^.]{0,60}(context (window|length|size)|maximum number of tokens)|prompt is too long|input is too long`)

// creditProse matches an empty account at providers that report it as a plain
// bad request.
var creditProse = regexp.MustCompile(`(?i)credit balance is too low|insufficient (credits|balance|funds)`)

// leadingField is how Anthropic's messages begin where they are about one field.
var leadingField = regexp.MustCompile(`^([a-z][a-z_]*(?:\.[a-z0-9_]+)*): `)

// tooLargeProse matches the refusal of one request that is larger than an
// account's limit for a whole minute. It is a 429, but waiting does not help.
var tooLargeProse = regexp.MustCompile(`(?i)request too large for [^.]{0,120}tokens per min`)

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

// decide picks the kind: telling codes first, then prose about the context
// window, then the status, then general codes.
func (d errorDetail) decide(status int) Kind {
	for _, c := range []string{d.code, d.inner, d.kind} {
		if k, ok := decisive[strings.ToLower(c)]; ok {
			return k
		}
	}
	switch {
	case d.flagged:
		return KindContentFilter
	case status != http.StatusTooManyRequests && contextProse.MatchString(d.message):
		return KindContextWindow
	case creditProse.MatchString(d.message):
		return KindQuota
	case tooLargeProse.MatchString(d.message):
		return KindBadRequest
	case status == 0:
		for _, c := range []string{d.code, d.kind} {
			if k, ok := general[strings.ToLower(c)]; ok {
				return k
			}
		}
		return KindServer
	}
	return kindOfStatus(status)
}

func kindOfStatus(status int) Kind {
	switch {
	case status == 401 || status == 403:
		return KindAuth
	case status == 402:
		return KindQuota
	case status == 408:
		return KindTimeout
	case status == 429:
		return KindRateLimit
	case status == 409 || status == 423 || status == 424 || status == 425 || status == 499:
		return KindServer // a state of the server that passes
	case status >= 500:
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
