package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// violations evaluates the data's own rules (invariants.yaml) on every record of the agent's database.
func violations(w *domains.World) ([]Lint, error) {
	if w.Invariants == "" {
		return nil, nil
	}
	db, err := tables(w)
	if err != nil {
		return nil, err
	}
	return breaches(w.Invariants, db)
}

func breaches(text string, db map[string]any) ([]Lint, error) {
	const file = "invariants.yaml"
	var rules map[string]map[string]string // by table, what holds in words → the expression
	if err := yamlfile.Decode(file, []byte(text), &rules); err != nil {
		return nil, err
	}
	env, err := ruleLanguage()
	if err != nil {
		return nil, err
	}
	var out []Lint
	for _, table := range slices.Sorted(maps.Keys(rules)) {
		records := recordsOf(table, db[table])
		if len(records) == 0 {
			return nil, fmt.Errorf("%s: the database has no records %s\nhint: name one of its tables: %s", file, table,
				strings.Join(slices.Sorted(maps.Keys(db)), ", "))
		}
		for _, name := range slices.Sorted(maps.Keys(rules[table])) {
			ast, issues := env.Compile(rules[table][name])
			if issues.Err() != nil {
				return nil, fmt.Errorf("%s: %s.%s: %w", file, table, name, issues.Err())
			}
			rule, err := env.Program(ast)
			if err != nil {
				return nil, fmt.Errorf("%s: %s.%s: %w", file, table, name, err)
			}
			for _, r := range records {
				holds, _, err := rule.Eval(map[string]any{"key": r.key, "it": r.value, "db": db})
				switch {
				case err != nil:
					out = append(out, Lint{Kind: LintRecord, Field: table + "." + r.key, Why: fmt.Sprintf("it cannot be told whether it %s: %v", name, err)})
				case holds != types.True:
					out = append(out, Lint{Kind: LintRecord, Field: table + "." + r.key, Why: "it is not so that it " + name})
				}
			}
		}
	}
	return out, nil
}

// ruleLanguage is CEL with the variables and functions of invariants.
func ruleLanguage() (*cel.Env, error) {
	numbers, text := cel.ListType(cel.DynType), cel.StringType
	return cel.NewEnv(
		cel.Variable("key", text), cel.Variable("it", cel.DynType), cel.Variable("db", cel.DynType),
		cel.CrossTypeNumericComparisons(true), ext.TwoVarComprehensions(), ext.Strings(), ext.Lists(),
		cel.Function("sum", cel.Overload("sum_list", []*cel.Type{numbers}, cel.DoubleType, cel.UnaryBinding(sum))),
		cel.Function("moment", cel.Overload("moment_day_clock", []*cel.Type{text, text}, cel.TimestampType, cel.BinaryBinding(moment))),
	)
}

// sum adds numbers, exact to a millionth.
func sum(list ref.Val) ref.Val {
	total := 0.0
	for it := list.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		n, ok := it.Next().ConvertToType(types.DoubleType).(types.Double)
		if !ok {
			return types.NewErr("sum: not a number")
		}
		total += float64(n)
	}
	return types.Double(math.Round(total*1e6) / 1e6)
}

// moment is a day and a time of day, which +1 puts on the next day.
func moment(day, clock ref.Val) ref.Val {
	text, next := strings.CutSuffix(string(clock.(types.String)), "+1")
	t, err := time.Parse(time.DateTime, string(day.(types.String))+" "+text)
	if err != nil {
		return types.NewErr("moment: %v", err)
	}
	if next {
		t = t.AddDate(0, 0, 1)
	}
	return types.Timestamp{Time: t}
}

// tables returns the agent's database as plain data.
func tables(w *domains.World) (map[string]any, error) {
	agent, _ := w.Fresh()
	text, err := agent.Value().MarshalJSON()
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(text, &out)
}

type keyed struct {
	key   string
	value any
}

// recordsOf lists the records of a table: the values of an object, or the elements of a list under their ids, such as the
// customer_id of customers.
func recordsOf(name string, table any) []keyed {
	var out []keyed
	switch table := table.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(table)) {
			out = append(out, keyed{k, table[k]})
		}
	case []any:
		for _, v := range table {
			fields, _ := v.(map[string]any)
			out = append(out, keyed{fmt.Sprint(fields[strings.TrimSuffix(name, "s")+"_id"]), v})
		}
	}
	return out
}
