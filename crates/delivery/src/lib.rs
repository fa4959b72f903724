//! From the outbox to a receiver.
//!
//! A *change* of situation writes, in one unit, its history row with the trigger's body and an *outbox* row for each
//! receiver that wants it. What is leased is a *queue*: all that is pending for one receiver and one record. The
//! process that holds the lease posts the queue's head, records the *attempt*, and gives the queue back, so that one
//! delivery at a time is under way for a record, in order, and a process that dies loses nothing: its lease ends.
//!
//! Guaranteed: at least once, in order for one record, the bytes that were rendered with the change. Not guaranteed:
//! exactly once, and any order between records.
