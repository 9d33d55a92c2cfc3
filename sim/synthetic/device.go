package synthetic

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// maxCalls bounds how many steps the user takes on one message of the agent's.
const maxCalls = 4

// topic is a thing on the user's side that agents talk about.
type topic struct {
	words *regexp.Regexp
	// look is the tool that shows its state, act the one that changes it; either may be empty.
	look, act string
}

var (
	actPattern = regexp.MustCompile(`(?i)\b(turn|toggle|switch|enable|disable|activate|deactivate|reset|reboot|restart|power|re-?seat|re-?insert|remove|take|set|change|grant|allow|give|pay|make|disconnect|connect)\b`)
	sentenceRE = regexp.MustCompile(`[.!?;:]\s|\n`)
)

// wanted lists the calls that the agent's last words ask the user for, as far as the request offers the tools.
func (u *caller) wanted() []domains.ToolCall {
	if len(u.input.Request.Tools) == 0 {
		return nil
	}
	text := u.lastHeard()
	var out []domains.ToolCall
	if _, order, ok := strings.Cut(text, deviceLead); ok {
		order, _, _ = strings.Cut(order, deviceTail)
		out = u.spelled(order)
	} else if u.said(u.first) && !closes(text) {
		out = u.meant(text)
	}
	out = slices.DeleteFunc(out, func(c domains.ToolCall) bool { return !u.input.offers(c.Name) })
	return out[:min(len(out), maxCalls)]
}

// closes reports whether the words end the matter, so that a device they mention is not to be touched again.
func closes(text string) bool {
	return strings.Contains(text, handoff) || strings.Contains(text, consentAsk) || finishedPattern.MatchString(text)
}

// spelled finds the call that a phrase of the scripted agent means: one that the gold plan expects of the user,
// or one without arguments.
func (u *caller) spelled(phrase string) []domains.ToolCall {
	t := knowledgeOf(u.input.World.Name)
	for _, a := range u.input.actions() {
		if c := a.Call(); c.Requestor == domains.UserSide && t.phrase(c) == phrase {
			return []domains.ToolCall{c}
		}
	}
	for _, tool := range u.input.Request.Tools {
		if c := userCall(tool.Name, nil); t.phrase(c) == phrase {
			return []domains.ToolCall{c}
		}
	}
	return nil
}

// meant finds the calls that another agent asks for: tools by name, else things by keyword, in the order of the text.
func (u *caller) meant(text string) []domains.ToolCall {
	var out []domains.ToolCall
	add := func(c domains.ToolCall) {
		if !slices.ContainsFunc(out, func(o domains.ToolCall) bool { return sameCall(o, c) }) {
			out = append(out, c)
		}
	}
	topics := knowledgeOf(u.input.World.Name).topics
	tools := slices.Clone(u.input.Request.Tools)
	slices.SortStableFunc(tools, func(a, b llm.Tool) int { return len(b.Name) - len(a.Name) }) // one name may hold another
	for _, sentence := range sentenceRE.Split(text, -1) {
		for _, tool := range tools {
			if !strings.Contains(sentence, tool.Name) {
				continue
			}
			for _, args := range argumentsFor(tool.Name, sentence) {
				add(userCall(tool.Name, args))
			}
			sentence = strings.ReplaceAll(sentence, tool.Name, "")
		}
		for _, t := range topics {
			if !t.words.MatchString(sentence) {
				continue
			}
			name := t.look
			if name == "" || (t.act != "" && actPattern.MatchString(t.words.ReplaceAllString(sentence, ""))) {
				name = t.act
			}
			for _, args := range argumentsFor(name, sentence) {
				add(userCall(name, args))
			}
			sentence = t.words.ReplaceAllString(sentence, "")
		}
	}
	return out
}

// argumentsFor reads a tool's arguments off a sentence: one set for each call, a nil one for a tool without any.
func argumentsFor(tool, sentence string) []*value.Map {
	app := "messaging"
	if strings.Contains(strings.ToLower(sentence), "browser") {
		app = "browser"
	}
	switch tool {
	case "set_network_mode_preference":
		best := "4g_5g_preferred"
		return []*value.Map{value.MapOf(arg("mode", cmp.Or(modePattern.FindString(sentence), best)))}
	case "check_app_permissions":
		return []*value.Map{value.MapOf(arg("app_name", app))}
	case "grant_app_permission":
		named := permissionPattern.FindAllString(sentence, -1)
		if len(named) == 0 {
			named = []string{"sms"}
		}
		var out []*value.Map
		for _, p := range named {
			out = append(out, value.MapOf(arg("app_name", app), arg("permission", strings.ToLower(p))))
		}
		return out
	}
	return []*value.Map{nil}
}

func userCall(tool string, args *value.Map) domains.ToolCall {
	return domains.ToolCall{Name: tool, Arguments: value.OfMap(args), Requestor: domains.UserSide}
}

// telecomTopics are in the order in which they claim words: Wi-Fi calling before Wi-Fi, data saver before data.
var telecomTopics = []topic{
	{words: regexp.MustCompile(`(?i)\bspeed ?test\b`), look: "run_speed_test"},
	{words: regexp.MustCompile(`(?i)\bairplane mode\b`), look: "check_status_bar", act: "toggle_airplane_mode"},
	{words: regexp.MustCompile(`(?i)\bdata saver( mode)?\b`), look: "check_data_restriction_status", act: "toggle_data_saver_mode"},
	{words: regexp.MustCompile(`(?i)\bwi-?fi calling\b`), look: "check_wifi_calling_status", act: "toggle_wifi_calling"},
	{words: regexp.MustCompile(`(?i)\bwi-?fi\b`), look: "check_wifi_status", act: "toggle_wifi"},
	{words: regexp.MustCompile(`(?i)\b(data )?roaming\b`), look: "check_network_status", act: "toggle_roaming"},
	{words: regexp.MustCompile(`(?i)\b(mobile|cellular) data\b`), look: "check_network_status", act: "toggle_data"},
	{words: regexp.MustCompile(`(?i)\b(network mode( preference)?|preferred network( type| mode)?)\b`),
		look: "check_network_mode_preference", act: "set_network_mode_preference"},
	{words: regexp.MustCompile(`(?i)\bvpn\b`), look: "check_vpn_status", act: "disconnect_vpn"},
	{words: regexp.MustCompile(`(?i)\bapn( settings)?\b`), look: "check_apn_settings", act: "reset_apn_settings"},
	{words: regexp.MustCompile(`(?i)\bsim( card)?\b`), look: "check_sim_status", act: "reseat_sim_card"},
	{words: regexp.MustCompile(`(?i)\bpermissions?\b`), look: "check_app_permissions", act: "grant_app_permission"},
	{words: regexp.MustCompile(`(?i)\b(mms|picture message)\b`), look: "can_send_mms"},
	{words: regexp.MustCompile(`(?i)\b(reboot|restart)\b`), act: "reboot_device"},
	{words: regexp.MustCompile(`(?i)\bpayment request\b`), look: "check_payment_request", act: "make_payment"},
	{words: regexp.MustCompile(`(?i)\bstatus bar\b`), look: "check_status_bar"},
	{words: regexp.MustCompile(`(?i)\bnetwork status\b`), look: "check_network_status"},
}

var (
	modePattern       = regexp.MustCompile(`\b(4g_5g_preferred|4g_only|3g_only|2g_only)\b`)
	permissionPattern = regexp.MustCompile(`(?i)\b(sms|storage|phone|network)\b`)
)
