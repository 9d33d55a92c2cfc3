// Package configs carries the configuration files that the program needs
// without a checkout at hand.
package configs

import _ "embed"

// Models is the table of model capabilities, in the format that
// llm.LoadModels reads.
//
//go:embed models.yaml
var Models []byte
