package tau2

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// field is a key of the format with what its absence means, as JSON. Keys with just that value are not kept, and are
// written again where the format has them.
type field struct {
	name, absent string
}

// The keys in the order of writing (docs/reference/tau2.md#result-files). An empty absent marks a key that is always written by
// name.
var (
	participantFields = []field{{"role", ""}, {"content", ""}, {"tool_calls", ""}, {"is_audio", "false"}, {"turn_idx", ""},
		{"timestamp", ""}, {"cost", "null"}, {"usage", "null"}, {"raw_data", "null"}, {"generation_time_seconds", "null"},
		{"audio_format", "null"}, {"audio_path", "null"}, {"audio_script_gold", "null"}, {"speech_effects", "null"},
		{"source_effects", "null"}, {"channel_effects", "null"}, {"turn_taking_action", "null"}, {"utterance_ids", "null"},
		{"chunk_id", "null"}, {"is_final_chunk", "true"}, {"source", "null"}, {"contains_speech", "true"}}
	toolFields = []field{{"id", ""}, {"role", ""}, {"content", ""}, {"requestor", ""}, {"error", ""}, {"turn_idx", ""},
		{"timestamp", ""}}
	callFields  = []field{{"id", ""}, {"name", ""}, {"arguments", ""}, {"requestor", ""}}
	indexFields = []field{{"id", ""}, {"task_id", ""}, {"trial", ""}, {"reward", "null"}, {"termination_reason", ""},
		{"agent_cost", "null"}, {"duration", "null"}}
	simulationFields = []field{{"id", ""}, {"task_id", ""}, {"timestamp", ""}, {"start_time", ""}, {"end_time", ""},
		{"duration", ""}, {"termination_reason", ""}, {"agent_cost", ""}, {"user_cost", ""}, {"agent_usage", "null"},
		{"reward_info", ""}, {"messages", ""}, {"ticks", "null"}, {"trial", ""}, {"seed", ""}, {"mode", `"half_duplex"`},
		{"speech_environment", "null"}, {"review", "null"}, {"user_only_review", "null"}, {"info", "null"},
		{"auth_classification", "null"}, {"hallucination_retries_used", "0"}, {"hallucination_check", "null"},
		{"provider_session_id", "null"}, {"policy", "null"}, {"effect_timeline", "null"}}
	infoFields = []field{{"git_commit", `"unknown"`}, {"num_trials", "1"}, {"max_steps", "200"}, {"max_errors", "10"},
		{"user_info", ""}, {"agent_info", ""}, {"environment_info", ""}, {"seed", "null"},
		{"text_streaming_config", `{"chunk_by":"words","chunk_size":1}`}, {"speech_complexity", "null"},
		{"audio_native_config", "null"}, {"retrieval_config", "null"}, {"retrieval_config_kwargs", "null"}}
	userFields = []field{{"implementation", ""}, {"llm", "null"}, {"llm_args", "null"}, {"global_simulation_guidelines", "null"},
		{"voice_settings", "null"}, {"persona_config", "null"}}
	agentFields       = []field{{"implementation", ""}, {"llm", "null"}, {"llm_args", "null"}, {"voice_settings", "null"}}
	environmentFields = []field{{"domain_name", ""}, {"policy", `""`}, {"tool_defs", "null"}}
	taskFields        = []field{{"id", ""}, {"description", "null"}, {"user_scenario", ""}, {"ticket", "null"}, {"initial_state", "null"},
		{"evaluation_criteria", "null"}, {"issues", "null"}, {"required_documents", "null"}, {"user_tools", "null"}}
	rewardFields = []field{{"reward", ""}, {"db_check", "null"}, {"env_assertions", "null"}, {"action_checks", "null"},
		{"nl_assertions", "null"}, {"communicate_checks", "null"}, {"reward_basis", "null"}, {"reward_breakdown", "null"}, {"info", "null"}}
)

// known finds a key of the format.
func known(fields []field, name string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

// object is a JSON object in the making, in the order of a table of fields.
type object struct {
	fields []field
	values map[string]json.RawMessage
	err    error
}

func newObject(fields []field, extra map[string]json.RawMessage) *object {
	o := &object{fields: fields, values: maps.Clone(extra)}
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	return o
}

// set gives a member its value.
func (o *object) set(name string, v any) {
	raw, err := encode(v)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("%s: %w", name, err)
	}
	o.values[name] = raw
}

// suggest is set for members that have no value yet.
func (o *object) suggest(name string, v any) {
	if _, given := o.values[name]; !given {
		o.set(name, v)
	}
}

// json is the object: the members of the table first, missing ones with what their absence means, then all others by
// name.
func (o *object) json() (json.RawMessage, error) {
	if o.err != nil {
		return nil, o.err
	}
	out := []byte{'{'}
	add := func(name string, v json.RawMessage) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(name)...), ':'), v...)
	}
	for _, f := range o.fields {
		switch v, ok := o.values[f.name]; {
		case ok:
			add(f.name, v)
		case f.absent != "":
			add(f.name, json.RawMessage(f.absent))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if _, ok := known(o.fields, name); !ok {
			add(name, o.values[name])
		}
	}
	return append(out, '}'), nil
}

// MarshalJSON lets an object be a member of another.
func (o *object) MarshalJSON() ([]byte, error) { return o.json() }

// stream writes a file piece by piece, indented as the reference does.
type stream struct {
	e   *jsontext.Encoder
	err error
}

func newStream(w io.Writer) *stream {
	return &stream{e: jsontext.NewEncoder(w, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))}
}

func (s *stream) token(t jsontext.Token) {
	if s.err == nil {
		s.err = s.e.WriteToken(t)
	}
}

func (s *stream) value(v json.RawMessage) {
	if s.err == nil {
		s.err = s.e.WriteValue(jsontext.Value(v))
	}
}

// member writes a member of an object; v may be any value.
func (s *stream) member(name string, v any) {
	s.token(jsontext.String(name))
	raw, err := encode(v)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%s: %w", name, err)
	}
	s.value(raw)
}
