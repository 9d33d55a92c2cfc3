package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim/llm"
)

// The roles that models play.
const (
	RoleAgent = "agent"
	RoleUser  = "user"
	RoleJudge = "judge"
	RoleGuide = "guide" // PolicyGuide's verifier
	RoleGuard = "guard" // PolicyGuard's

)

// usedModels returns the names of the models that these systems, the user and the judge need.
func (c *Config) usedModels(systems []System) []string {
	names := map[string]bool{c.User.Model: true}
	if c.Judge.Model != "" {
		names[c.Judge.Model] = true
	}
	for _, s := range systems {
		for _, name := range c.ModelsOf(s) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// ModelsOf names the models that a system's agent and overlays use.
func (c *Config) ModelsOf(s System) []string {
	var out []string
	if s.Model != "" {
		out = append(out, s.Model)
	}
	for _, h := range c.Helpers(s) {
		if h.Model != "" {
			out = append(out, h.Model)
		}
	}
	return out
}

// effective returns the models as this execution uses them.
func (c *Config) effective(o Options, names []string) map[string]Model {
	out := map[string]Model{}
	for _, name := range names {
		m := c.Models[name]
		if o.Synthetic {
			m = m.twin()
			m.BaseURL = ""
		}
		if o.BaseURL != "" {
			m.BaseURL = o.BaseURL
		}
		if m.Concurrency == 0 {
			m.Concurrency = c.Limits.Concurrency
		}
		if !m.Synthetic && c.source.silent(modelPath(name)+".temperature") && c.source.silent(modelPath(name)+".extra.temperature") {
			m.Temperature, m.TemperatureByDefault = new(float64), true
		}
		out[name] = m
	}
	return out
}

// AsBegun has models that the config gives no temperature go without one where the run was begun so: older programs sent
// none. old is the setup that the run was begun with.
func (p *Plan) AsBegun(old Identity) {
	var without []string
	for _, name := range slices.Sorted(maps.Keys(p.models)) {
		at := modelPath(name) + ".temperature"
		if !p.models[name].TemperatureByDefault || old.Fields[at] != "null" {
			continue
		}
		without = append(without, name)
		p.Identity.Fields[at] = "null"
		if m, ok := p.Models[name]; ok {
			m.Temperature, m.TemperatureByDefault = nil, false
			p.Models[name] = m
		}
	}
	if without != nil {
		p.Warnings = append(p.Warnings, fmt.Sprintf("no temperature is sent to %s, as when the run was begun; a new run sends 0", strings.Join(without, ", ")))
	}
}

// complete checks that every model has the address and the key that it needs. A key that is not needed is dropped.
func (c *Config) complete(o Options, models map[string]Model) (map[string]Model, error) {
	out := map[string]Model{}
	var complaints []error
	for name, m := range models {
		unset := c.unset(name, m, o)
		if len(unset) == 0 {
			if err := c.completeModel(name, &m, o); err != nil {
				unset = []error{err}
			}
		}
		complaints = append(complaints, unset...)
		out[name] = m
	}
	return out, joined(complaints)
}

// What else than exporting a variable helps.
const (
	otherwise = ", or run with --synthetic"
	noData    = ", or give the folder with --data"
)

// unset names the variables that are not set and that a model needs as it is used now.
func (c *Config) unset(name string, m Model, o Options) (out []error) {
	at := modelPath(name)
	if err := c.source.needed(at+".model", otherwise); err != nil && !o.Synthetic && !m.Synthetic {
		out = append(out, err)
	}
	if o.BaseURL == "" && !o.Synthetic {
		if err := c.source.needed(at+".base_url", otherwise); err != nil {
			out = append(out, err)
		}
		if err := c.source.needed(at+".key", otherwise); err != nil && !m.Synthetic && !c.Replays() {
			out = append(out, err)
		}
		for header := range m.Headers {
			if err := c.source.needed(yamlfile.Join(at+".headers", header), otherwise); err != nil && !m.Synthetic && !c.Replays() {
				out = append(out, err)
			}
		}
	}
	return out
}

// unsetAtOnce reports the variables that models need together with that of the data, which is looked at long before them.
// Which systems a filter leaves is not known without data; then only the models that all of them need are looked at.
func (c *Config) unsetAtOnce(o Options) error {
	err := c.source.needed("data", noData)
	if err == nil || c.Data == embedded {
		return nil
	}
	systems := c.Systems
	if len(o.Only) > 0 {
		systems = nil
	}
	complaints := []error{err}
	for name, m := range c.effective(o, c.usedModels(systems)) {
		complaints = append(complaints, c.unset(name, m, o)...)
	}
	return joined(complaints)
}

func (c *Config) completeModel(name string, m *Model, o Options) error {
	at := modelPath(name)
	wrong := func(path string, err error) error { return c.source.positioned(path, fmt.Errorf("%s: %w", at, err)) }
	if c.source.needed(at+".key", "") != nil {
		m.Key = "" // not needed here, see unset
	}
	if !m.Synthetic && m.Key == "" && m.BaseURL == "" && !c.Replays() {
		return c.source.errorf(at, "%s has no key for %s\nhint: add key: $OPENAI_API_KEY, give it another base_url%s", at, llm.DefaultBaseURL, otherwise)
	}
	if err := m.Scripted().Check(); m.Synthetic && err != nil {
		return wrong(at, err)
	}
	if m.Synthetic && m.BaseURL == "" {
		return nil
	}
	var d llm.Dialer // which opens no connection
	_, err := d.Dial(m.Endpoint(name))
	switch {
	case err == nil:
		return nil
	case o.BaseURL != "":
		return fmt.Errorf("--base-url: %w", err)
	case m.BaseURL != "":
		return wrong(at+".base_url", err)
	}
	return wrong(at, err)
}

// unpriced warns of a bound on dollars where nothing but what providers bill tells what a model costs.
func (p *Plan) unpriced() ([]string, error) {
	bound := p.Config.CostBound()
	if bound == "" || p.Config.Replays() {
		return nil, nil
	}
	table, err := configs.ModelTable()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(p.Models)) {
		m := p.Models[name]
		if price := table.Of(m.Endpoint("")).Price; !m.Synthetic && (price.Input == nil || price.Output == nil) {
			out = append(out, fmt.Sprintf("%s: the price of model %s is not known: what its provider bills counts, and the run ends after the first answer that is not billed; max_tokens bounds it in any case", bound, m.Model))
		}
	}
	return out, nil
}

// Request is what every request to the model has in common, but for the seed.
func (m Model) Request() llm.Request {
	return llm.Request{Model: m.Model, Temperature: m.Temperature, TemperatureByDefault: m.TemperatureByDefault, TopP: m.TopP,
		MaxTokens: m.MaxTokens, ReasoningEffort: m.ReasoningEffort, Extra: m.Extra}
}

// Endpoint is the model as it is dialled.
func (m Model) Endpoint(name string) llm.Endpoint {
	e := llm.Endpoint{Name: name, BaseURL: m.BaseURL, Key: m.Key, Model: m.Model, Like: m.Like, Server: m.Server, Synthetic: m.Synthetic,
		Echo: m.Echo, Roles: m.Roles, Headers: m.Headers, Hidden: m.credentials(),
		Concurrency: m.Concurrency, RPS: m.RPS, TPM: m.Limits.TPM, Timeout: time.Duration(m.Timeout), Retry: m.Retry.policy()}
	if rps := m.Limits.RPM / 60; rps > 0 && (e.RPS == 0 || rps < e.RPS) {
		e.RPS = rps
	}
	return e
}

// Helper is a part of a system that may ask a model of its own: the verifier of PolicyGuide, or that of PolicyGuard.
type Helper struct {
	Role   string
	Model  string // of the config; empty is the agent's
	Params json.RawMessage
}

// Helpers are those of the agent and of the overlays.
func (c *Config) Helpers(s System) (out []Helper) {
	add := func(name string, params json.RawMessage, models func(agents.Params) []string) {
		h := Helper{Role: RoleGuard, Params: params}
		if strings.HasPrefix(name, "policyguide") {
			h.Role = RoleGuide
		}
		if names := models(agents.Params(params)); len(names) > 0 {
			h.Model = names[0]
		}
		out = append(out, h)
	}
	if e, err := agents.FindAgent(s.Agent); err == nil && e.Models != nil {
		add(s.Agent, s.Params, e.Models)
	}
	for _, o := range s.Overlays {
		if e, err := agents.FindOverlay(o.Name); err == nil && e.Models != nil {
			add(o.Name, o.Params, e.Models)
		}
	}
	return out
}

// System is the system of that name; the zero System if there is none.
func (c *Config) System(name string) System {
	for _, s := range c.Systems {
		if s.Name == name {
			return s
		}
	}
	return System{}
}

// credentials are those in the fields that the model's requests add.
func (m Model) credentials() (out []string) {
	for _, c := range m.withoutCredentials() {
		out = append(out, c.Values...)
	}
	return out
}

// withoutCredentials replaces the model's extra fields by ones without credentials, and returns these.
func (m *Model) withoutCredentials() []llm.Credential {
	raw, err := json.Marshal(m.Extra)
	if err != nil { // of a config's JSON never
		return nil
	}
	raw, found := llm.MaskCredentials(raw)
	if len(found) > 0 {
		m.Extra = nil
		_ = json.Unmarshal(raw, &m.Extra) // what was just written
	}
	return found
}

// Secrets masks the keys, header values and credentials in extra of models, and the passwords and query values of their
// addresses. The models' own clients do so already; this is for whatever else is written.
func Secrets(models map[string]Model) llm.Redactor {
	var endpoints []llm.Endpoint
	for _, m := range models {
		endpoints = append(endpoints, llm.Endpoint{Key: m.Key, BaseURL: m.BaseURL, Headers: m.Headers, Hidden: m.credentials()})
	}
	return llm.NewRedactor(endpoints...)
}
