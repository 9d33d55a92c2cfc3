package domains

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Describe returns the kit with the tool texts of the data folder's tool_schemas.json in place of ours, for runs that
// want the models to read exactly what the reference sends. Without such a file the kit is returned as it is; what an
// entry leaves out stays ours. side is the file's key: assistant or user.
func (f *Files) Describe(side Side, k *Kit) (*Kit, error) {
	if f.embedded || k == nil {
		return k, nil
	}
	b, err := f.Read("tool_schemas.json")
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	type tool struct {
		Function struct {
			Name        string          `json:"name"`
			Description *string         `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	var file map[string]json.RawMessage
	var listed []tool
	name := f.Path("tool_schemas.json")
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if raw, ok := file[string(side)]; ok {
		if err := json.Unmarshal(raw, &listed); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, side, err)
		}
	}
	tools := append([]Tool(nil), k.Tools...)
	for _, l := range listed {
		i, ok := k.index[l.Function.Name]
		if !ok {
			return nil, fmt.Errorf("%s: %s lists the tool %q, which %s does not have", name, side, l.Function.Name, k.Class)
		}
		if l.Function.Description != nil {
			tools[i].Spec.Description = *l.Function.Description
		}
		if l.Function.Parameters != nil {
			tools[i].Spec.Parameters = l.Function.Parameters
		}
	}
	return NewKit(k.Class, tools, k.Funcs), nil
}
