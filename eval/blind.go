package eval

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Seal is what a blinded study hides until it is closed: which policy each
// letter stands for. The study's Commitment is the digest of its Text, which the
// salt keeps from being guessed: who knows the commitment from before the first
// trial can check afterwards that the letters were not swapped.
//
// It guards against an operator who would know, not against one who looks: the
// computer that runs the policies can always tell.
type Seal struct {
	Salt string `json:"salt"`
	// Policies are the true ones, the first is A.
	Policies []Policy `json:"policies"`
}

// mostBlinded is the number of letters.
const mostBlinded = 26

// NewSeal gives the policies letters by lot.
func NewSeal(policies []Policy) (Seal, error) {
	var salt [16]byte
	if len(policies) > mostBlinded {
		return Seal{}, fmt.Errorf("eval: %d policies are more than there are letters", len(policies))
	}
	if _, err := io.ReadFull(rand.Reader, salt[:]); err != nil {
		return Seal{}, fmt.Errorf("eval: seal: %w", err)
	}
	s := Seal{Salt: hex.EncodeToString(salt[:]), Policies: slices.Clone(policies)}
	// Sorted by a digest that nobody can foresee is in random order.
	lot := func(p Policy) string { return Digest(s.Salt + "\n" + p.Name) }
	slices.SortFunc(s.Policies, func(a, b Policy) int { return strings.Compare(lot(a), lot(b)) })
	return s, nil
}

// letter is the name of the i-th policy in a blinded plan.
func letter(i int) string { return string(rune('A' + i)) }

// Letters are the policies as the plan and the operator see them.
func (s *Seal) Letters() []Policy {
	letters := make([]Policy, len(s.Policies))
	for i := range letters {
		letters[i].Name = letter(i)
	}
	return letters
}

// Letter is the name that hides a policy.
func (s *Seal) Letter(name string) (string, bool) {
	i := slices.IndexFunc(s.Policies, func(p Policy) bool { return p.Name == name })
	return letter(max(i, 0)), i >= 0
}

// Policy is the true one behind a letter.
func (s *Seal) Policy(of string) (Policy, bool) {
	for i, p := range s.Policies {
		if letter(i) == of {
			return p, true
		}
	}
	return Policy{}, false
}

// Text is what the commitment is the SHA-256 of: the salt, then a line for each
// letter.
func (s *Seal) Text() string {
	text := s.Salt + "\n"
	for i, p := range s.Policies {
		text += fmt.Sprintf("%s = %s %s %s\n", letter(i), p.Name, p.Source, p.Checkpoint)
	}
	return text
}

// Commitment is the digest that the plan shows.
func (s *Seal) Commitment() string { return Digest(s.Text()) }

// errSwapped is a seal that is not the one committed to.
var errSwapped = errors.New("the sealed policies are not those that the plan committed to")

// Unblind gives a closed study and its results their true names. Ids of trials
// keep the letters. What was given stays as it is.
func (s *Seal) Unblind(study *Study, results []Result) (*Study, []Result, error) {
	if s.Commitment() != study.Commitment {
		return nil, nil, fmt.Errorf("eval: study %s: %w", study.Name, errSwapped)
	}
	open := *study
	open.Policies = slices.Clone(s.Policies)
	name := func(of string) string {
		p, ok := s.Policy(of)
		if !ok {
			return of
		}
		return p.Name
	}
	if r := study.Stop; r != nil {
		rule := *r
		for i := range rule.Between {
			rule.Between[i] = name(rule.Between[i])
		}
		open.Stop = &rule
	}
	named := slices.Clone(results)
	for i := range named {
		t := &named[i].Trial
		if p, ok := s.Policy(t.Policy); ok {
			t.Policy, t.Source, t.Checkpoint = p.Name, p.Source, p.Checkpoint
		}
	}
	return &open, named, nil
}
