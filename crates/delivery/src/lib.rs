//! From the database to the world: changes of situation to their receivers, mail to its readers. Both are written in
//! the unit that causes them, and leave here, outside every unit.
//!
//! # Triggers
//! A *change* of situation writes, in one unit, its history row with the trigger's body and an *outbox* row for each
//! receiver that wants it. What is leased is a *queue*: all that is pending for one receiver and one record. The
//! process that holds the lease posts the queue's head, records the *attempt*, and gives the queue back, so that one
//! delivery at a time is under way for a record, in order, and a process that dies loses nothing: its lease ends.
//!
//! Guaranteed: at least once, in order for one record, the bytes that were rendered with the change. Not guaranteed:
//! exactly once, and any order between records.
//!
//! # Mail
//! A *mail* is claimed by one process, sent by SMTP or written to a folder, and recorded as sent, as failed and due
//! again, or as given up ([`mail`]). Guaranteed: at least once, for as long as the schedule lasts, and a repeat bears
//! the same `Message-ID`. Not guaranteed: exactly once, and any order.

pub mod mail;
pub mod triggers;
