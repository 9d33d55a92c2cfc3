package llm

import "context"

// Exchange is one HTTP request for a completion and what came of it, byte for byte. A call that is retried is several.
type Exchange struct {
	Tag     Tag
	Request []byte // the body that was sent
	// Common are the places [from, to) in Request of what other conversations send as well: the first system message, the tools.
	Common [][2]int
	Status int // of HTTP; 0 where no answer came
	// Answer is the body that came, decompressed, with the endpoint's secrets masked. Of a reply that is no answer at most
	// 64 kB are kept, and Cut says that there was more.
	Answer []byte
	Cut    bool
	Error  string // why it is not an answer that counts; "" if it is one
}

// keptReply bounds what an exchange keeps of a reply that is no answer.
const keptReply = 64 << 10

type exchangesKey struct{}

// WithExchanges returns a context whose requests are told to keep, each once it has ended. The slices are not written to
// afterwards. keep must be safe for concurrent use if the requests are.
func WithExchanges(ctx context.Context, keep func(Exchange)) context.Context {
	return context.WithValue(ctx, exchangesKey{}, keep)
}

// tell hands an exchange to whom the context names.
func (x *exchange) tell(ctx context.Context, tag Tag, failure *Error) {
	keep, ok := ctx.Value(exchangesKey{}).(func(Exchange))
	if !ok || !x.sent {
		return
	}
	out := Exchange{Tag: tag, Request: x.body.bytes, Common: x.body.common, Status: x.status, Answer: x.came}
	if failure != nil {
		out.Error = failure.Error()
		if out.Cut = len(out.Answer) > keptReply; out.Cut {
			out.Answer = out.Answer[:keptReply]
		}
	}
	keep(out)
}
