package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"twinrig/configs"
	"twinrig/policy/openpi"
	"twinrig/policy/remote"
	"twinrig/policy/rest"
	"twinrig/policy/scripted"
)

func policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Policies on servers: look at one before anything moves, or be one",
	}
	c.AddCommand(policyCheckCommand(), policyServeCommand())
	return c
}

// serveFlags are the command's.
type serveFlags struct {
	protocol, listen, scene, keyEnv string
	latency                         time.Duration
	seed                            uint64
	asJSON                          bool
}

// maxLatency is the most that --latency may be.
const maxLatency = time.Minute

// servedPolicy is the line that `twinrig policy serve --json` prints when it serves.
type servedPolicy struct {
	URL      string `json:"url"`
	Protocol string `json:"protocol"`
	Policy   string `json:"policy"`
	PID      int    `json:"pid"`
}

func policyServeCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve SOURCE",
		Short: "Offer a built-in policy to robots, over openpi's or OpenVLA's protocol",
		Long: `serve offers a built-in policy (hold, expert, clumsy, replay:FILE) on the network as a model's
server would: a policy machine, its cable and its latency can be tried without a
GPU. It takes joints for its state and no picture, and declares that in its
metadata, as everything that a client must know.

The scripted policies know where the objects are: those of --scene's placement 0
of --seed, as the demo with this seed has it.

Who is not on this machine needs --listen, and then a key that both sides have in
an environment variable.`,
		Example: "  twinrig policy serve expert --scene red_cube_blue_bowl --latency 80ms\n" +
			"  POLICY_KEY=secret twinrig policy serve hold --protocol rest --listen 0.0.0.0:8000 --api-key-env POLICY_KEY",
		Args: exactly(1, "one source: hold, expert, clumsy or replay:FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return servePolicy(cmd.Context(), args[0], &f, func(s servedPolicy) error {
				if f.asJSON {
					return json.NewEncoder(cmd.OutOrStdout()).Encode(s)
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s on %s; Ctrl-C stops\n", s.Policy, s.URL)
				return err
			})
		},
	}
	c.Flags().StringVar(&f.protocol, "protocol", "openpi", "openpi or rest")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8000", "address; port 0 is any free one")
	c.Flags().DurationVar(&f.latency, "latency", 0, "answer this long after the question at the earliest")
	c.Flags().StringVar(&f.scene, "scene", "red_cube_blue_bowl", "the scene of a scripted policy: a shipped one, or a file")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the scene's placement and of the clumsy policy's mistakes")
	c.Flags().StringVar(&f.keyEnv, "api-key-env", "", "environment variable with the key that clients must send")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON line once it serves")
	return c
}

// servePolicy serves until ctx is done; ready is told where.
func servePolicy(ctx context.Context, source string, f *serveFlags, ready func(servedPolicy) error) error {
	handler, name, err := policyHandler(source, f)
	if err != nil {
		return usageError{err}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return err
	}
	// No time-out for writing: an answer takes as long as the policy thinks. That for
	// reading is longer than it can think, for it counts from the question's first byte.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * maxLatency, MaxHeaderBytes: 64 << 10}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	url := "openpi+ws://" + l.Addr().String()
	if f.protocol == "rest" {
		url = "rest+http://" + l.Addr().String() + "/act"
	}
	err = ready(servedPolicy{URL: url, Protocol: f.protocol, Policy: name, PID: os.Getpid()})
	if err == nil {
		select {
		case err = <-served:
			return err
		case <-ctx.Done(): // being stopped is how it ends well
		}
	}
	return errors.Join(err, server.Close())
}

// policyHandler makes the HTTP handler of a source and its contender's name.
func policyHandler(source string, f *serveFlags) (http.Handler, string, error) {
	contender, err := configs.Contender(source)
	if err != nil {
		return nil, "", err
	}
	if remote.IsURL(contender.Source) {
		return nil, "", fmt.Errorf("%s is on a server already: only built-in policies (hold, expert, clumsy, replay:FILE) are served", source)
	}
	if f.latency < 0 || f.latency > maxLatency {
		return nil, "", fmt.Errorf("--latency is %v, must be 0 to 1m", f.latency)
	}
	key := ""
	if f.keyEnv != "" {
		if key = os.Getenv(f.keyEnv); key == "" {
			return nil, "", fmt.Errorf("--api-key-env names %s, which is not set", f.keyEnv)
		}
	}
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return nil, "", fmt.Errorf("--listen: %w", err)
	}
	if key == "" && !loopback(f.listen) {
		return nil, "", fmt.Errorf("--listen %s reaches beyond this machine: name a key by --api-key-env", f.listen)
	}
	var task scripted.Task
	if strings.HasPrefix(contender.Source, "scripted:") {
		if task, err = sceneTask(f.scene, f.seed); err != nil {
			return nil, "", err
		}
	}
	p, err := builtIn(contender.Source, task, f.seed)
	if err != nil {
		return nil, "", err
	}
	s, err := remote.Serve(p, f.protocol, f.latency)
	if err != nil {
		return nil, "", err
	}
	if f.protocol == "rest" {
		return rest.NewHandler(s, key), contender.Name, nil
	}
	return openpi.NewHandler(s, key), contender.Name, nil
}

// sceneTask is what a scripted policy is told of a scene's first placement.
func sceneTask(name string, seed uint64) (scripted.Task, error) {
	sc, err := configs.Scene(name)
	if err != nil {
		return scripted.Task{}, err
	}
	p, err := sc.Place(placementSeed(seed, 0))
	if err != nil {
		return scripted.Task{}, err
	}
	return taskOf(&sc, p), nil
}

// loopback tells whether an address to listen on is this machine's alone.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
