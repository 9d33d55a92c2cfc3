package llm

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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
	When       string   // one of the Echo constants, for message fields
	Fields     []string // message fields, patterns allowed
	CallFields []string // tool-call fields, patterns allowed; sent whatever When says
}

func (c Capability) tokenFields() []string {
	if c.TokenField == bothTokenFields {
		return []string{maxTokens, maxCompletionTokens}
	}
	return []string{c.TokenField}
}

// Models is the table of capabilities and prices. The zero value knows only the
// plain OpenAI format and no price. It is read-only and safe for concurrent use.
type Models struct{ rows []row }

// row is one entry of the table; what it leaves out it does not change.
type row struct {
	Match             []string    `yaml:"match"`
	BaseURL           []string    `yaml:"base_url"`
	Server            []string    `yaml:"server"`
	Auth              *string     `yaml:"auth"`
	TokenField        *string     `yaml:"token_field"`
	Drop              *[]string   `yaml:"drop"`
	DropReasoning     *[]string   `yaml:"drop_when_reasoning"`
	SystemRole        *string     `yaml:"system_role"`
	Developer         *bool       `yaml:"developer_role"`
	OneSystem         *bool       `yaml:"one_system"`
	EmptyContent      *string     `yaml:"empty_content"`
	StrictArguments   *bool       `yaml:"strict_arguments"`
	ParallelToolCalls *bool       `yaml:"parallel_tool_calls"`
	Echo              *echoRow    `yaml:"echo"`
	Price             *priceEntry `yaml:"price"`
	Note              string      `yaml:"note"`
}

type echoRow struct {
	When       string   `yaml:"when"`
	Fields     []string `yaml:"fields"`
	CallFields []string `yaml:"call_fields"`
}

type priceEntry struct {
	Input      *float64 `yaml:"input"`
	Cached     *float64 `yaml:"cached"`
	CacheWrite *float64 `yaml:"cache_write"`
	Output     *float64 `yaml:"output"`
	UpToPrompt *int64   `yaml:"up_to_prompt"`
	Date       string   `yaml:"date"`
	Source     string   `yaml:"source"`
}

// LoadModels reads a table in the format of configs/models.yaml. Errors name
// file, line and key. file only serves the errors.
func LoadModels(file string, data []byte) (Models, error) {
	var doc struct {
		Rows []row `yaml:"rows"`
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return Models{}, yamlError(file, err)
	}
	if len(tree.Docs) > 1 {
		return Models{}, fmt.Errorf("%s: holds %d documents: keep one, the others would be ignored", file, len(tree.Docs))
	}
	if err := yaml.UnmarshalWithOptions(data, &doc, yaml.Strict()); err != nil {
		return Models{}, yamlError(file, err)
	}
	if len(doc.Rows) == 0 {
		return Models{}, fmt.Errorf("%s: no rows: give a list of models under the key rows", file)
	}
	for i, r := range doc.Rows {
		if key, why := r.check(); why != "" {
			line := lineOf(tree, fmt.Sprintf("$.rows[%d].%s", i, key), fmt.Sprintf("$.rows[%d]", i))
			return Models{}, fmt.Errorf("%s:%d: rows[%d].%s: %s", file, line, i, key, why)
		}
	}
	return Models{rows: doc.Rows}, nil
}

// With returns a table in which the rows of over come after those of m, so that
// they win.
func (m Models) With(over Models) Models {
	return Models{rows: slices.Concat(m.rows, over.rows)}
}

// For resolves the capabilities of a model behind an endpoint: all matching
// rows in order, later ones overriding earlier ones field by field. Patterns
// match the whole model name or the part after its last slash, ignoring case.
func (m Models) For(baseURL, model string) Capability { return m.resolve(baseURL, "", model) }

// Of is For with all that an endpoint says of itself, for its own model.
func (m Models) Of(e Endpoint) Capability { return m.of(e, e.Model) }

// of is For with all that an endpoint says of itself.
func (m Models) of(e Endpoint, model string) Capability {
	if e.Like != "" {
		model = e.Like
	}
	return m.resolve(e.BaseURL, e.Server, model)
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
func (r row) serves(baseURL, server string) bool {
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

func (r row) apply(c *Capability) {
	set(&c.TokenField, r.TokenField)
	set(&c.Drop, r.Drop)
	set(&c.DropReasoning, r.DropReasoning)
	if r.SystemRole != nil {
		c.SystemRole = Role(*r.SystemRole)
	}
	set(&c.Developer, r.Developer)
	set(&c.OneSystem, r.OneSystem)
	set(&c.EmptyContent, r.EmptyContent)
	set(&c.StrictArguments, r.StrictArguments)
	set(&c.Auth, r.Auth)
	if r.ParallelToolCalls != nil {
		c.ParallelToolCalls = r.ParallelToolCalls
	}
	if r.Echo != nil {
		c.Echo = Echo(*r.Echo)
	}
	if r.Price != nil {
		c.Price = Price(*r.Price)
	}
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// check returns the first key with a bad value and what to do about it.
func (r row) check() (key, why string) {
	oneOf := func(k string, v *string, allowed ...string) {
		if why == "" && v != nil && !slices.Contains(allowed, *v) {
			key, why = k, fmt.Sprintf("%q is not allowed: use one of %q", *v, allowed)
		}
	}
	if len(r.Match) == 0 {
		return "match", `no pattern: list model names, * stands for any text`
	}
	oneOf("token_field", r.TokenField, maxTokens, maxCompletionTokens, bothTokenFields)
	oneOf("system_role", r.SystemRole, string(System), string(Developer))
	oneOf("empty_content", r.EmptyContent, EmptyOmit, EmptyString, EmptyNull, EmptySpace)
	oneOf("auth", r.Auth, AuthBearer, AuthAPIKey)
	if r.Echo != nil {
		oneOf("echo.when", &r.Echo.When, EchoNever, EchoToolTurns, EchoAlways)
	}
	if why != "" || r.Price == nil {
		return key, why
	}
	p := r.Price
	for _, f := range []struct {
		key   string
		value *float64
	}{{"input", p.Input}, {"cached", p.Cached}, {"cache_write", p.CacheWrite}, {"output", p.Output}} {
		if f.value == nil {
			continue
		}
		if *f.value < 0 || *f.value > 1e6 {
			return "price." + f.key, fmt.Sprintf("%v is no price: give dollars per million tokens, or null if unknown", *f.value)
		}
		if p.Date == "" || p.Source == "" {
			return "price", "a price needs date and source: say when and where it was read"
		}
	}
	return "", ""
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

// yamlError puts file and line before the message of the YAML library.
func yamlError(file string, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty: give a list of models under the key rows", file)
	}
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		p := e.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s", file, p.Line, p.Column, e.GetMessage())
	}
	return fmt.Errorf("%s: %w", file, err)
}

// lineOf finds the line of the first of the paths that exists in the file.
func lineOf(tree *ast.File, paths ...string) int {
	for _, path := range paths {
		p, err := yaml.PathString(path)
		if err != nil {
			continue
		}
		if n, err := p.FilterFile(tree); err == nil && n != nil && n.GetToken() != nil {
			return n.GetToken().Position.Line
		}
	}
	return 0
}
