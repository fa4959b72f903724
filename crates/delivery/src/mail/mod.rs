//! Mail delivery: lists due mails, leases and sends each one, and records the outcome. If a process dies between
//! sending and recording, its lease expires and another process resends the mail with the same `Message-ID`.

mod message;
mod schedule;
mod send_due;
mod transport;

pub use message::SenderAddress;
pub use send_due::{OutboxMailer, run_mail_delivery, send_due_mails};
pub use transport::{InvalidSmtpUrl, MailTransport, SmtpServer};
