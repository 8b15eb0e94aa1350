package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
)

// busFlags are those of all bus commands.
type busFlags struct {
	serial serial.Config
	moves  bool
}

func busCommand() *cobra.Command {
	f := busFlags{serial: serial.Default()}
	c := &cobra.Command{
		Use:   "bus",
		Short: "Look at single servos: scan the bus, read and write registers by name",
		Example: "  twinrig bus scan --port /dev/ttyDXL\n" +
			"  twinrig bus read 2 present_position --port /dev/ttyDXL",
	}
	scan := &cobra.Command{
		Use: "scan", Short: "Ask who is on the bus",
		Example: "  twinrig bus scan --port /dev/ttyDXL",
		Args:    exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.with(cmd, f.scan) },
	}
	read := &cobra.Command{
		Use: "read ID [REGISTER...]", Short: "Read registers, or all there are",
		Example: "  twinrig bus read 2 present_position present_current --port /dev/ttyDXL",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.with(cmd, func(cmd *cobra.Command, b *dynamixel.Bus) error { return f.read(cmd, b, args) })
		},
	}
	write := &cobra.Command{
		Use: "write ID REGISTER VALUE", Short: "Write one register, in raw steps",
		Long: `write changes one register, in the raw steps of the e-manual, and reads it back.
A register that makes the servo move or lets go of it wants --moves.`,
		Example: "  twinrig bus write 2 led 1 --port /dev/ttyDXL",
		Args:    exactly(3, "an ID, a register's name and a value"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.with(cmd, func(cmd *cobra.Command, b *dynamixel.Bus) error { return f.write(cmd, b, args) })
		},
	}
	write.Flags().BoolVar(&f.moves, "moves", false, "allow registers that move the servo or let go of it")
	c.PersistentFlags().StringVar(&f.serial.Port, "port", f.serial.Port, "the serial port")
	c.PersistentFlags().IntVar(&f.serial.Baud, "baud", f.serial.Baud, "the line's rate in bit/s")
	c.AddCommand(scan, read, write)
	return c
}

// with opens the port for one command.
func (f *busFlags) with(cmd *cobra.Command, do func(*cobra.Command, *dynamixel.Bus) error) (err error) {
	if err := f.serial.Validate(); err != nil {
		return usageError{err}
	}
	port, err := serial.Open(f.serial)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, port.Close()) }()
	cfg := dynamixel.Default()
	cfg.Baud = f.serial.Baud
	if latency, known := port.LatencyTimer(); known {
		cfg.Latency = latency
	}
	return do(cmd, dynamixel.NewBus(port, cfg))
}

func (f *busFlags) scan(cmd *cobra.Command, b *dynamixel.Bus) error {
	found, err := b.PingAll()
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("no servo answers on %s at %d bit/s: check power, cable and --baud", f.serial.Port, f.serial.Baud)
	}
	t := table.NewWriter()
	t.SetOutputMirror(cmd.OutOrStdout())
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"ID", "model", "firmware"})
	for _, servo := range found {
		name := fmt.Sprintf("unknown model %d", servo.Model)
		if m, ok := modelOf(servo.Model); ok {
			name = m.Name
		}
		t.AppendRow(table.Row{servo.ID, name, servo.Firmware})
	}
	t.Render()
	return nil
}

func (f *busFlags) read(cmd *cobra.Command, b *dynamixel.Bus, args []string) error {
	id, m, err := servoOf(b, args[0])
	if err != nil {
		return err
	}
	entries := m.Table
	if names := args[1:]; len(names) > 0 {
		entries = nil
		for _, name := range names {
			e, err := entryOf(m, name)
			if err != nil {
				return err
			}
			entries = append(entries, e)
		}
	}
	t := table.NewWriter()
	t.SetOutputMirror(cmd.OutOrStdout())
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"address", "register", "raw", "value", "default"})
	for _, e := range entries {
		v, err := b.Read(id, e.Register)
		if err != nil {
			return err
		}
		t.AppendRow(table.Row{e.Addr, e.Name, v, quantity(&e.Register, v), e.Default})
	}
	t.Render()
	return nil
}

func (f *busFlags) write(cmd *cobra.Command, b *dynamixel.Bus, args []string) error {
	id, m, err := servoOf(b, args[0])
	if err != nil {
		return err
	}
	e, err := entryOf(m, args[1])
	if err != nil {
		return err
	}
	v, err := strconv.ParseInt(args[2], 0, 32)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("value %q is no whole number", args[2])}
	case e.Access == dynamixel.ReadOnly:
		return usageError{fmt.Errorf("%s is read only", e.Name)}
	case v < int64(e.Min) || v > int64(e.Max):
		return usageError{fmt.Errorf("%s: %d is outside %d to %d", e.Name, v, e.Min, e.Max)}
	case mayMove(&e.Register) && !f.moves:
		return usageError{fmt.Errorf("%s may move servo %d or let go of it: clear the arm, then say --moves", e.Name, id)}
	}
	if err := b.Write(id, e.Register, int32(v)); err != nil {
		return err
	}
	now, err := b.Read(id, e.Register)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "servo %d: %s is %d %s\n", id, e.Name, now, quantity(&e.Register, now))
	return err
}

// mayMove tells whether a write may make the servo move, or let go.
func mayMove(r *dynamixel.Register) bool {
	for _, m := range []dynamixel.Register{
		dynamixel.TorqueEnable, dynamixel.OperatingMode, dynamixel.DriveMode, dynamixel.HomingOffset,
		dynamixel.GoalPWM, dynamixel.GoalCurrent, dynamixel.GoalVelocity, dynamixel.GoalPosition, dynamixel.BusWatchdog,
	} {
		if m.Addr == r.Addr {
			return true
		}
	}
	return false
}

// servoOf finds the servo that an ID on the command line means.
func servoOf(b *dynamixel.Bus, arg string) (dynamixel.ID, *dynamixel.Model, error) {
	n, err := strconv.ParseUint(arg, 10, 8)
	if err != nil || n > uint64(dynamixel.MaxID) {
		return 0, nil, usageError{fmt.Errorf("ID %q is not 0 to %d", arg, dynamixel.MaxID)}
	}
	id := dynamixel.ID(n)
	info, err := b.Ping(id)
	if err != nil {
		return 0, nil, err
	}
	m, ok := modelOf(info.Model)
	if !ok {
		return 0, nil, fmt.Errorf("servo %d is of unknown model %d", id, info.Model)
	}
	return id, m, nil
}

func modelOf(number uint16) (*dynamixel.Model, bool) {
	for _, m := range []*dynamixel.Model{&dynamixel.XM430W350, &dynamixel.XL430W250} {
		if m.Number == number {
			return m, true
		}
	}
	return nil, false
}

func entryOf(m *dynamixel.Model, name string) (dynamixel.Entry, error) {
	for _, e := range m.Table {
		if e.Name == name {
			return e, nil
		}
	}
	return dynamixel.Entry{}, usageError{fmt.Errorf("%s has no register %q; `twinrig bus read ID` lists all", m.Name, name)}
}

// quantity is a raw value in its unit, empty where it is none.
func quantity(r *dynamixel.Register, v int32) string {
	if r.Scale == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g %s", float64(v)*r.Scale, r.Unit)
}
