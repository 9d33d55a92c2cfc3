package toolkit

import (
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
	eval, err := parseExpression(text)
	if err != nil {
		return "", err
	}
	n, err := eval()
	if err != nil {
		return "", err
	}
	f, err := n.float()
	if err != nil {
		return "", err
	}
	return value.FloatText(value.Round2(f)), nil
}

// term is a parsed part of an expression. The whole is parsed before anything is worked out, because a mistake in
// spelling anywhere comes before one in arithmetic.
type term func() (number, error)

func parseExpression(text string) (term, error) {
	tokens, open, err := scan(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, domains.Refusal("invalid syntax (<string>, line 0)")
	}
	p := &calcParser{tokens: tokens}
	t, err := p.sum()
	if err == nil && p.peek() != "" {
		_ = p.stray()
		err = badSyntax
	}
	// The reference notices an open parenthesis only where its parser gets to the end of the text.
	if (err == badSyntax || err == noComma) && open && p.peek() == "" {
		err = domains.Refusal("'(' was never closed (<string>, line 1)")
	}
	return t, err
}

// calcParser is a recursive descent over the tokens: sum, product, sign, power, call, atom.
type calcParser struct {
	tokens []string
	at     int
	depth  int
}

// peek returns the next token, "" at the end.
func (p *calcParser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *calcParser) accept(tokens ...string) string {
	for _, t := range tokens {
		if p.peek() == t {
			p.at++
			return t
		}
	}
	return ""
}

func (p *calcParser) sum() (term, error)     { return p.chain(p.product, "+", "-") }
func (p *calcParser) product() (term, error) { return p.chain(p.sign, "*", "/", "//") }

// chain parses operands joined by left-associative operators of one rank.
func (p *calcParser) chain(operand func() (term, error), ops ...string) (term, error) {
	first, err := operand()
	if err != nil {
		return nil, err
	}
	var joins []string
	var rest []term
	for op := p.accept(ops...); op != ""; op = p.accept(ops...) {
		t, err := operand()
		if err != nil {
			return nil, err
		}
		joins, rest = append(joins, op), append(rest, t)
	}
	if len(rest) == 0 {
		return first, nil
	}
	return func() (number, error) {
		acc, err := first()
		for i := 0; err == nil && i < len(rest); i++ {
			var n number
			if n, err = rest[i](); err == nil {
				acc, err = operate(joins[i], acc, n)
			}
		}
		return acc, err
	}, nil
}

func (p *calcParser) sign() (term, error) {
	op := p.accept("+", "-")
	if op == "" {
		return p.power()
	}
	if p.depth++; p.depth > maxNested {
		return nil, domains.Refusal("expression nested too deeply")
	}
	defer func() { p.depth-- }()
	t, err := p.sign()
	if err != nil {
		return nil, err
	}
	return func() (number, error) {
		n, err := t()
		if err != nil {
			return n, err
		}
		return n.signed(op)
	}, nil
}

func (p *calcParser) power() (term, error) {
	base, err := p.call()
	if err != nil || p.accept("**") == "" {
		return base, err
	}
	if p.depth++; p.depth > maxNested {
		return nil, domains.Refusal("expression nested too deeply")
	}
	defer func() { p.depth-- }()
	exponent, err := p.sign()
	if err != nil {
		return nil, err
	}
	return func() (number, error) {
		b, err := base()
		if err != nil {
			return b, err
		}
		e, err := exponent()
		if err != nil {
			return e, err
		}
		return operate("**", b, e)
	}, nil
}

// call parses an atom and the parentheses behind it, which the reference's language takes for a call: 2(3) is not a
// product, it is an attempt to call the number 2.
func (p *calcParser) call() (term, error) {
	callee, err := p.atom()
	if err == nil && p.accept(".") != "" {
		return nil, badSyntax // a name would have to follow
	}
	for err == nil && p.accept("(") != "" {
		f, args := callee, term(nil)
		p.accept("*", "**")
		if p.accept(")") == "" {
			args, err = p.closed()
		}
		callee = func() (number, error) {
			n, err := f()
			if err == nil && args != nil {
				_, err = args()
			}
			if err == nil {
				err = domains.Refuse("'%s' object is not callable", n.typeName())
			}
			return number{}, err
		}
	}
	return callee, err
}

func (p *calcParser) atom() (term, error) {
	if p.accept("(") != "" {
		if p.accept(")") != "" {
			return func() (number, error) { return number{other: "tuple"}, nil }, nil
		}
		return p.closed()
	}
	if p.accept("...") != "" {
		return func() (number, error) { return number{other: "ellipsis"}, nil }, nil
	}
	if !startsOperand(p.peek()) {
		return nil, badSyntax
	}
	n, err := literal(p.peek())
	p.at++
	return func() (number, error) { return n, nil }, err
}

// closed parses what stands in parentheses, with the closing one.
func (p *calcParser) closed() (term, error) {
	t, err := p.sum()
	switch {
	case err != nil:
		return nil, err
	case p.accept(")") != "":
		return t, nil
	}
	return nil, p.stray()
}

// stray is the failure at a token that cannot follow an expression. Where a second expression starts there, the
// reference reads it as far as it goes before it complains.
func (p *calcParser) stray() error {
	if !startsOperand(p.peek()) {
		return badSyntax
	}
	if _, err := p.sum(); err != nil && err != badSyntax && err != noComma {
		return err
	}
	return noComma
}
