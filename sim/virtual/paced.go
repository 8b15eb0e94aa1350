package virtual

import "time"

type Paced struct{ *rig }

func Serve(cfg Config, clock func() time.Duration) (*Paced, error) { return nil, nil }
func (p *Paced) PortPath() string                                  { return "" }
func (p *Paced) CameraURL() string                                 { return "" }
func (p *Paced) Close() error                                      { return nil }
