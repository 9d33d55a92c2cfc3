// Package config is what a user writes, checked and resolved: Load reads the file of an experiment, Resolve makes a plan
// of it. Package runs executes a plan, and package store keeps what comes of it.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// Config is one experiment as its file describes it, with defaults filled in. docs/config.md is its reference.
type Config struct {
	Name     string   `json:"name"` // default: the file's name
	Note     string   `json:"note"`
	Data     string   `json:"data"` // "embedded", or a τ² data folder
	Seed     int64    `json:"seed"`
	Trials   int      `json:"trials"`
	Limits   Limits   `json:"limits"`
	Cassette Cassette `json:"cassette"`
	// KeepRequests has the run keep what models were sent and answered, byte for byte.
	KeepRequests bool             `json:"keep_requests"`
	Models       map[string]Model `json:"models"`
	Prompts      Prompts          `json:"prompts,omitzero"`
	User         User             `json:"user"`
	Judge        Role             `json:"judge"`
	Domains      []Domain         `json:"domains"`
	Systems      []System         `json:"systems"`

	source   *source          // where each field is in the file
	absent   map[string]error // instruction texts that are not there, by path
	dataFlag bool             // data is not the file's
}

// Limits bound trials and the run.
type Limits struct {
	MaxSteps    int      `json:"max_steps"`
	MaxErrors   int      `json:"max_errors"`
	Timeout     Duration `json:"timeout"` // of one conversation
	Concurrency int      `json:"concurrency"`
	Budget               // of the whole run; the time is that of one execution
	// Conversation bounds each conversation by itself, its grading not counted.
	Conversation Budget `json:"conversation"`
}

// Budget bounds what a run or a conversation may spend; 0 is no bound.
type Budget struct {
	MaxCost   float64  `json:"max_cost"`   // dollars
	MaxTokens int64    `json:"max_tokens"` // prompts included
	MaxWall   Duration `json:"max_wall"`
}

// ConversationBudget is where a config has the budget of each conversation.
const ConversationBudget = "limits.conversation"

// CostBound is the path of a bound on dollars in the config, "" if there is none.
func (c *Config) CostBound() string {
	switch {
	case c.Limits.MaxCost > 0:
		return "limits.max_cost"
	case c.Limits.Conversation.MaxCost > 0:
		return ConversationBudget + ".max_cost"
	}
	return ""
}

// Cassette says whether model answers are recorded or replayed.
type Cassette struct {
	Mode string `json:"mode"`           // off, record, replay, verify
	Path string `json:"path,omitempty"` // default: cassette in the run directory
}

// Model is a language model under the name that systems call it by.
type Model struct {
	Model           string                     `json:"model,omitempty"` // as the endpoint calls it; default: the name in the config
	BaseURL         string                     `json:"base_url,omitempty"`
	Key             string                     `json:"key,omitempty"`
	Temperature     *float64                   `json:"temperature,omitempty"`
	TopP            *float64                   `json:"top_p,omitempty"`
	MaxTokens       *int                       `json:"max_tokens,omitempty"`
	Seed            *bool                      `json:"seed,omitempty"` // send the trial's seed; default true
	ReasoningEffort string                     `json:"reasoning_effort,omitempty"`
	Concurrency     int                        `json:"concurrency,omitempty"`
	RPS             float64                    `json:"rps,omitempty"`
	Limits          ModelLimits                `json:"limits,omitzero"`
	Like            string                     `json:"like,omitempty"`    // the model whose capabilities and price apply
	Server          string                     `json:"server,omitempty"`  // the software at base_url, see configs/models.yaml
	Echo            string                     `json:"echo,omitempty"`    // never, tool_turns or always; default as configs/models.yaml says
	Roles           string                     `json:"roles,omitempty"`   // alternate, or as configs/models.yaml says
	Headers         map[string]string          `json:"headers,omitempty"` // sent with each request; their values are secrets
	Timeout         Duration                   `json:"timeout,omitempty"` // of one request
	Retry           Retry                      `json:"retry,omitzero"`
	Extra           map[string]json.RawMessage `json:"extra,omitempty"`

	// TemperatureByDefault marks the temperature of a run whose config gives none.
	TemperatureByDefault bool `json:"-"`
	// Synthetic makes it a scripted model: inside this process, or at base_url where one is given.
	Synthetic bool `json:"synthetic,omitempty"`
	// Mistakes and FollowsGuidance say how it behaves in this process; a server at base_url has its own settings.
	Mistakes        *synthetic.Mistakes `json:"mistakes,omitempty"`
	FollowsGuidance *float64            `json:"follows_guidance,omitempty"`
}

// Retry says how often a request that failed is sent again. What is zero is as in llm.DefaultRetryPolicy.
type Retry struct {
	Attempts      int      `json:"attempts,omitempty"`
	RateLimited   int      `json:"rate_limited,omitempty"`
	FirstWait     Duration `json:"first_wait,omitempty"`
	MaxWait       Duration `json:"max_wait,omitempty"`
	MaxRetryAfter Duration `json:"max_retry_after,omitempty"`
}

func (r Retry) policy() llm.RetryPolicy {
	return llm.RetryPolicy{Attempts: r.Attempts, RateLimited: r.RateLimited, FirstWait: time.Duration(r.FirstWait), MaxWait: time.Duration(r.MaxWait),
		MaxRetryAfter: time.Duration(r.MaxRetryAfter)}
}

// ModelLimits are those of an account at a provider.
type ModelLimits struct {
	RPM float64 `json:"rpm,omitempty"` // requests per minute
	TPM float64 `json:"tpm,omitempty"` // tokens per minute, prompts and answers
}

// Scripted returns the behaviour of a scripted model. Without follows_guidance it heeds all guidance; without mistakes
// it makes none.
func (m Model) Scripted() synthetic.Config {
	out := synthetic.Config{FollowsGuidance: 1, Scripts: scripted.Scripts()}
	if m.Mistakes != nil {
		out.Mistakes = *m.Mistakes
	}
	if m.FollowsGuidance != nil {
		out.FollowsGuidance = *m.FollowsGuidance
	}
	return out
}

// twin is the scripted model that takes the place of a real one.
func (m Model) twin() Model {
	if m.Synthetic {
		return m
	}
	follows := 0.95
	return Model{Model: m.Model, Concurrency: m.Concurrency, Synthetic: true, FollowsGuidance: &follows,
		Mistakes: &synthetic.Mistakes{SkipIdentify: 0.1, ActBeforeConsent: 0.2, WrongOrder: 0.15, GrantForbidden: 0.3, GiveUp: 0.05}}
}

// Role names the model that plays a part.
type Role struct {
	Model string `json:"model,omitempty"`
}

// Domain selects tasks.
type Domain struct {
	Name       string             `json:"name"`
	Split      string             `json:"split"`
	PolicyType domains.PolicyType `json:"policy_type,omitempty"`
	Solo       bool               `json:"solo,omitempty"`
	Tasks      []string           `json:"tasks,omitempty"`   // of the split; all if empty
	Attacks    string             `json:"attacks,omitempty"` // file of attacks, for a user that attacks; empty or default for those of the program
}

// System is one system under test: an agent, its model, and overlays around it.
type System struct {
	Name     string          `json:"name"`
	Agent    string          `json:"agent"`
	Model    string          `json:"model,omitempty"`
	Prompt   Text            `json:"prompt,omitzero"` // of the agent, in the place of the run's
	Params   json.RawMessage `json:"params,omitempty"`
	Overlays []Overlay       `json:"overlays,omitempty"` // the first is the outermost
	Domains  []string        `json:"domains,omitempty"`  // that it is run on; all if empty
}

// Bound reports whether a system is no contestant but shows what is possible: one knows the solution, one never acts.
func (s System) Bound() bool { return s.Agent == "oracle" || s.Agent == "noop" }

// on reports whether the system is run on a domain.
func (s System) on(domain string) bool {
	return len(s.Domains) == 0 || slices.Contains(s.Domains, domain)
}

// Overlay is one layer around an agent. In a config it is a map with the name as its only key.
type Overlay struct {
	Name   string
	Params json.RawMessage
}

// MarshalJSON writes the overlay as configs do.
func (o Overlay) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]json.RawMessage{o.Name: o.Params})
}

// UnmarshalJSON reads {name: params}, or a bare name.
func (o *Overlay) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &o.Name) == nil {
		return nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	for name, params := range m {
		*o = Overlay{Name: name, Params: params}
	}
	if len(m) != 1 {
		return fmt.Errorf("an overlay is a map with one key, its name: got %d keys", len(m))
	}
	return nil
}

// Duration is a time span; configs write it like 30m or 90s.
type Duration time.Duration

// MarshalText writes the duration as configs do.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads 30m, 90s, 1h30m.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no time span\nhint: write it like 90s or 30m", text)
	}
	*d = Duration(v)
	return nil
}

// Load reads a config file or, where there is none of that name, the config of the program. env resolves $VAR in base_url, key and data; an empty value counts as unset. Errors name
// file, line and column, and are domains.ErrUsage.
func Load(path string, env func(string) string) (*Config, error) {
	text, err := domains.ReadFile(path, yamlfile.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		var unknown error
		switch text, unknown = configs.Text(path); {
		case unknown == nil:
			err = nil
		case nearFile(path) != "":
			err = fmt.Errorf("%w\nhint: did you mean %q?", err, nearFile(path))
		default:
			err = fmt.Errorf("%w, and %w", err, unknown)
		}
	}
	if err != nil {
		return nil, domains.Usage(fmt.Errorf("read config: %w", err))
	}
	return Parse(path, text, env)
}

// nearFile is the config in the folder of a path that was most likely meant, "" if none was.
func nearFile(path string) string {
	there, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.yaml")) // of an odd path there are none
	return yamlfile.Nearest(filepath.Clean(path), there)
}

// Parse is Load for a text at hand; file serves the errors and the default name.
func Parse(file string, text []byte, env func(string) string) (*Config, error) {
	c, err := parse(file, text, env)
	if err != nil {
		return nil, domains.Usage(err)
	}
	return c, nil
}

func parse(file string, text []byte, env func(string) string) (*Config, error) {
	tree, src, err := readSource(file, text)
	if err != nil {
		return nil, err
	}
	if err := src.validate(tree); err != nil {
		return nil, err
	}
	src.expandAll(tree, env)
	if len(src.broken) > 0 {
		return nil, joined(src.broken)
	}
	plain, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c := defaults(file)
	if err := json.Unmarshal(plain, c); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c.source = src
	for i := range c.Domains {
		if c.Domains[i].Split == "" && c.User.Attack == "" {
			c.Domains[i].Split = "base"
		} else if c.Domains[i].Split == "" {
			c.Domains[i].Split = attack.Split
		}
	}
	for name, m := range c.Models {
		if m.Model == "" {
			m.Model = name
			c.Models[name] = m
		}
	}
	if err := errors.Join(c.check(), c.readTexts()); err != nil {
		return nil, err
	}
	return c, nil
}

// defaults is what a config says where it is silent.
func defaults(file string) *Config {
	base := filepath.Base(file)
	limits := sim.DefaultLimits()
	return &Config{
		Name: strings.TrimSuffix(base, filepath.Ext(base)), Data: embedded, Seed: 300, Trials: 4,
		Limits: Limits{MaxSteps: limits.MaxSteps, MaxErrors: limits.MaxErrors, Timeout: Duration(limits.Timeout),
			Concurrency: llm.DefaultConcurrency},
		Cassette: Cassette{Mode: "off"}, KeepRequests: true,
	}
}

// embedded is the value of data that means the program's own sets.
const embedded = "embedded"

// Public is the config as it may be written down: the models as this run uses them, without secrets.
func (c *Config) Public(models map[string]Model) *Config {
	out := *c
	out.Prompts, out.Systems = c.publicTexts()
	// With its variables, so that the run can be read on another machine.
	out.Data = strings.ReplaceAll(c.Data, "$", "$$")
	if raw := c.source.original("data"); raw != "" {
		out.Data = raw
	}
	out.Models = map[string]Model{}
	for name, m := range c.Models {
		if used, ok := models[name]; ok {
			m = used
		}
		m.Key = c.hidden(modelPath(name)+".key", m.Key)
		m.Headers = maps.Clone(m.Headers)
		for header, value := range m.Headers {
			m.Headers[header] = c.hidden(yamlfile.Join(modelPath(name)+".headers", header), value)
		}
		if m.BaseURL != "" {
			m.BaseURL = PublicURL(m.BaseURL)
		}
		m.withoutCredentials()
		out.Models[name] = m
	}
	return &out
}

// hidden is a secret as it may be written down: the variable that it comes from, or a mask.
func (c *Config) hidden(path, secret string) string {
	if secret == "" {
		return ""
	}
	if raw := c.source.original(path); variable.FindString(raw) == raw && raw != "" && !strings.Contains(raw, ":-") {
		return raw
	}
	return "[redacted]"
}
