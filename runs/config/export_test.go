package config

// Nearest for tests.
var Nearest = nearest
