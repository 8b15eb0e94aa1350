package configs

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"twinrig/eval"
	"twinrig/policy/remote"
)

// The built-in sources of actions, as a study writes them down. Short are the words
// for them on a command line.
const (
	Expert = "scripted:expert"
	Clumsy = "scripted:clumsy"
	Hold   = "hold:"
	// Replay is followed by a file's name.
	Replay = "replay:"
)

var short = map[string]string{
	"expert": Expert, "scripted:": Expert, Expert: Expert,
	"clumsy": Clumsy, Clumsy: Clumsy,
	"hold": Hold, Hold: Hold,
}

// builtInNames are the contenders' names of the built-in sources.
var builtInNames = map[string]string{Expert: "expert", Clumsy: "clumsy", Hold: "hold"}

// Contender reads one policy of a study: SOURCE, or NAME=SOURCE where the default
// name will not do. A source is built in (expert, clumsy, hold; or scripted:,
// scripted:expert, scripted:clumsy, hold:), recorded motion (replay:FILE, which must be
// there), or the URL of a policy server.
func Contender(text string) (eval.Policy, error) {
	name, source := "", text
	if at := strings.Index(text, "="); at >= 0 && !strings.ContainsAny(text[:at], ":/?") {
		name, source = text[:at], text[at+1:]
		if name == "" {
			return eval.Policy{}, fmt.Errorf("%q has no name before =", text)
		}
	}
	if builtIn, ok := short[source]; ok {
		if name == "" {
			name = builtInNames[builtIn]
		}
		return eval.Policy{Name: name, Source: builtIn, Checkpoint: "built in"}, nil
	}
	if file, ok := strings.CutPrefix(source, Replay); ok {
		return replayed(name, file)
	}
	if !strings.Contains(source, "://") {
		return eval.Policy{}, fmt.Errorf("%q is none of expert, clumsy, hold, replay:FILE, nor a policy server's URL", source)
	}
	if err := remote.CheckURL(source); err != nil {
		return eval.Policy{}, err
	}
	if name == "" {
		u, err := url.Parse(source)
		if err != nil {
			return eval.Policy{}, err
		}
		protocol, _, _ := strings.Cut(u.Scheme, "+")
		// Of a bracketed IPv6 address only what a file's name may have is left.
		name = protocol + "-" + strings.Map(fileRune, u.Host)
	}
	return eval.Policy{Name: name, Source: source, Checkpoint: source}, nil
}

// replayed is a contender that repeats a file's motion, which its digest identifies.
func replayed(name, file string) (eval.Policy, error) {
	// A study may be gone on with from another folder.
	file, err := filepath.Abs(file)
	if err != nil {
		return eval.Policy{}, fmt.Errorf("replay: %w", err)
	}
	path, _, _ := strings.Cut(file, "#")
	data, err := os.ReadFile(path)
	if err != nil {
		return eval.Policy{}, fmt.Errorf("replay: %w", err)
	}
	if name == "" {
		name = "replay"
	}
	return eval.Policy{Name: name, Source: Replay + file, Checkpoint: "sha256:" + eval.Digest(string(data))}, nil
}

func fileRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
		return r
	case r == ':':
		return '-'
	}
	return -1
}
