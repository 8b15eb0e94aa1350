package serial

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// User is a process that has a port open.
type User struct {
	PID     int
	Command string // its name; "" if we may not see it
	// Locked says that it holds the lock that Open takes.
	Locked bool
}

// String is what a person needs to find it.
func (u User) String() string { return fmt.Sprintf("%s (pid %d)", u.Command, u.PID) }

// users returns the other processes that have device open. Those of other people
// are seen by root only, but for the lock's holder.
func (h system) users(device string, st *unix.Stat_t) []User {
	locker := h.locker(st)
	var users []User
	procs, _ := filepath.Glob(filepath.Join(h.proc, "[0-9]*")) // the pattern is right
	for _, dir := range procs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() || pid != locker && !opened(dir, device) {
			continue
		}
		users = append(users, User{PID: pid, Command: textFile(filepath.Join(dir, "comm")), Locked: pid == locker})
	}
	return users
}

// opened tells whether the process of a directory in /proc has device open.
func opened(dir, device string) bool {
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false // it ended, or is not ours to see
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && to == device {
			return true
		}
	}
	return false
}

// locker returns who holds an flock on a file, or 0. A line of /proc/locks is
//
//	1: FLOCK  ADVISORY  WRITE 1234 00:18:5 0 EOF
func (h system) locker(st *unix.Stat_t) int {
	f, err := os.Open(filepath.Join(h.proc, "locks"))
	if err != nil {
		return 0
	}
	defer f.Close()
	inode := fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Fields(lines.Text())
		if len(w) < 6 || w[1] != "FLOCK" || w[5] != inode {
			continue
		}
		if pid, err := strconv.Atoi(w[4]); err == nil {
			return pid
		}
	}
	return 0
}
