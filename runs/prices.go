package runs

import (
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/sim/llm"
)

// modelTable is the program's table of models, with their prices.
func modelTable() (llm.Models, error) {
	models, err := llm.LoadModels("configs/models.yaml", configs.Models)
	if err != nil {
		return llm.Models{}, err
	}
	prices, err := llm.LoadPrices("configs/prices.yaml", configs.Prices)
	if err != nil {
		return llm.Models{}, err
	}
	return models.With(prices), nil
}
