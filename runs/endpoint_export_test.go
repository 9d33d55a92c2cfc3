package runs

import "github.com/tauguide/tauguide/sim/llm"

// EndpointOf is the endpoint of a model of a config.
func EndpointOf(c *Config, name string) llm.Endpoint { return c.Models[name].endpoint(name) }
