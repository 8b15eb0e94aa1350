package rest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/policy/npwire"
)

// yes answers yes.
type yes struct{}

func (yes) Metadata() npwire.Object { return nil }

func (yes) Reset(context.Context) error { return nil }

func (yes) Answer(context.Context, map[string]any) (npwire.Object, error) {
	return npwire.Object{{Key: "actions", Value: true}}, nil
}

// A client that begins a question and never ends it does not keep the policy from
// others.
func TestHalfAQuestion(t *testing.T) {
	s := httptest.NewServer(NewHandler(yes{}, ""))
	defer s.Close()
	slow, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	defer slow.Close() //nolint:errcheck // done
	_, err = fmt.Fprint(slow, "POST /act HTTP/1.1\r\nHost: s\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(slow), nil) // sent when the question is read
	require.NoError(t, err)
	defer resp.Body.Close() //nolint:errcheck // empty
	require.Equal(t, http.StatusContinue, resp.StatusCode)
	_, err = fmt.Fprint(slow, `{"instr`)
	require.NoError(t, err)

	c, err := New(s.URL, Options{})
	require.NoError(t, err)
	defer c.Close()
	got, err := c.Act(t.Context(), npwire.Object{})
	require.NoError(t, err)
	require.Equal(t, true, got)
	require.NoError(t, c.Reset(t.Context()))
}
