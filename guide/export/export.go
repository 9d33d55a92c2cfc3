// Package export writes workflows for others to read: the document for prompts, pictures (Mermaid, Graphviz DOT and
// SVG), FlowAgent's procedure description, and the layout of PolicyGuide's released implementation, which it also reads.
// Everything is byte-stable: the same bundle gives the same text.
package export
