package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// FailureRow says what failed replies mean that fit it; configs/failures.yaml explains the keys.
type FailureRow struct {
	Kind    Kind     `yaml:"kind"`
	Status  []int    `yaml:"status"`
	Code    []string `yaml:"code"`
	Param   []string `yaml:"param"`
	Message []string `yaml:"message"`
	Note    string   `yaml:"note"`

	param, message *regexp.Regexp
}

// failureKinds are the kinds that a row may have.
var failureKinds = []Kind{KindContextWindow, KindContentFilter, KindQuota, KindAuth, KindRateLimit, KindBadRequest, KindTemplate, KindServer, KindTimeout}

// WithFailures returns a table with these rows before those of m. Errors name the row and the key.
func (m Models) WithFailures(rows ...FailureRow) (Models, error) {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		if !slices.Contains(failureKinds, r.Kind) {
			return m, fmt.Errorf("rows[%d].kind: %q is not allowed\nhint: use one of %q", i, r.Kind, failureKinds)
		}
		if len(r.Status)+len(r.Code)+len(r.Param)+len(r.Message) == 0 {
			return m, fmt.Errorf("rows[%d]: it would fit everything\nhint: give it a status, code, param or message", i)
		}
		var err error
		if r.param, err = anyOf(r.Param); err != nil {
			return m, fmt.Errorf("rows[%d].param: %w", i, err)
		}
		if r.message, err = anyOf(r.Message); err != nil {
			return m, fmt.Errorf("rows[%d].message: %w", i, err)
		}
		for j, c := range r.Code {
			r.Code[j] = strings.ToLower(c)
		}
	}
	m.failures = slices.Concat(rows, m.failures)
	return m, nil
}

// anyOf is one pattern for several, nil for none.
func anyOf(patterns []string) (*regexp.Regexp, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	for _, p := range patterns {
		if _, err := regexp.Compile(p); err != nil {
			return nil, err
		}
	}
	return regexp.Compile(`(?im)` + strings.Join(patterns, "|"))
}

func (r FailureRow) fits(d errorDetail, status int) bool {
	return (len(r.Status) == 0 || slices.Contains(r.Status, status)) &&
		(len(r.Code) == 0 || slices.ContainsFunc(d.codes, func(c string) bool { return slices.Contains(r.Code, strings.ToLower(c)) })) &&
		(r.param == nil || r.param.MatchString(d.param)) &&
		(r.message == nil || r.message.MatchString(d.says()))
}

// kindOf is the kind of a failed reply: that of the first row that fits, otherwise what its status stands for. known is
// false for a 4xx status that tells little: what a 403 forbids may be the key or one prompt.
func (m Models) kindOf(d errorDetail, status int) (kind Kind, known bool) {
	for _, r := range m.failures {
		if r.fits(d, status) {
			return r.Kind, true
		}
	}
	switch status {
	case 401:
		return KindAuth, true
	case 403:
		return KindAuth, false
	case 402:
		return KindQuota, true
	case 408:
		return KindTimeout, true
	case 429:
		return KindRateLimit, true
	case 409, 423, 424, 425, 499: // a state of the server that passes
		return KindServer, true
	}
	if status == 0 || status >= 500 {
		return KindServer, true
	}
	return KindBadRequest, status < 400
}
