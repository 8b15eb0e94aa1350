// Package outbox keeps messages in a file until they are delivered, in the
// order in which they were put in: whatever becomes of the receiver, the
// network, or this program in the meantime.
package outbox
