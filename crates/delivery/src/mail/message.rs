//! Builds the MIME message of a mail. The same mail always yields the same bytes, so that a duplicate can be
//! recognized.

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use std::fmt;
use std::time::{Duration, SystemTime};
use storage::server::mails::LeasedMail;

/// The `From` address of every mail (`mail.from`): `Amparo <nao-responda@exemplo.com.br>`.
#[derive(Clone, Debug)]
pub struct SenderAddress(Mailbox);

impl SenderAddress {
    /// `None` if the text is not a valid address.
    pub fn parse(text: &str) -> Option<SenderAddress> {
        text.trim().parse().ok().map(SenderAddress)
    }

    pub(super) fn domain(&self) -> &str {
        self.0.email.domain()
    }
}

impl fmt::Display for SenderAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

pub(super) fn build_message(sender: &SenderAddress, mail: &LeasedMail) -> Result<Message, String> {
    let recipient: Address =
        mail.recipient.parse().map_err(|error| format!("not an address that mail goes to: {error}"))?;
    let name = build_mail_id(mail);
    let written = u64::try_from(mail.created_at.millis()).unwrap_or(0);
    let builder = Message::builder()
        .from(sender.0.clone())
        .to(Mailbox::new(None, recipient))
        .subject(mail.subject.as_str())
        .date(SystemTime::UNIX_EPOCH + Duration::from_millis(written))
        .message_id(Some(format!("<{name}@{}>", sender.domain())))
        // Keeps out-of-office responders from replying.
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
    let text = SinglePart::plain(mail.text.clone());
    let built = match &mail.html {
        Some(html) => {
            let multipart = MultiPart::alternative().boundary(format!("=_{name}"));
            builder.multipart(multipart.singlepart(text).singlepart(SinglePart::html(html.clone())))
        }
        None => builder.singlepart(text),
    };
    built.map_err(|error| error.to_string())
}

/// Unique across tenants and across servers that send from the same domain.
fn build_mail_id(mail: &LeasedMail) -> String {
    format!("amparo.{}.{}.{}", mail.tenant, mail.code, mail.created_at.millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{MailCode, Moment, TenantId};

    fn mail() -> LeasedMail {
        LeasedMail {
            tenant: TenantId::new(3),
            code: MailCode::new(41),
            tries: 1,
            recipient: "ana@exemplo.com.br".to_owned(),
            subject: "Associação: sua senha".to_owned(),
            text: "Olá, João.\nSenha: a-b".to_owned(),
            html: Some("<p>Olá, João.</p>".to_owned()),
            created_at: Moment::from_millis(1_794_663_125_000),
        }
    }

    #[test]
    fn the_same_mail_is_the_same_bytes_with_both_parts() {
        let sender = SenderAddress::parse("Amparo <nao-responda@localhost>").unwrap();
        let bytes = build_message(&sender, &mail()).unwrap().formatted();
        assert_eq!(bytes, build_message(&sender, &LeasedMail { tries: 2, ..mail() }).unwrap().formatted());
        let text = String::from_utf8(bytes).unwrap();
        for part in [
            "Message-ID: <amparo.3.41.1794663125000@localhost>\r\n",
            "Date: Sat, 14 Nov 2026 13:32:05 +0000\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Content-Type: multipart/alternative;",
            "Content-Type: text/plain; charset=utf-8\r\n",
            "Content-Type: text/html; charset=utf-8\r\n",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
        assert!(text.is_ascii(), "it passes every server: {text}");
    }

    #[test]
    fn a_recipient_that_no_mail_goes_to_is_told() {
        let sender = SenderAddress::parse("a@b.example").unwrap();
        let bad_mail = LeasedMail { recipient: "não é".to_owned(), ..mail() };
        assert!(build_message(&sender, &bad_mail).unwrap_err().starts_with("not an address"));
        assert!(SenderAddress::parse("Amparo").is_none() && SenderAddress::parse("").is_none());
    }
}
