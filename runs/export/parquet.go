package export

import (
	"context"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// rowGroup is the number of rows that are kept in memory until they are written.
const rowGroup = 10_000

// Parquet writes the trials of a run as CSV does, with types and nulls.
func Parquet(ctx context.Context, r *store.Run, s Selection, w io.Writer) (Result, error) {
	out, rows := parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("tauguide", "", "")), newRows(r)
	done, err := Each(ctx, r, s, func(e store.Entry, rec sim.Record) error {
		_, err := out.Write([]Row{rows.of(e, rec)})
		return err
	})
	if err != nil {
		return done, err
	}
	return done, out.Close()
}
