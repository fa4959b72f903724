//! The mail texts, each as plain text and as HTML. Every mail names the association and the server's address, so that
//! its reader can place it. To add one: two templates, a struct for each, a function.

use askama::Template;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedMail {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// The recipient, the association and the server of a mail.
#[derive(Clone, Copy, Debug)]
pub struct RecipientContext<'m> {
    pub association: &'m str,
    /// The server's public URL, without a trailing slash.
    pub server: &'m str,
    /// The recipient's name.
    pub name: &'m str,
    pub email: &'m str,
}

#[derive(Template)]
#[template(path = "mail/first_password.txt")]
struct FirstPasswordText<'m> {
    head: RecipientContext<'m>,
    password: &'m str,
}

#[derive(Template)]
#[template(path = "mail/first_password.html")]
struct FirstPasswordHtml<'m> {
    head: RecipientContext<'m>,
    password: &'m str,
}

/// A generated password, for a new account or to replace an old one.
pub fn render_first_password(
    head: RecipientContext<'_>,
    password: &str,
) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: sua senha no Amparo", head.association),
        text: FirstPasswordText { head, password }.render()?,
        html: FirstPasswordHtml { head, password }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/reset_link.txt")]
struct ResetLinkText<'m> {
    head: RecipientContext<'m>,
    link: &'m str,
    minutes: u64,
    requested_from: Option<&'m str>,
}

#[derive(Template)]
#[template(path = "mail/reset_link.html")]
struct ResetLinkHtml<'m> {
    head: RecipientContext<'m>,
    link: &'m str,
    minutes: u64,
    requested_from: Option<&'m str>,
}

/// The link for choosing a new password, with the network address that requested it, if known.
pub fn render_reset_link(
    head: RecipientContext<'_>,
    link: &str,
    minutes: u64,
    requested_from: Option<&str>,
) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: escolha uma nova senha no Amparo", head.association),
        text: ResetLinkText { head, link, minutes, requested_from }.render()?,
        html: ResetLinkHtml { head, link, minutes, requested_from }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/password_changed.txt")]
struct PasswordChangedText<'m> {
    head: RecipientContext<'m>,
}

#[derive(Template)]
#[template(path = "mail/password_changed.html")]
struct PasswordChangedHtml<'m> {
    head: RecipientContext<'m>,
}

/// The notice of a changed password, for an owner who did not make the change.
pub fn render_password_changed(head: RecipientContext<'_>) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: sua senha no Amparo foi trocada", head.association),
        text: PasswordChangedText { head }.render()?,
        html: PasswordChangedHtml { head }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/email_changed.txt")]
struct EmailChangedText<'m> {
    head: RecipientContext<'m>,
    is_new: bool,
}

#[derive(Template)]
#[template(path = "mail/email_changed.html")]
struct EmailChangedHtml<'m> {
    head: RecipientContext<'m>,
    is_new: bool,
}

/// The notice of a changed sign-in address, for the old or the new address. Neither mail names the other address: a
/// mistyped address may belong to a stranger.
pub fn render_email_changed(head: RecipientContext<'_>, is_new: bool) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: o e-mail da sua conta no Amparo foi trocado", head.association),
        text: EmailChangedText { head, is_new }.render()?,
        html: EmailChangedHtml { head, is_new }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/second_factor_on.txt")]
struct SecondFactorOnText<'m> {
    head: RecipientContext<'m>,
}

#[derive(Template)]
#[template(path = "mail/second_factor_on.html")]
struct SecondFactorOnHtml<'m> {
    head: RecipientContext<'m>,
}

/// The notice that a second factor is now required, for an owner who did not switch it on.
pub fn render_second_factor_on(head: RecipientContext<'_>) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: seu segundo fator no Amparo foi ligado", head.association),
        text: SecondFactorOnText { head }.render()?,
        html: SecondFactorOnHtml { head }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/second_factor_off.txt")]
struct SecondFactorOffText<'m> {
    head: RecipientContext<'m>,
}

#[derive(Template)]
#[template(path = "mail/second_factor_off.html")]
struct SecondFactorOffHtml<'m> {
    head: RecipientContext<'m>,
}

/// The notice that the second factor was switched off, for an owner who did not do so.
pub fn render_second_factor_off(head: RecipientContext<'_>) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: seu segundo fator no Amparo foi desligado", head.association),
        text: SecondFactorOffText { head }.render()?,
        html: SecondFactorOffHtml { head }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/test.txt")]
struct TestMailText<'m> {
    head: RecipientContext<'m>,
}

#[derive(Template)]
#[template(path = "mail/test.html")]
struct TestMailHtml<'m> {
    head: RecipientContext<'m>,
}

/// A test mail.
pub fn render_test_mail(head: RecipientContext<'_>) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: e-mail de teste", head.association),
        text: TestMailText { head }.render()?,
        html: TestMailHtml { head }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/receiver_paused.txt")]
struct ReceiverPausedText<'m> {
    head: RecipientContext<'m>,
    code: i32,
    address: &'m str,
    gone: bool,
}

#[derive(Template)]
#[template(path = "mail/receiver_paused.html")]
struct ReceiverPausedHtml<'m> {
    head: RecipientContext<'m>,
    code: i32,
    address: &'m str,
    gone: bool,
}

/// The notice that a receiver is paused until an administrator resumes it.
pub fn render_receiver_paused(
    head: RecipientContext<'_>,
    code: i32,
    address: &str,
    answered_gone: bool,
) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: um receptor de gatilhos foi pausado", head.association),
        text: ReceiverPausedText { head, code, address, gone: answered_gone }.render()?,
        html: ReceiverPausedHtml { head, code, address, gone: answered_gone }.render()?,
    })
}

#[derive(Template)]
#[template(path = "mail/triggers_exhausted.txt")]
struct TriggersExhaustedText<'m> {
    head: RecipientContext<'m>,
    code: i32,
    address: &'m str,
}

#[derive(Template)]
#[template(path = "mail/triggers_exhausted.html")]
struct TriggersExhaustedHtml<'m> {
    head: RecipientContext<'m>,
    code: i32,
    address: &'m str,
}

/// The notice that deliveries to a receiver were given up.
pub fn render_triggers_exhausted(
    head: RecipientContext<'_>,
    code: i32,
    address: &str,
) -> Result<RenderedMail, askama::Error> {
    Ok(RenderedMail {
        subject: format!("{}: há gatilhos que não chegaram a um receptor", head.association),
        text: TriggersExhaustedText { head, code, address }.render()?,
        html: TriggersExhaustedHtml { head, code, address }.render()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: RecipientContext<'_> = RecipientContext {
        association: "Associação <Boa> & Cia",
        server: "https://amparo.exemplo.com.br",
        name: "Ana \"A\" <b>",
        email: "ana@exemplo.com.br",
    };

    fn all() -> [RenderedMail; 11] {
        [
            render_first_password(HEAD, "abcde-fghij-kmnpq-rstuv").unwrap(),
            render_reset_link(
                HEAD,
                "https://amparo.exemplo.com.br/senha/nova/1.abc",
                30,
                Some("203.0.113.7"),
            )
            .unwrap(),
            render_password_changed(HEAD).unwrap(),
            render_email_changed(HEAD, true).unwrap(),
            render_email_changed(HEAD, false).unwrap(),
            render_second_factor_on(HEAD).unwrap(),
            render_second_factor_off(HEAD).unwrap(),
            render_test_mail(HEAD).unwrap(),
            render_receiver_paused(HEAD, 3, "https://erp.exemplo.com.br/gatilhos", true).unwrap(),
            render_receiver_paused(HEAD, 3, "https://erp.exemplo.com.br/gatilhos", false).unwrap(),
            render_triggers_exhausted(HEAD, 3, "https://erp.exemplo.com.br/gatilhos").unwrap(),
        ]
    }

    #[test]
    fn every_mail_names_the_association_the_server_and_its_reader_in_both_parts() {
        for letter in all() {
            for part in [HEAD.association, HEAD.server, HEAD.name] {
                assert!(letter.text.contains(part), "{part} in {}", letter.text);
            }
            assert!(letter.subject.contains(HEAD.association));
            assert!(letter.html.contains(HEAD.server), "{}", letter.html);
            assert!(letter.html.contains("Associação &#60;Boa&#62; &#38; Cia"), "{}", letter.html);
            assert!(letter.html.contains("Ana &#34;A&#34; &#60;b&#62;"), "{}", letter.html);
            assert!(!letter.html.contains("<b>") && !letter.html.contains("<img"), "{}", letter.html);
        }
    }

    #[test]
    fn texts_have_no_leftovers_of_their_templates() {
        for letter in all() {
            assert!(!letter.text.contains("\n\n\n") && !letter.text.contains(" \n"), "{}", letter.text);
            assert!(
                letter.text.starts_with("Olá, ") && letter.text.ends_with("responder."),
                "{}",
                letter.text
            );
            assert!(!letter.text.contains("&#"), "{}", letter.text);
        }
    }

    #[test]
    fn a_link_without_a_known_place_says_nothing_of_one() {
        let letter = render_reset_link(HEAD, "https://x/senha/nova/1.abc", 30, None).unwrap();
        assert!(!letter.text.contains("endereço de rede") && !letter.html.contains("endereço de rede"));
        assert!(letter.text.contains("30 minutos") && letter.text.contains("https://x/senha/nova/1.abc\n"));
    }
}
