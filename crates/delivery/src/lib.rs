//! From the database to the world: changes of situation to their receivers, mail to its readers. Both are written in
//! the unit that causes them, and leave here, outside every unit.
//!
//! # Triggers
//! A *change* of situation writes, in one unit, its history row with the trigger's body and an *outbox* row for each
//! receiver that wants it. What is leased is a *receiver*: one process at a time has its messages in hand, one for each
//! record, posts them, and writes down together what came of many. What arrived moves to the *deliveries*; what failed
//! leaves an *attempt* and waits in a *queue* of its record. So a record's changes go one at a time, in order, and a
//! process that dies loses nothing: its lease ends, and whoever takes the receiver over reads what is pending.
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
