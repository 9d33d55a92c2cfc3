package telecom

import (
	"regexp"
	"slices"
	"strings"
)

// What the phone shows is known from the user's words only. The user repeats what a tool of the phone says, or says it
// in other words; both are recognised clause by clause. Questions and intentions are not reports, and neither is the
// first complaint, unless it quotes the status bar.

// aspect is a part of the phone, the words for its states, and which state is a fault.
type aspect struct {
	name  string
	hints []string // a clause that holds none of these is not about it
	words []wording
	fault []string
}

type wording struct {
	state   string
	pattern *regexp.Regexp
}

func says(state, pattern string) wording { return wording{state, regexp.MustCompile(`(?i)` + pattern)} }

// A clause that asks or announces reports nothing.
var (
	clauseEnd = regexp.MustCompile(`[.!?;]+(?:[\s"”'’)]|$)|\n+|\s[—–]\s|—|, (?:but|and now|however|so|now)\b| but | however\b|\s\|\s`)
	noReport  = regexp.MustCompile(`(?i)\b(should (i|we)|shall i|i'll|i’ll|i will|let me|let's|going to|would you|could you|can you|can we|could we|do you|how (do|to|can)|try(ing)? to|want(s)? to|need(s)? to|if|before (i|we)|i'd like|i’d like|once|hoping|want|need)\b|\bno (indication|sign|mention) of\b`)
	barMark   = regexp.MustCompile(`📶|📵|✈️|(?i)status bar:`)
)

// split cuts a text into clauses; a question keeps its mark.
func split(text string) (out []string) {
	from := 0
	for _, m := range clauseEnd.FindAllStringIndex(text, -1) {
		end := m[0]
		if strings.Contains(text[m[0]:m[1]], "?") {
			end = m[1]
		}
		out = append(out, strings.TrimSpace(text[from:end]))
		from = m[1]
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// reporting drops the clauses that report nothing.
func reporting(clauses []string) (out []string) {
	for _, c := range clauses {
		if c == "" || strings.Contains(c, "?") || noReport.MatchString(c) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// onOff are the ways to say that a switch is on or off.
func onOff(name string) []wording {
	fill := `(?:\s+(?:mode|is|are|was|has been|shows?|says|currently|now|already|still|turned|switched|set to|to be|back|also|both))*\s*:?\s*["“*]*`
	did := func(state, verbs, on string) []wording {
		return []wording{
			says(state, `\b`+name+`(?: mode)?\**(?: enabled)?`+fill+`(?:`+on+`)\b`),
			says(state, `\b(?:`+verbs+`)\s+(?:the |my |both )?(?:[\w ]{0,20} and )?`+name),
			says(state, `\b(?:turned|switched|toggled)\s+(?:the |my )?`+name+`(?: mode)?\s+(?:back )?(?:`+on+`)\b`),
		}
	}
	return slices.Concat(did("on", "turned on|switched on|enabled|activated", "on|yes|enabled|active"), did("off", "turned off|switched off|disabled|deactivated", "off|no|disabled|inactive"),
		[]wording{says("off", name+`(?: mode)? (?:is|was) not (?:on|enabled|active)|\bno `+name), says("off", name+`(?: mode)? isn['’]t (?:on|enabled|active)`)})
}

// aspects lists the parts of the phone that the policy asks for. Of several wordings that fit a clause the last one counts.
var aspects = []aspect{
	{"service", []string{"📶", "📵", "✈️", "sign", "serv", "bars", "connect", "airplane"}, []wording{
		says("ok", `📶|\b(excellent|good|fair|poor|weak|full|strong|decent)( cellular| cell)?( network)? (signal|bars|reception)\b|signal( strength)?\**( is| shows| at| was|:)*["“ ]+(now |at )?["“]?(excellent|good|fair|poor|strong)|\b(full|signal|of|some|two|three|four|\d) (signal )?bars?\b|(service|signal) (is|has been|was|came|seems to be) (now )?(back|restored|available)|cellular connection\**( is|:) (now )?(connected|active)|\bi (now )?have (cell |cellular )?(service|signal)\b|connected to( a| the)? [345]g`),
		says("none", `📵 no signal|✈️|\b(no|without|lost)( cellular| cell| network)? (signal|service)\b|["“‘']?no[ _](signal|service)\b|signal( strength)?\**( is| shows|:) *["“]?none|signal["”]? (is )?still (missing|gone)|\bstill (don['’]t|do not) (see|have) (any )?(service|signal)|don['’]t (see|have) any (signal|service)|airplane mode\**:? (is )?(still )?(turned )?on\b`),
	}, []string{"none"}},
	{"airplane", []string{"airplane", "air plane", "✈️", "📶", "📵"}, append(onOff(`air ?plane mode`), says("on", `✈️|shows? ["“']?airplane mode["”']?$|airplane icon`), says("off", `airplane icon is gone|status bar: 📶|📵 no signal`)), []string{"on"}},
	{"sim", []string{"sim", "puk", "pin", "seated", "inserted"}, []wording{
		says("active", `\bsim\b.{0,40}\b(active|recogni[sz]ed|detected|working)\b|re-?seated successfully|re-?(seat|insert)ed.{0,60}(signal|5g|service is back|recogni[sz]es)`),
		says("missing", `no sim( card)?( is)?( being)? detected|\bsim\b.{0,40}\bmissing\b|sim( card)? (isn['’]t|is not|not) (being )?(detected|recogni[sz]ed)`),
		says("locked", `\bsim\b.{0,60}\blocked\b|locked[_ ](with a )?(pin|puk)|\b(pin|puk)[- ]locked`),
	}, []string{"missing", "locked"}},
	{"apn", []string{"apn"}, []wording{
		says("ok", `apn\b.{0,40}\binternet\b|apn (settings|name).{0,30}\b(look|seem|are|is)( to be)? (correct|fine|right|configured)|resetting apn settings|(reset|resetting|restored).{0,25}apn.{0,60}(restart|reboot)`),
		says("wrong", `apn\b.{0,40}\b(broken|incorrect|wrong)\b`),
	}, []string{"wrong"}},
	{"mmsc", []string{"mmsc", "apn"}, []wording{
		says("set", `mmsc.{0,80}(http|properly|correctly|is set\b|configured)|resetting apn settings|(reset|resetting|restored).{0,25}apn.{0,60}(restart|reboot)`),
		says("unset", `mmsc.{0,60}(not set|isn['’]t set|missing|blank|empty|not configured|isn['’]t)`),
	}, []string{"unset"}},
	{"speed", []string{"speed", "mbps", "connection", "rated", "result"}, []wording{
		says("slow", `\b(very poor|poor|fair|good)\b.{0,40}\b(speed|mbps)|\b(speed|mbps|rated|result)\b.{0,60}["“(‘']?\b(very poor|poor|fair|good)\b`),
		says("excellent", `\b(speed|mbps|rated|result|connection is)\b.{0,80}["“(‘']?excellent\b|excellent["”]?( internet)? speed`),
		says("none", `no[- ]connection|speed test.{0,30}(fail|no connection)|connection["”]? at all`),
	}, []string{"none", "slow"}},
	{"mms", []string{"mms", "picture", "photo", "messag", "send", "sent", "work"}, []wording{
		says("ok", `\b(can|able to|could) (now )?(successfully )?send\b|(mms|picture messages?|messaging app|it)\b.{0,30}\b(works?|working( now)?|went through|sent( successfully)?)\b|successfully sent`),
		says("no", `(mms|picture|photo|messag|send|it)\b.{0,60}\b(cannot|can['’]?t|can not|could ?n['’]t|unable|won['’]t|fail\w*|isn['’]t|doesn['’]t|not) ?(be )?(send|sent|work\w*|go|able|sending)|\b(cannot|can['’]?t|can not|could ?n['’]t|unable to|still can['’]t|not able to) send\b|\b(mms|picture).{0,40}\b(fails?|failed)\b|still (isn['’]t|not) working`),
	}, []string{"no"}},
	{"roaming", []string{"roaming"}, onOff(`data roaming`), []string{"off"}},
	{"data", []string{"mobile data", "📱"}, append(onOff(`mobile data`), says("on", `📱 data enabled`)), []string{"off"}},
	{"saver", []string{"saver"}, append(onOff(`data saver`), says("on", `🔽 data saver`)), []string{"on"}},
	{"mode", []string{"mode", "prefer", "_only", "set to", "switched to", "changed"}, []wording{
		says("new", `4g_5g_preferred|4g_only|(mode|prefer\w*|set to|switched to|changed).{0,60}\b[45]g`),
		says("old", `[23]g_only|(mode|prefer\w*|set to).{0,40}\b[23]g([ -]only)?["”]?\s*$|\b[23]g only`),
	}, []string{"old"}},
	{"nettype", []string{"2g", "3g", "4g", "5g"}, []wording{
		says("new", `\b[345]g\b`),
		says("2G", `\b2g\b`),
	}, []string{"2G"}},
	{"vpn", []string{"vpn", "🔒"}, append(onOff(`vpn`), says("off", `disconnected (from )?(the |my )?vpn|vpn( is| was|['’]s)?( now)? (disconnected|not connected)|no active vpn|vpn disconnected|vpn is turned off`),
		says("on", `vpn (is )?(still |on and |currently )*connected|🔒|connected to a vpn`)), []string{"on"}},
	{"wifi_calling", []string{"calling"}, onOff(`wi-?fi calling`), []string{"on"}},
}
