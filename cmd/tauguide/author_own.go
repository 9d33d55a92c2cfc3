package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// ownPolicy are the files of a policy that is none of the program's domains.
type ownPolicy struct {
	policy                 []string
	tools, userTools, name string
}

func (o *ownPolicy) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.policy, "policy", nil, "document of a policy of your own, as text or Markdown; once for each, in their order")
	f.StringVar(&o.tools, "tools", "", "tools of the agent under --policy: function definitions, an MCP server's answer to tools/list, a tool_schemas.json of τ²-bench, or a tools.yaml")
	f.StringVar(&o.userTools, "user-tools", "", "tools on the user's own device, in the same forms")
	f.StringVar(&o.name, "name", "", "name of the domain under --policy; default: that in a tools.yaml")
}

func (o *ownPolicy) given() bool {
	return len(o.policy) > 0 || o.tools != "" || o.userTools != "" || o.name != ""
}

// source is what the workflow is made of, with the domain as models are told of it.
func (o *authorWorkflowOptions) source(domain string) (*domains.World, author.Source, error) {
	switch {
	case domain != "" && o.own.given():
		return nil, author.Source{}, fmt.Errorf("%s: the policy is that of a domain, or that of --policy\nhint: give one of them; --policy is given once for each file", domain)
	case o.own.given() && o.data != "embedded":
		return nil, author.Source{}, errors.New("--data has policies of the program's domains\nhint: leave it out, or name a domain in place of --policy")
	case o.own.given():
		return o.own.source()
	case domain == "":
		return nil, author.Source{}, errors.New("there is no policy\nhint: name a domain, or give --policy, --tools and --name")
	}
	worlds, err := all.Open(o.data, []string{domain}, "")
	if err != nil {
		return nil, author.Source{}, err
	}
	src, err := author.Builtin(worlds[0], config.DataKind(o.data))
	return worlds[0], src, err
}

func (o *ownPolicy) source() (*domains.World, author.Source, error) {
	var src author.Source
	if len(o.policy) == 0 || o.tools == "" {
		return nil, src, errors.New("a policy of your own needs --policy and --tools\nhint: give both")
	}
	tools, err := o.read()
	if err != nil {
		return nil, src, err
	}
	if tools.Name = cmp.Or(o.name, tools.Name); tools.Name == "" {
		return nil, src, errors.New("--name is missing\nhint: give the policy's domain a name")
	}
	if err := described.CheckName(tools.Name); err != nil {
		return nil, src, fmt.Errorf("--name: %w", err)
	}
	if _, err := all.Domain(tools.Name); err == nil {
		return nil, src, fmt.Errorf("--name %s: the program has a domain of that name\nhint: give another", tools.Name)
	}
	documents, err := described.ReadPolicy(o.policy)
	if err != nil {
		return nil, src, fmt.Errorf("--policy: %w", err)
	}
	src, err = author.Own(tools, documents)
	return &domains.World{Name: tools.Name}, src, err
}

// read reads the tools of both sides.
func (o *ownPolicy) read() (described.Tools, error) {
	tools, err := described.ReadTools(o.tools)
	if err != nil {
		return tools, fmt.Errorf("--tools: %w", err)
	}
	if o.userTools == "" {
		return tools, nil
	}
	users, err := described.ReadTools(o.userTools)
	if err == nil {
		tools, err = tools.WithUser(users)
	}
	if err != nil {
		return tools, fmt.Errorf("--user-tools: %w", err)
	}
	return tools, nil
}

// repeating are the scripts of an author that hands out the workflow of --reference; nil where none is named.
func (o *authorWorkflowOptions) repeating(p process, w *domains.World) (map[string]synthetic.Script, error) {
	inProcess := o.synthetic && o.baseURL == ""
	switch {
	case o.reference != "" && !inProcess:
		return nil, errors.New("--reference: it is what a scripted author repeats\nhint: add --synthetic, and no --base-url")
	case o.reference == "" && inProcess && o.own.given() && !o.dryRun:
		return nil, errors.New("--synthetic: the scripted author knows no workflow of this policy\nhint: name one with --reference, or a model with --model")
	case o.reference == "":
		return nil, nil
	}
	b, err := openBundle(p, o.reference)
	if err != nil {
		return nil, fmt.Errorf("--reference: %w", err)
	}
	r := scripted.Reference{World: w, Load: func() (*guide.Bundle, error) { return guide.LoadFolder(b.dir) }}
	if b.dir != "" {
		r.Folder = os.DirFS(b.dir)
	} else {
		r.Load = func() (*guide.Bundle, error) { return guide.LoadShipped(o.reference) }
	}
	if w.Fresh == nil { // of a policy of one's own
		if r.World, err = b.world("embedded", "", ""); err != nil {
			return nil, fmt.Errorf("--reference: %w", err)
		}
	}
	return scripted.Repeating(r), nil
}

// toConfirm lists the tools of whose kind a person should make sure.
func toConfirm(p process, dir string, tools []described.Tool) {
	if len(tools) == 0 {
		return
	}
	p.printf("confirm in %s of what kind these tools are; if one is not, correct it, and have the workflow written again with this file for --tools:\n", filepath.Join(dir, described.ToolsFile))
	for _, t := range tools {
		p.printf("  %s: %s (%s)\n", t.Name, t.KindWord(), t.Confirm)
	}
}
