package mock

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// findTask and findUser look records up by an argument (docs/reference/domains.md#mock).
func findTask(db *DB, id value.Value) (*Task, error) {
	return toolkit.FindIn(&db.Root.Tasks, id, fmt.Sprintf("Task %s not found", id.Str()))
}

func findUser(db *DB, id value.Value) (*User, error) {
	return toolkit.FindIn(&db.Root.Users, id, fmt.Sprintf("User %s not found", id.Str()))
}

var agentTools = []toolkit.Tool[*DB]{
	{
		Name: "create_task", Kind: domains.Write, Doc: "Add a task to a user's to-do list.",
		Params: []toolkit.Param{
			toolkit.Text("user_id", "Id of the user who gets the task"),
			toolkit.Text("title", "Short title of the task"),
			toolkit.Text("description", "What the task is about, if more is known").Or(value.Value{}),
		},
		Run: createTask,
	},
	{
		Name: "get_users", Kind: domains.Read, Doc: "List every user with the ids of their tasks.",
		Run: func(db *DB, _ toolkit.Args) (toolkit.Result, error) {
			var users []*User
			for _, u := range db.Root.Users.All() {
				users = append(users, u)
			}
			return toolkit.ShowAll(userType, users)
		},
	},
	{
		Name: "update_task_status", Kind: domains.Write, Doc: "Set whether a task is still pending or completed.",
		Params: []toolkit.Param{
			toolkit.Text("task_id", "Id of the task"),
			toolkit.Choice("status", "Its new status", "pending", "completed"),
		},
		Run: func(db *DB, a toolkit.Args) (toolkit.Result, error) {
			t, err := findTask(db, a.Get("task_id"))
			if err != nil {
				return nil, err
			}
			t.Status = a.Get("status")
			return toolkit.Show(taskType, t)
		},
	},
	{
		Name: "transfer_to_human_agents", Kind: domains.Generic, Doc: "Hand the conversation over to a human colleague.",
		Params: []toolkit.Param{toolkit.Text("summary", "What the colleague needs to know")},
		Run: func(*DB, toolkit.Args) (toolkit.Result, error) {
			return toolkit.Say("Transfer successful")
		},
	},
}

func createTask(db *DB, a toolkit.Args) (toolkit.Result, error) {
	u, err := findUser(db, a.Get("user_id"))
	if err != nil {
		return nil, err
	}
	id := fmt.Sprintf("task_%d", db.Root.Tasks.Len()+1)
	t, err := taskType.Load(value.OfMap(value.MapOf(
		value.Pair{Key: "task_id", Value: value.OfString(id)},
		value.Pair{Key: "title", Value: a.Get("title")},
		value.Pair{Key: "description", Value: a.Get("description")},
		value.Pair{Key: "status", Value: value.OfString("pending")},
	)))
	if err != nil {
		return nil, err
	}
	db.Root.Tasks.Set(id, t)
	u.Tasks = append(u.Tasks, id)
	return toolkit.Show(taskType, db.Root.Tasks.Get(id))
}

var agentFuncs = []toolkit.Func[*DB]{
	{
		Name:   "assert_number_of_tasks",
		Params: []toolkit.Param{toolkit.Text("user_id", ""), toolkit.Integer("expected_number", "")},
		Run: func(db *DB, a toolkit.Args) (value.Value, error) {
			u, err := findUser(db, a.Get("user_id"))
			if err != nil {
				return value.Value{}, err
			}
			return value.OfBool(value.Equal(value.OfInt(int64(len(u.Tasks))), a.Get("expected_number"))), nil
		},
	},
	{
		Name:   "assert_task_status",
		Params: []toolkit.Param{toolkit.Text("task_id", ""), toolkit.Text("expected_status", "")},
		Run: func(db *DB, a toolkit.Args) (value.Value, error) {
			t, err := findTask(db, a.Get("task_id"))
			if err != nil {
				return value.Value{}, err
			}
			return value.OfBool(value.Equal(t.Status, a.Get("expected_status"))), nil
		},
	},
}

func findNotification(db *UserDB, id value.Value) (*Notification, error) {
	return toolkit.FindIn(&db.Root.Notifications, id, fmt.Sprintf("Notification %s not found", id.Str()))
}

var userTools = []toolkit.Tool[*UserDB]{
	{
		Name: "check_notifications", Kind: domains.Read, Doc: "Look through the notifications in your inbox.",
		Run: func(db *UserDB, _ toolkit.Args) (toolkit.Result, error) {
			var all []*Notification
			for _, n := range db.Root.Notifications.All() {
				all = append(all, n)
			}
			return toolkit.ShowAll(notificationType, all)
		},
	},
	{
		Name: "dismiss_notification", Kind: domains.Write, Doc: "Mark one of your notifications as read.",
		Params: []toolkit.Param{toolkit.Text("notification_id", "Id of the notification")},
		Run: func(db *UserDB, a toolkit.Args) (toolkit.Result, error) {
			n, err := findNotification(db, a.Get("notification_id"))
			if err != nil {
				return nil, err
			}
			n.Status = "read"
			return toolkit.Say("Notification " + a.Str("notification_id") + " dismissed")
		},
	},
}

var userFuncs = []toolkit.Func[*UserDB]{
	{
		Name: "add_notification",
		Params: []toolkit.Param{toolkit.Text("notification_id", ""), toolkit.Text("message", ""),
			toolkit.Text("task_id", "").Or(value.Value{})},
		Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
			n, err := notificationType.Load(value.OfMap(value.MapOf(
				value.Pair{Key: "notification_id", Value: a.Get("notification_id")},
				value.Pair{Key: "message", Value: a.Get("message")},
				value.Pair{Key: "task_id", Value: a.Get("task_id")},
			)))
			if err != nil {
				return value.Value{}, err
			}
			db.Root.Notifications.Set(n.NotificationID, n)
			return notificationType.Value(&n), nil
		},
	},
	{
		Name:   "assert_notification_status",
		Params: []toolkit.Param{toolkit.Text("notification_id", ""), toolkit.Text("expected_status", "")},
		Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
			n, err := findNotification(db, a.Get("notification_id"))
			if err != nil {
				return value.Value{}, err
			}
			return value.OfBool(value.Equal(value.OfString(n.Status), a.Get("expected_status"))), nil
		},
	},
}
