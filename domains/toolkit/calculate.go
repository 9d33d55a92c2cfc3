package toolkit

import (
	"errors"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// calculatorAlphabet is what an expression may be made of.
const calculatorAlphabet = "0123456789+-*/(). "

// Bounds of the calculator, against expressions that would eat the machine: open parentheses (the reference's own),
// and signs or exponents within each other.
const (
	maxParens = 200
	maxNested = 1000
)

const (
	badSyntax = domains.Refusal("invalid syntax (<string>, line 1)")
	noComma   = domains.Refusal("invalid syntax. Perhaps you forgot a comma? (<string>, line 1)")
)

// Calculate works out an arithmetic expression as the airline and retail calculators do
// (docs/reference/domains.md#calculator): numbers, + - * / // **, signs and parentheses, over integers of any size
// and floats; the result is rounded to two decimals and always prints as a float. Errors carry the reference's texts.
func Calculate(v Value) (string, error) {
	chars, err := Iterate(v)
	if err != nil {
		return "", err
	}
	for _, c := range chars {
		s, ok := c.Text()
		if !ok {
			return "", domains.Refuse("'in <string>' requires string as left operand, not %s", c.TypeName())
		}
		if !strings.Contains(calculatorAlphabet, s) {
			return "", domains.Refusal("Invalid characters in expression")
		}
	}
	text, ok := v.Text()
	if !ok {
		return "", domains.Refusal("eval() arg 1 must be a string, bytes or code object")
	}
	n, err := evaluate(text)
	if err != nil {
		return "", err
	}
	f, err := n.Finite()
	return value.FloatText(value.Round2(f)), err
}

func evaluate(text string) (Value, error) {
	tokens, open, err := scan(text)
	if err != nil {
		return Value{}, err
	}
	if len(tokens) == 0 {
		return Value{}, domains.Refusal("invalid syntax (<string>, line 0)")
	}
	c := &calculator{tokens: tokens}
	n, err := c.sum()
	if err == nil && c.peek() != "" {
		_ = c.stray()
		err = badSyntax
	}
	// The reference notices an open parenthesis only where its parser gets to the end of the text.
	if (err == badSyntax || err == noComma) && open && c.peek() == "" {
		err = domains.Refusal("'(' was never closed (<string>, line 1)")
	}
	if err == nil {
		err = c.failed
	}
	return n, err
}

// calculator is a recursive descent over the tokens (sum, product, sign, power, call, atom) that works them out as it
// goes. Its methods return mistakes in spelling, which come before those in arithmetic wherever they are.
type calculator struct {
	tokens []string
	at     int
	depth  int
	failed error // the first mistake in arithmetic
}

// peek returns the next token, "" at the end.
func (c *calculator) peek() string {
	if c.at < len(c.tokens) {
		return c.tokens[c.at]
	}
	return ""
}

func (c *calculator) accept(tokens ...string) string {
	for _, t := range tokens {
		if c.peek() == t {
			c.at++
			return t
		}
	}
	return ""
}

// note keeps a mistake in arithmetic for the end.
func (c *calculator) note(n Value, err error) Value {
	if c.failed == nil {
		c.failed = err
	}
	if err != nil {
		return value.OfInt(1)
	}
	return n
}

// nested parses what may contain itself without parentheses.
func (c *calculator) nested(part func() (Value, error)) (Value, error) {
	if c.depth++; c.depth > maxNested {
		return Value{}, domains.Refusal("expression nested too deeply")
	}
	defer func() { c.depth-- }()
	return part()
}

func (c *calculator) sum() (Value, error)     { return c.chain(c.product, "+", "-") }
func (c *calculator) product() (Value, error) { return c.chain(c.sign, "*", "/", "//") }

// chain works out operands joined by left-associative operators of one rank.
func (c *calculator) chain(operand func() (Value, error), ops ...string) (Value, error) {
	n, err := operand()
	for err == nil {
		op := c.accept(ops...)
		if op == "" {
			break
		}
		var m Value
		if m, err = operand(); err == nil {
			n = c.note(operate(op, n, m))
		}
	}
	return n, err
}

func (c *calculator) sign() (Value, error) {
	op := c.accept("+", "-")
	if op == "" {
		return c.power()
	}
	n, err := c.nested(c.sign)
	if err == nil && op == "-" {
		n = c.note(value.Neg(n))
	}
	return n, err
}

func (c *calculator) power() (Value, error) {
	base, err := c.call()
	if err != nil || c.accept("**") == "" {
		return base, err
	}
	exponent, err := c.nested(c.sign)
	if err != nil {
		return base, err
	}
	return c.note(operate("**", base, exponent)), nil
}

// call parses an atom and the parentheses behind it, which the reference's language takes for a call: 2(3) is not a
// product, it is an attempt to call the number 2.
func (c *calculator) call() (Value, error) {
	n, err := c.atom()
	if err == nil && c.accept(".") != "" {
		return n, badSyntax // a name would have to follow
	}
	for err == nil && c.accept("(") != "" {
		c.accept("*", "**")
		if c.accept(")") == "" {
			_, err = c.closed()
		}
		n = c.note(n, domains.Refuse("'%s' object is not callable", n.TypeName()))
	}
	return n, err
}

func (c *calculator) atom() (Value, error) {
	if c.accept("(") != "" {
		if c.accept(")") != "" {
			return c.note(Value{}, errNotReal("tuple")), nil
		}
		return c.closed()
	}
	text := c.peek()
	if !startsOperand(text) {
		return Value{}, badSyntax
	}
	c.at++
	if len(text) > maxDigits && !strings.Contains(text, ".") {
		return Value{}, domains.Refuse("a number of %d digits is too long for the calculator, which reads up to %d", len(text), maxDigits)
	}
	return literal(text)
}

// closed parses what stands in parentheses, with the closing one.
func (c *calculator) closed() (Value, error) {
	n, err := c.sum()
	if err == nil && c.accept(")") == "" {
		err = c.stray()
	}
	return n, err
}

// stray is the failure at a token that cannot follow an expression. Where a second expression starts there, the
// reference reads it as far as it goes before it complains.
func (c *calculator) stray() error {
	if !startsOperand(c.peek()) {
		return badSyntax
	}
	var refusal domains.Refusal
	if _, err := c.sum(); errors.As(err, &refusal) && refusal != badSyntax && refusal != noComma {
		return err
	}
	return noComma
}
