package export

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// Columns are the names of the columns, in order.
func Columns() []string {
	var out []string
	for t, i := reflect.TypeFor[Row](), 0; i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("parquet"), ",")
		out = append(out, name)
	}
	return out
}

// CSV writes the trials of a run as RFC 4180 has it, with a line of column names, \n after each line and nothing for what
// is missing. Beyond the run's index, memory does not grow with the number of trials.
func CSV(ctx context.Context, r *store.Run, s Selection, w io.Writer) (Result, error) {
	out, rows := csv.NewWriter(w), newRows(r)
	if err := out.Write(Columns()); err != nil {
		return Result{}, err
	}
	var cells []string
	done, err := Each(ctx, r, s, func(e store.Entry, rec sim.Record) error {
		cells = cells[:0]
		v := reflect.ValueOf(rows.of(e, rec))
		for i := range v.NumField() {
			cells = append(cells, cell(v.Field(i)))
		}
		return out.Write(cells)
	})
	if err != nil {
		return done, err
	}
	out.Flush()
	return done, out.Error()
}

// cell spells a value: numbers with as many digits as tell them apart from all others.
func cell(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Float64 {
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}
