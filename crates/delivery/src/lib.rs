//! Background delivery from the outbox: trigger messages to their receivers and mails to their recipients. Both are
//! stored in the transaction that causes them and sent outside any transaction.
//!
//! # Triggers
//! A situation *change* writes, in one transaction, its history row with the trigger's body and one *outbox* row for each
//! subscribed receiver. The unit of leasing is a *receiver*: one process at a time holds its messages in flight, one
//! per record, posts them, and records the outcomes in batches. Delivered messages move to the *deliveries*; a failed
//! one leaves an *attempt* and waits in the retry *queue* of its record. A record's changes are therefore sent one at a
//! time, in order, and a crashed process loses nothing: its lease expires and the next holder reads the pending
//! messages.
//!
//! Guaranteed: at least once, in order within one record, with the bytes rendered at the time of the change. Not
//! guaranteed: exactly once, or any order between records.
//!
//! # Mail
//! A *mail* is leased by one process, sent by SMTP or written to a folder, and recorded as sent, as failed with a
//! retry, or as given up ([`mail`]). Guaranteed: at least once, for as long as the retry schedule lasts, and a repeat
//! has the same `Message-ID`. Not guaranteed: exactly once, or any order.

pub mod mail;
pub mod triggers;
