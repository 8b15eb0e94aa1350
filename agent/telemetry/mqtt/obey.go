package mqtt

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// Commander does what clients ask for; each method says in a line what it has
// done. Halt is called at any time, the others one after the other, all from
// goroutines of the Publisher's.
type Commander interface {
	// Start takes torque on again, or begins what there is to begin.
	Start(client string) (string, error)
	// Stop ends what goes on, in order.
	Stop(client string) (string, error)
	// Halt takes torque off at once.
	Halt(client string) (string, error)
	// Label judges a trial.
	Label(client string, v Verdict) (string, error)
	// Done is told of each order that was authentic, for the record: err is
	// nil, or why it was refused or failed.
	Done(client, verb, said string, err error)
}

// Verdict is a client's judgement of a trial.
type Verdict struct {
	Trial   string   `json:"trial"`
	Success bool     `json:"success"`
	Partial bool     `json:"partial_success"`
	Labels  []string `json:"labels"`
	// Reason is why it is changed.
	Reason string `json:"reason"`
}

// reply is the answer to an order, on twinrig/RIG/reply/VERB.
type reply struct {
	Client string `json:"client"`
	Nonce  string `json:"nonce"`
	Done   bool   `json:"done"`
	// Detail is what was done, or why nothing was.
	Detail string `json:"detail"`
}

// answersKept is how many answers are remembered, for orders that a broker
// delivers twice.
const answersKept = 64

// maxStrangers is how many refused orders are answered at a time.
const maxStrangers = 4

// desk is where orders arrive.
type desk struct {
	rights    acl
	turn      sync.Mutex    // of all verbs but halt
	strangers chan struct{} // bounds the answers to refused orders under way

	mu      sync.Mutex
	to      Commander
	answers map[string][]byte // by the order's MAC
	oldest  []string
}

// Obey has orders carried out by to from now on; before, they are refused.
func (p *Publisher) Obey(to Commander) {
	p.desk.mu.Lock()
	defer p.desk.mu.Unlock()
	p.desk.to = to
}

// order takes what came on a topic below cmd/, on a goroutine of its own.
func (p *Publisher) order(c *connection, m paho.Message) {
	verb := path.Base(m.Topic())
	o, err := parseOrder(m.Payload())
	if err == nil && m.Retained() {
		err = errors.New("a retained order is an old one: publish orders without retain")
	}
	if err == nil {
		err = p.desk.rights.check(&o, m.Topic(), verb, time.Now())
	}
	if err != nil {
		select {
		case p.desk.strangers <- struct{}{}:
			defer func() { <-p.desk.strangers }()
		default:
			return // a flood of them is not answered
		}
		p.PutLog(slog.LevelWarn, fmt.Sprintf("order to %.16q refused: %v", verb, err))
		if o.Nonce != "" {
			p.answer(c, verb, "", reply{Client: o.Client, Nonce: o.Nonce, Detail: err.Error()})
		}
		return
	}
	first, err := p.box.Once("nonce/" + o.Client + "/" + o.Nonce)
	if err != nil && verb == "halt" {
		err, first = nil, true // a disk that is full must not keep the arm from being halted
	}
	if err == nil && !first {
		if again := p.desk.answered(o.MAC); again != nil {
			c.publish(p.topic("reply/"+verb), 1, false, again)
			return
		}
		err = errors.New("nonce: was used before, a new one is wanted for each order")
	}
	var said string
	to := p.desk.commander()
	switch {
	case err != nil:
	case to == nil:
		err = errors.New("the rig is not ready for orders yet: try again")
	default:
		said, err = p.obey(to, verb, &o)
	}
	if to != nil {
		to.Done(o.Client, verb, said, err)
	}
	r := reply{Client: o.Client, Nonce: o.Nonce, Done: err == nil, Detail: said}
	if err != nil {
		r.Detail = err.Error()
	}
	p.answer(c, verb, o.MAC, r)
}

func (d *desk) commander() Commander {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.to
}

// obey has one order carried out.
func (p *Publisher) obey(to Commander, verb string, o *Order) (string, error) {
	if verb == "halt" {
		return to.Halt(o.Client)
	}
	if !p.desk.turn.TryLock() {
		return "", errors.New("busy with another order: wait for its reply")
	}
	defer p.desk.turn.Unlock()
	switch verb {
	case "start":
		return to.Start(o.Client)
	case "stop":
		return to.Stop(o.Client)
	}
	var v Verdict
	if err := json.Unmarshal([]byte(o.Args), &v); err != nil {
		return "", fmt.Errorf("args: %w", err)
	}
	return to.Label(o.Client, v)
}

// answer publishes a reply, and remembers it under the order's MAC if it has one.
func (p *Publisher) answer(c *connection, verb, mac string, r reply) {
	data, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings
	}
	if mac != "" {
		p.desk.remember(mac, data)
	}
	c.publish(p.topic("reply/"+verb), 1, false, data)
}

func (d *desk) remember(mac string, answer []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[mac] = answer
	if d.oldest = append(d.oldest, mac); len(d.oldest) > answersKept {
		delete(d.answers, d.oldest[0])
		d.oldest = d.oldest[1:]
	}
}

func (d *desk) answered(mac string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answers[mac]
}
