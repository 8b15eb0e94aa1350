// Package dynamixel speaks Dynamixel Protocol 2.0 to a bus of servos: packets,
// typed registers of the XM430-W350 and XL430-W250 as data, and Bus, which does
// one transaction at a time on a Port.
//
// Values are raw register steps, int32; Register.Scale is one step in SI units.
// Nothing here knows of joints or of an arm.
//
// Sources: e-manual (emanual.robotis.com), docs/en/dxl/protocol2.md (packets,
// CRC, fast reads), docs/en/dxl/x/xm430-w350.md and xl430-w250.md (control
// tables).
package dynamixel
