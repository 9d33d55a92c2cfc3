package guide

// Type is the type of a node.
type Type string

// The eight node types (docs/reference/guide.md#bundles).
const (
	Entry         Type = "entry"
	Exit          Type = "exit"
	AgentAction   Type = "agent_action"
	UserInput     Type = "user_input"
	ToolCall      Type = "tool_call"
	Authorization Type = "tool_authorization"
	Decision      Type = "decision"
	Anchor        Type = "subflow" // stands for the nodes of another file; composing replaces it
)

// Types returns the node types in the order of the documentation.
func Types() []Type {
	return []Type{Entry, Exit, AgentAction, UserInput, ToolCall, Authorization, Decision, Anchor}
}

// Evaluated reports whether nodes of the type have a condition that a verifier judges.
func (t Type) Evaluated() bool {
	switch t {
	case AgentAction, UserInput, ToolCall, Authorization, Decision:
		return true
	}
	return false
}

// Actor says who carries a node's action out.
type Actor string

// The actors.
const (
	ByAgent   Actor = "agent"
	ByUser    Actor = "user"
	ByRuntime Actor = "runtime"
)

// Satisfied is the label of every edge that does not leave a decision.
const Satisfied = "satisfied"

// Node is one step of a procedure. In a File its ID is unique there; in a Graph it is the path of anchors that lead to
// it, joined by dots.
type Node struct {
	ID    string
	Local string // ID within its file
	Type  Type
	Actor Actor

	Action        string   // what is expected, one sentence
	Tools         []string // tool_authorization: exactly one; tool_call: one, or alternatives
	OnlyIf        string   // tool_call: when the call is needed at all; "" means always
	Event         *Event
	Expect        string // what should be seen in the conversation
	SatisfiedWhen string // the condition that must hold
	Remediation   string // what to tell the agent while it does not
	Check         string // CEL, "" if the node has none
	Policy        []string
	Subflow       string // of an Anchor
	Edges         []Edge

	File string
	Line int
	Keys map[string]int // line of each key of the node
}

// Edge leads from a node to another.
type Edge struct {
	To       string
	When     string // Satisfied, or the label of a branch
	Describe string // of a branch
	Check    string // of a branch, CEL
	Line     int
}

// EventKind is what a node's event looks for.
type EventKind string

// The events (docs/reference/guide.md#bundles).
const (
	AgentCalled EventKind = "agent_called" // the agent asked for the tool, whatever came of it
	CallOK      EventKind = "call_ok"      // the agent's call of the tool succeeded
	UserSaid    EventKind = "user_said"    // a text of the user matches
	AgentSaid   EventKind = "agent_said"   // a text of the agent matches
)

// Event decides a node that has no check.
type Event struct {
	Kind    EventKind `json:"kind"`
	Tools   []string  `json:"tools,omitempty"`   // AgentCalled and CallOK: any of them; empty means the node's own tools
	Pattern string    `json:"pattern,omitempty"` // UserSaid and AgentSaid: RE2
	Line    int       `json:"-"`
}

// Files returns the main file and then the subflows.
// Subflow returns the subflow of that name.
// Used returns the names of the subflows that the main file uses, itself or by way of others.
// Node returns the node of that id within the file.
// Next returns the target of a node's only edge; "" for an exit, a decision, or a node that has no such edge.
func (n *Node) Next() string {
	if n.Type == Decision || n.Type == Exit || len(n.Edges) != 1 {
		return ""
	}
	return n.Edges[0].To
}

// Tool returns the tool of an authorization, or of a tool call without alternatives; "" otherwise.
func (n *Node) Tool() string {
	if len(n.Tools) == 1 {
		return n.Tools[0]
	}
	return ""
}

// line returns the line of a key, or of the node itself.
func (n *Node) line(key string) int {
	if l, ok := n.Keys[key]; ok {
		return l
	}
	return n.Line
}
