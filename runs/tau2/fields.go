package tau2

import (
	"encoding/json"
	"slices"
)

// field is a key of the format with what its absence means, as JSON. Keys that hold just that are not kept, and are
// written again where the format has them.
type field struct {
	name, absent string
}

// The keys in the order of writing (spec/core.md, section 2). An empty absent marks a key that is always written by
// name.
var (
	participantFields = []field{{"role", ""}, {"content", ""}, {"tool_calls", ""}, {"is_audio", "false"}, {"turn_idx", ""},
		{"timestamp", ""}, {"cost", "null"}, {"usage", "null"}, {"raw_data", "null"}, {"generation_time_seconds", "null"},
		{"audio_format", "null"}, {"audio_path", "null"}, {"audio_script_gold", "null"}, {"speech_effects", "null"},
		{"source_effects", "null"}, {"channel_effects", "null"}, {"turn_taking_action", "null"}, {"utterance_ids", "null"},
		{"chunk_id", "null"}, {"is_final_chunk", "true"}, {"source", "null"}, {"contains_speech", "true"}}
	toolFields = []field{{"id", ""}, {"role", ""}, {"content", ""}, {"requestor", ""}, {"error", ""}, {"turn_idx", ""},
		{"timestamp", ""}}
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

// keep stores a value under extra unless it says what its absence says; unknown keys are always kept, and counted.
func keep(extra *map[string]json.RawMessage, fields []field, name string, v []byte, what string, odd *oddities) {
	f, ok := known(fields, name)
	switch {
	case ok && f.absent == string(v):
		return
	case !ok:
		odd.add("unknown key "+name+" of "+what, "kept under extra")
	}
	if *extra == nil {
		*extra = map[string]json.RawMessage{}
	}
	(*extra)[name] = v
}
