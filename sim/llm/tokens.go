package llm

import "time"

const (
	// bytesPerToken is what a token is taken for until an endpoint's own counts
	// are known.
	bytesPerToken = 4.0
	// firstAnswer is how many tokens an answer is taken for until then.
	firstAnswer = 200.0
	// newestWeight weighs the latest answer in the averages.
	newestWeight = 0.1
	// tokenBurst is for how long tokens may be saved up.
	tokenBurst = 10 * time.Second
)

// tokenBucket bounds tokens per minute. How many a request takes is known only
// when it is answered, so it pays an estimate at its start and the difference at
// its end; the bucket may thus be in debt, and then nobody starts. With the
// limiter's lock held.
type tokenBucket struct {
	perSecond, most float64
	level           float64
	at              time.Time
	perByte         float64 // prompt tokens for each byte of text, learnt
	answer          float64 // tokens of an answer, learnt
}

func newTokenBucket(perMinute float64, now time.Time) *tokenBucket {
	b := &tokenBucket{perSecond: perMinute / 60, at: now, perByte: 1 / bytesPerToken, answer: firstAnswer}
	b.most = b.perSecond * tokenBurst.Seconds()
	b.level = b.most
	return b
}

// estimate guesses the tokens of a request with so many bytes of text.
func (b *tokenBucket) estimate(size int) float64 { return float64(size)*b.perByte + b.answer }

// learn brings the averages closer to what an answer really took.
func (b *tokenBucket) learn(size int, used Usage) {
	if size > 0 {
		b.perByte += newestWeight * (float64(used.PromptTokens.N)/float64(size) - b.perByte)
	}
	b.answer += newestWeight * (float64(used.CompletionTokens.N) - b.answer)
}

func (b *tokenBucket) refill(now time.Time) {
	if d := now.Sub(b.at); d > 0 {
		b.level, b.at = min(b.most, b.level+d.Seconds()*b.perSecond), now
	}
}

// wait returns how long a request of n tokens has to wait. One that is larger
// than the bucket waits until it is full.
func (b *tokenBucket) wait(now time.Time, n float64) time.Duration {
	b.refill(now)
	missing := min(n, b.most) - b.level
	if missing <= 1e-6*b.most {
		return 0
	}
	return max(time.Duration(missing/b.perSecond*float64(time.Second)), time.Microsecond)
}

func (b *tokenBucket) take(now time.Time, n float64) float64 {
	b.refill(now)
	b.level -= n
	return n
}

// correct replaces an estimate by what was used.
func (b *tokenBucket) correct(now time.Time, estimated, used float64) {
	b.refill(now)
	b.level = min(b.most, b.level+estimated-used)
}

// TextSize counts the bytes of a request that its model reads.
func TextSize(req Request) int {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Text())
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}
