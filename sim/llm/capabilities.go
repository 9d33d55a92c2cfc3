package llm

import (
	"fmt"
	"slices"
	"strings"
)

// How an assistant message without text is sent.
const (
	EmptyOmit   = "omit" // no content field
	EmptyString = ""
	EmptyNull   = "null"
	EmptySpace  = " "
)

// How often provider fields of a message are sent back.
const (
	EchoNever     = "never"
	EchoToolTurns = "tool_turns" // with messages that call tools
	EchoAlways    = "always"
)

// RolesAlternate: user and assistant speak by turns, the user first.
const RolesAlternate = "alternate"

// How the key is sent.
const (
	AuthBearer = "bearer"  // Authorization: Bearer KEY
	AuthAPIKey = "api-key" // Api-Key: KEY
)

// The spellings of the output limit.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	bothTokenFields     = "both"
)

// Capability says how one model behind one endpoint wants to be spoken to.
type Capability struct {
	TokenField    string   // max_tokens, max_completion_tokens or both
	Drop          []string // parameters that are never sent
	DropReasoning []string // parameters that are not sent while reasoning_effort asks for reasoning
	SystemRole    Role     // system or developer: the role that carries system messages
	Developer     bool     // the developer role is understood; else it is sent as system
	OneSystem     bool     // only one system message, at the front, is understood
	Roles         string   // RolesAlternate, or empty for any order
	EmptyContent  string   // one of the Empty constants
	// StrictArguments: history whose arguments are not a JSON object is refused.
	StrictArguments bool
	// ParallelToolCalls is sent with tools where it is set.
	ParallelToolCalls *bool
	Echo              Echo
	Auth              string // one of the Auth constants, bearer if empty
	Price             Price
}

// Echo is the policy for sending provider fields back.
type Echo struct {
	When       string   `yaml:"when"`        // one of the Echo constants, for message fields
	Fields     []string `yaml:"fields"`      // message fields, patterns allowed
	CallFields []string `yaml:"call_fields"` // tool-call fields, patterns allowed; sent whatever When says
}

func (c Capability) tokenFields() []string {
	if c.TokenField == bothTokenFields {
		return []string{maxTokens, maxCompletionTokens}
	}
	return []string{c.TokenField}
}

// Models is the table of capabilities, prices and failures. The zero value knows only the plain OpenAI format, no price, and
// failures by their status. It is read-only and safe for concurrent use.
type Models struct {
	rows     []Row
	failures []FailureRow
}

// Row is one entry of the table; what it leaves out it does not change. It is
// for models that match, behind a server that is at one of the addresses or has
// one of the names; configs/models.yaml says what the other keys mean.
type Row struct {
	Match             []string  `yaml:"match"`
	BaseURL           []string  `yaml:"base_url"`
	Server            []string  `yaml:"server"`
	Auth              *string   `yaml:"auth"`
	TokenField        *string   `yaml:"token_field"`
	Drop              *[]string `yaml:"drop"`
	DropReasoning     *[]string `yaml:"drop_when_reasoning"`
	SystemRole        *string   `yaml:"system_role"`
	Developer         *bool     `yaml:"developer_role"`
	OneSystem         *bool     `yaml:"one_system"`
	Roles             *string   `yaml:"roles"`
	EmptyContent      *string   `yaml:"empty_content"`
	StrictArguments   *bool     `yaml:"strict_arguments"`
	ParallelToolCalls *bool     `yaml:"parallel_tool_calls"`
	Echo              *Echo     `yaml:"echo"`
	Note              string    `yaml:"note"`
	Price             *Price    `yaml:"-"`
}

// NewModels returns the table of some rows. Errors name the row and the key.
func NewModels(rows ...Row) (Models, error) {
	for i, r := range rows {
		if key, why := r.check(); why != "" {
			return Models{}, fmt.Errorf("rows[%d].%s: %s", i, key, why)
		}
	}
	return Models{rows: rows}, nil
}

// With returns a table in which the rows of over come after those of m, so that
// they win.
func (m Models) With(over Models) Models {
	return Models{slices.Concat(m.rows, over.rows), slices.Concat(over.failures, m.failures)}
}

// For resolves the capabilities of a model behind an endpoint: all matching
// rows in order, later ones overriding earlier ones field by field. Patterns
// match the whole model name or the part after its last slash, ignoring case.
func (m Models) For(baseURL, model string) Capability { return m.resolve(baseURL, "", model) }

// Of is For with the server and the likeness that an endpoint names, for its own model.
func (m Models) Of(e Endpoint) Capability { return m.of(e, e.Model) }

// of is Of for a model.
func (m Models) of(e Endpoint, model string) Capability {
	if e.Like != "" {
		model = e.Like
	}
	c := m.resolve(e.BaseURL, e.Server, model)
	switch e.Echo {
	case "":
	case EchoNever:
		c.Echo = Echo{When: EchoNever}
	default:
		c.Echo.When = e.Echo
	}
	if e.Roles != "" {
		c.Roles = e.Roles
	}
	return c
}

// Servers lists the names that rows know a server by, sorted.
func (m Models) Servers() []string {
	var out []string
	for _, r := range m.rows {
		out = append(out, r.Server...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m Models) resolve(baseURL, server, model string) Capability {
	c := Capability{TokenField: maxTokens, SystemRole: System, EmptyContent: EmptyNull, Echo: Echo{When: EchoNever}}
	name := strings.ToLower(model)
	short := name[strings.LastIndexByte(name, '/')+1:]
	for _, r := range m.rows {
		if (matches(r.Match, name) || matches(r.Match, short)) && r.serves(strings.ToLower(baseURL), strings.ToLower(server)) {
			r.apply(&c)
		}
	}
	return c
}

// serves tells whether a row is for the server at an address. A name that is
// given decides; the address is for those who give none.
func (r Row) serves(baseURL, server string) bool {
	if len(r.BaseURL) == 0 && len(r.Server) == 0 {
		return true
	}
	if server != "" && len(r.Server) > 0 {
		return slices.Contains(r.Server, server)
	}
	return matches(r.BaseURL, baseURL)
}

func matches(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob(strings.ToLower(p), s) })
}

func (r Row) apply(c *Capability) {
	set(&c.TokenField, r.TokenField)
	set(&c.Drop, r.Drop)
	set(&c.DropReasoning, r.DropReasoning)
	if r.SystemRole != nil {
		c.SystemRole = Role(*r.SystemRole)
	}
	set(&c.Developer, r.Developer)
	set(&c.OneSystem, r.OneSystem)
	set(&c.Roles, r.Roles)
	set(&c.EmptyContent, r.EmptyContent)
	set(&c.StrictArguments, r.StrictArguments)
	set(&c.Auth, r.Auth)
	if r.ParallelToolCalls != nil {
		c.ParallelToolCalls = r.ParallelToolCalls
	}
	if r.Echo != nil {
		c.Echo = *r.Echo
	}
	if r.Price != nil {
		c.Price = *r.Price
	}
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// check returns the first key with a bad value and what is wrong with it.
func (r Row) check() (key, why string) {
	if len(r.Match) == 0 {
		return "match", "no pattern\nhint: list model names, * stands for any text"
	}
	oneOf := func(k string, v *string, allowed ...string) {
		if why == "" && v != nil && !slices.Contains(allowed, *v) {
			key, why = k, fmt.Sprintf("%q is not allowed\nhint: use one of %q", *v, allowed)
		}
	}
	oneOf("token_field", r.TokenField, maxTokens, maxCompletionTokens, bothTokenFields)
	oneOf("system_role", r.SystemRole, string(System), string(Developer))
	oneOf("roles", r.Roles, RolesAlternate)
	oneOf("empty_content", r.EmptyContent, EmptyOmit, EmptyString, EmptyNull, EmptySpace)
	oneOf("auth", r.Auth, AuthBearer, AuthAPIKey)
	if r.Echo != nil {
		oneOf("echo.when", &r.Echo.When, EchoNever, EchoToolTurns, EchoAlways)
	}
	if why == "" && r.Price != nil {
		return r.Price.check()
	}
	return key, why
}

// glob matches s against a pattern in which * stands for any text, slashes
// included.
func glob(pattern, s string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	for {
		part, more, again := strings.Cut(tail, "*")
		if !again {
			return strings.HasSuffix(s, part)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, tail = s[i+len(part):], more
	}
}
