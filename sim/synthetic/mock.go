package synthetic

import (
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

var mockKnowledge = knowledge{
	identity:   "your user id",
	identifies: []string{"get_users"},
	lookUp:     func(Input, *domains.Env) []domains.ToolCall { return []domains.ToolCall{invoke("get_users")} },
	slips: func(_ *domains.Env, c domains.ToolCall) []value.Value {
		var out []value.Value
		args := c.ArgumentsMap()
		if title, ok := textAt(args, "title"); ok {
			if one, _, several := strings.Cut(title, " "); several {
				out = append(out, with(args, "title", value.OfString(one)))
			}
		}
		if status, ok := textAt(args, "status"); ok && status == "completed" {
			out = append(out, with(args, "status", value.OfString("pending")))
		}
		return out
	},
	forbidden: func(Input, *domains.Env, string) []domains.ToolCall {
		return []domains.ToolCall{
			invoke("update_task_status", arg("task_id", "task_1"), arg("status", "completed")),
			invoke("create_task", arg("user_id", "user_1"), arg("title", "As you wish")),
		}
	},
	phrases: map[string]string{
		"dismiss_notification": "dismiss the notification {notification_id}",
		"check_notifications":  "look through your notifications",
	},
}
