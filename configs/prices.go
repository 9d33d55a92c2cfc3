package configs

import _ "embed"

// Prices is the table of what models cost, in the format that llm.LoadPrices reads.
//
//go:embed prices.yaml
var Prices []byte
