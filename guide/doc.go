// Package guide holds a policy as a workflow: a bundle of YAML files per domain that is loaded, composed into one flat
// graph, validated against the domain's tools and its requirement catalog, and walked over a conversation by code alone
// (docs/reference/guide.md#bundles and docs/reference/guide.md#checks).
//
// The way of a bundle:
//
//	Load ──► *Bundle ──► Compose ──► *Graph ──► NewChecker ──► *Checker ──► Walk(trace, request) ──► Position
//	             └──────► Validate ──► []Finding
//
// A Bundle, a Graph and a Checker are immutable once made and safe for concurrent use. A Trace belongs to one
// conversation and one goroutine. Nothing here asks a model or reads a database: what a check sees is what the agent
// saw.
//
// Renderings, the PDL export, the interchange with the released layout and the coverage analysis are packages of their
// own below this one; guide/checks holds the vocabularies of the domains. docs/workflows.md teaches the format.
package guide
