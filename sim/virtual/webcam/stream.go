package webcam

import (
	"net/http"
	"strconv"
)

// boundary separates the pictures of a stream.
const boundary = "twinrig-frame"

// stream serves one reader until it or the server goes away.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	seen, ok := s.join()
	if !ok {
		return
	}
	defer s.leave()
	w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary="+boundary)
	w.Header().Set("Cache-Control", "no-store")
	flusher := http.NewResponseController(w)
	// A reader learns at once that it is connected, pictures or none.
	if flusher.Flush() != nil {
		return
	}
	var picture, head []byte
	for {
		var err error
		if picture, seen, err = s.next(r, seen, picture[:0]); err != nil {
			return
		}
		head = append(head[:0], "--"+boundary+"\r\nContent-Type: image/jpeg\r\nContent-Length: "...)
		head = strconv.AppendInt(head, int64(len(picture)), 10)
		head = append(head, "\r\n\r\n"...)
		picture = append(picture, "\r\n"...)
		for _, part := range [][]byte{head, picture} {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
		if flusher.Flush() != nil {
			return
		}
	}
}

// next waits for a picture after seen and appends a copy of it to buf.
func (s *Server) next(r *http.Request, seen uint64, buf []byte) ([]byte, uint64, error) {
	for {
		s.mu.Lock()
		if s.seq != seen {
			buf, seen = append(buf, s.jpeg...), s.seq
			s.mu.Unlock()
			return buf, seen, nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-s.done:
			return buf, seen, errClosed
		case <-r.Context().Done():
			return buf, seen, r.Context().Err()
		}
	}
}

// join counts a reader in and tells which picture was the last before it.
func (s *Server) join() (seen uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, false
	}
	s.readers++
	s.ended.Add(1)
	return s.seq, true
}

func (s *Server) leave() {
	s.mu.Lock()
	s.readers--
	s.mu.Unlock()
	s.ended.Done()
}
