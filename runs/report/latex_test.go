package report_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wellFormed checks a LaTeX text without LaTeX: environments and braces close, rows have the cells that their tabular declares,
// commands are those that we write, mathematics ends where it begins, and no other special character is left.
func wellFormed(text string) error {
	var envs []string
	depth, columns, cells, math := 0, 0, 0, false
	for at := 0; at < len(text); {
		rest := text[at:]
		switch c := rest[0]; {
		case c == '%':
			if at > 0 && text[at-1] != '\n' {
				return fmt.Errorf("byte %d: a comment within a line", at)
			}
			at += strings.IndexByte(rest, '\n') + 1
			continue
		case c == '\\':
			n, err := command(rest, &envs, &columns, &cells)
			if err != nil {
				return fmt.Errorf("byte %d: %w", at, err)
			}
			at += n
			continue
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth < 0 {
				return fmt.Errorf("byte %d: a brace too many", at)
			}
		case c == '$':
			math = !math
		case c == '&':
			cells++
		case c == '^' && math:
		case strings.ContainsRune(`#_~^"<>|`, rune(c)) || c < ' ' && c != '\n':
			return fmt.Errorf("byte %d: %q is not escaped", at, c)
		}
		at++
	}
	if depth != 0 || math || len(envs) != 0 {
		return fmt.Errorf("the text ends within braces (%d), mathematics (%v) or environments (%v)", depth, math, envs)
	}
	return nil
}

// known are the commands without a meaning for the structure.
const known = ` centering caption label toprule midrule bottomrule small footnotesize scriptsize tiny par medskip raggedright textbackslash
textasciitilde textless textgreater textbar textasciigrave textperiodcentered textsuperscript textbf emph Delta Sigma tau geq leq times
ldots dag subset rightarrow pm allowbreak penalty setlength tabcolsep addtocounter `

func command(rest string, envs *[]string, columns, cells *int) (int, error) {
	if len(rest) == 1 {
		return 0, fmt.Errorf("a backslash at the end")
	}
	if strings.ContainsRune(`{}$&#_%^,`, rune(rest[1])) {
		return 2, nil
	}
	if rest[1] == '\\' {
		if *columns == 0 || *cells+1 != *columns {
			return 0, fmt.Errorf("a row with %d cells, want %d", *cells+1, *columns)
		}
		*cells = 0
		return 2, nil
	}
	name := rest[1 : 1+strings.IndexFunc(rest[1:], func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' })]
	n := 1 + len(name)
	switch name {
	case "begin", "end":
		env := rest[n+1 : n+strings.IndexByte(rest[n:], '}')]
		n += len(env) + 2
		if name == "end" {
			if len(*envs) == 0 || (*envs)[len(*envs)-1] != env {
				return 0, fmt.Errorf("%s ends within %v", env, *envs)
			}
			*envs = (*envs)[:len(*envs)-1]
			return n, nil
		}
		*envs = append(*envs, env)
		if strings.HasPrefix(env, "tabular") {
			n += len(regexp.MustCompile(`^({\\linewidth})?`).FindString(rest[n:]))
			spec := regexp.MustCompile(`^{@{}(l|r|>{[^X]*}X)+@{}}`).FindString(rest[n:])
			if spec == "" {
				return 0, fmt.Errorf("columns %.40q", rest[n:])
			}
			*columns = len(regexp.MustCompile(`>{[^X]*}X|l|r`).FindAllString(spec, -1))
			n += len(spec)
		}
		return n, nil
	case "multicolumn", "cmidrule":
		m := regexp.MustCompile(`^{(\d+)}{c}|^\(lr\){[\d-]+}`).FindStringSubmatch(rest[n:])
		if m == nil {
			return 0, fmt.Errorf("unknown form %.40q", rest)
		}
		if of, err := strconv.Atoi(m[1]); err == nil {
			*cells += of - 1
		}
		return n + len(m[0]), nil
	}
	if name == "" || !strings.Contains(known, " "+name+" ") && !strings.Contains(known, "\n"+name+" ") && !strings.Contains(known, " "+name+"\n") {
		return 0, fmt.Errorf("unknown command %.20q", rest)
	}
	if name == "label" || name == "addtocounter" {
		return n + strings.IndexByte(rest[n:], '}') + 1, nil
	}
	return n, nil
}

func TestWellFormedFindsFaults(t *testing.T) {
	frame := func(s string) string {
		return "\\begin{table}\n\\begin{tabular}{@{}lr@{}}\n" + s + " \\\\\n\\end{tabular}\n\\end{table}\n"
	}
	if err := wellFormed(frame(`a\_b & $^{4}$`)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"a_b & 1", "a & b & c", "a", "{a & b", "a} & b", "50 % & b", "$a & b", `\input{x} & b`, "a^2 & b", "a & #"} {
		if err := wellFormed(frame(bad)); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
