package figure

import (
	"context"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Inside draws the figure and returns an error for the first text that is not wholly in the picture.
func Inside(f Figure, o Options) error {
	l := f.layout(o)
	return page{width: l.width, height: l.height, draw: l.draw}.inside()
}

// WorkflowInside does the same of a workflow.
func WorkflowInside(ctx context.Context, f Workflow, o Options) error {
	d, err := f.layOut(ctx, o)
	if err != nil {
		return err
	}
	return d.page().inside()
}

func (l page) inside() error {
	var r recorder.Canvas
	l.draw(draw.NewCanvas(&r, l.width, l.height))
	at, turned := []vg.Point{{}}, false
	for _, a := range r.Actions {
		switch a := a.(type) {
		case *recorder.Push:
			at = append(at, at[len(at)-1])
		case *recorder.Pop:
			at, turned = at[:len(at)-1], false
		case *recorder.Rotate:
			turned = true
		case *recorder.Translate:
			at[len(at)-1] = at[len(at)-1].Add(a.Point)
		case *recorder.FillString:
			if turned { // the name of the vertical axis, and the mark, which is as wide as its panel at most
				continue
			}
			face := style(a.Size, 0, 0, nil)
			p := at[len(at)-1].Add(a.Point)
			if width := face.Width(a.String); p.X < -0.01 || p.X+width > l.width+0.01 || p.Y < 0 || p.Y+a.Size > l.height {
				return fmt.Errorf("%q is from %.1f to %.1f at %.1f of %.1f by %.1f", a.String, p.X, p.X+width, p.Y, l.width, l.height)
			}
		}
	}
	return nil
}
