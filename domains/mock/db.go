package mock

import (
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Task is an entry of the to-do list. Status holds whatever update_task_status was given, unchecked.
type Task struct {
	TaskID, Title string
	Description   *string
	Status        value.Value
}

// User owns tasks.
type User struct {
	UserID, Name string
	Tasks        []string
}

// Board is the agent's database.
type Board struct {
	Tasks record.Dict[Task]
	Users record.Dict[User]
}

// Notification is one message in the user's inbox.
type Notification struct {
	NotificationID, Message, Status string
	TaskID                          *string
}

// Inbox is the user's database.
type Inbox struct {
	Notifications record.Dict[Notification]
}

var taskType = record.Struct(record.Model{Name: "Task"},
	record.F("task_id", record.String, func(t *Task) *string { return &t.TaskID }),
	record.F("title", record.String, func(t *Task) *string { return &t.Title }),
	record.OrNull("description", record.String, func(t *Task) **string { return &t.Description }),
	record.F("status", record.Raw(record.Enum("pending", "completed")), func(t *Task) *value.Value { return &t.Status }),
)

var userType = record.Struct(record.Model{Name: "User"},
	record.F("user_id", record.String, func(u *User) *string { return &u.UserID }),
	record.F("name", record.String, func(u *User) *string { return &u.Name }),
	record.F("tasks", record.ListOf(record.String), func(u *User) *[]string { return &u.Tasks }),
)

var boardType = record.Struct(record.Model{Name: "MockDB", Closed: true},
	record.F("tasks", record.DictOf(taskType), func(b *Board) *record.Dict[Task] { return &b.Tasks }),
	record.F("users", record.DictOf(userType), func(b *Board) *record.Dict[User] { return &b.Users }),
)

var notificationType = record.Struct(record.Model{Name: "Notification", Closed: true},
	record.F("notification_id", record.String, func(n *Notification) *string { return &n.NotificationID }),
	record.F("message", record.String, func(n *Notification) *string { return &n.Message }),
	record.Opt("status", record.Enum("unread", "read"), func(n *Notification) *string { return &n.Status },
		func() string { return "unread" }),
	record.OrNull("task_id", record.String, func(n *Notification) **string { return &n.TaskID }),
)

var inboxType = record.Struct(record.Model{Name: "MockUserDB", Closed: true},
	record.Opt("notifications", record.DictOf(notificationType),
		func(i *Inbox) *record.Dict[Notification] { return &i.Notifications },
		func() record.Dict[Notification] { return record.Dict[Notification]{} }),
)

// DB is a trial's copy of the agent's database.
type DB = record.Tree[Board]

// UserDB is a trial's copy of the user's database.
type UserDB = record.Tree[Inbox]
