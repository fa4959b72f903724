//! A notice that one page leaves for the next: a sentence on what was done or on why nothing was, and optionally a form
//! that undoes the last action. It travels in a cookie that is sealed with the server's key for one session. A cookie
//! planted by another site or user is ignored, and the form leads only to actions that this server offered to this user.

use super::cookies::{NewSessionToken, append_cookie, find_cookie, find_session_token};
use super::undo_form::UndoForm;
use crate::http::redirect::{redirect_to, sanitize_return_path};
use app::{App, Vault};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

const NOTICE_COOKIE: &str = "__Host-amparo-aviso";

/// Browsers drop cookies over 4096 bytes, including name and attributes.
const LONGEST_NOTICE: usize = 3900;

/// Names of the text in the cookie.
const DONE: &str = "texto";

const PROBLEM: &str = "problema";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageNotice {
    pub text: String,
    /// Whether the action was refused.
    pub is_problem: bool,
    pub undo: Option<UndoForm>,
}

impl PageNotice {
    /// The text first, under a name that says whether it is a problem, then the form's action, then the form's fields.
    fn to_text(&self) -> String {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.append_pair(if self.is_problem { PROBLEM } else { DONE }, &self.text);
        if let Some(undo) = &self.undo {
            pairs.append_pair("destino", &undo.action);
            pairs.extend_pairs(undo.fields.iter());
        }
        pairs.finish()
    }

    fn from_text(text: &str) -> Option<PageNotice> {
        let mut pairs = form_urlencoded::parse(text.as_bytes()).into_owned();
        let (name, text) = pairs.next()?;
        let action = pairs.next().map(|(_, action)| action);
        let undo = action
            .filter(|action| sanitize_return_path(action) == action)
            .map(|action| UndoForm { action, fields: pairs.collect() });
        Some(PageNotice { text, is_problem: name == PROBLEM, undo })
    }
}

/// Shows a text on the next page.
pub fn add_notice(response: &mut Response, text: &str) {
    response.extensions_mut().insert(PageNotice { text: text.to_owned(), is_problem: false, undo: None });
}

/// Like `add_notice`, with an undo form.
pub fn add_undo_notice(response: &mut Response, text: &str, undo: &UndoForm) {
    let undo = Some(undo.clone());
    response.extensions_mut().insert(PageNotice { text: text.to_owned(), is_problem: false, undo });
}

pub fn redirect_with_notice(to: &str, text: &str) -> Response {
    let mut response = redirect_to(to);
    add_notice(&mut response, text);
    response
}

/// The next page shows why an action was refused.
pub fn redirect_with_problem(to: &str, text: &str) -> Response {
    let mut response = redirect_to(to);
    response.extensions_mut().insert(PageNotice { text: text.to_owned(), is_problem: true, undo: None });
    response
}

/// The next page shows what was done, or why it was refused.
pub fn redirect_with_outcome(to: &str, outcome: Result<String, String>) -> Response {
    match outcome {
        Ok(text) => redirect_with_notice(to, &text),
        Err(text) => redirect_with_problem(to, &text),
    }
}

/// Marks a response that shows the previous page's notice.
#[derive(Clone)]
struct ShownNoticeMark;

/// Deletes the cookie, so that a notice is shown once.
pub fn expire_notice(response: &mut Response) {
    response.extensions_mut().insert(ShownNoticeMark);
}

/// Middleware that opens the previous page's notice and seals this response's notice for the next page.
pub async fn carry_notice(
    State((app, vault)): State<(App, Vault)>,
    mut request: Request,
    next: Next,
) -> Response {
    let session = find_session_token(request.headers()).map(str::to_owned);
    let sealed = find_cookie(request.headers(), NOTICE_COOKIE).filter(|sealed| !sealed.is_empty());
    let opened = sealed.zip(session.as_deref()).and_then(|(sealed, session)| {
        vault.open_for_session(session, sealed).and_then(|text| PageNotice::from_text(&text))
    });
    let has_notice = opened.is_some();
    if let Some(notice) = opened {
        request.extensions_mut().insert(notice);
    }
    let mut response = next.run(request).await;
    if has_notice && response.extensions_mut().remove::<ShownNoticeMark>().is_some() {
        append_cookie(
            &mut response,
            &format!("{NOTICE_COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"),
        );
    }
    let new_session =
        response.extensions_mut().remove::<NewSessionToken>().map(|NewSessionToken(token)| token);
    let notice = response.extensions_mut().remove::<PageNotice>();
    // A notice is sealed for a session, so without one it is dropped.
    if let (Some(notice), Some(session)) = (notice, new_session.or(session)) {
        set_notice_cookie(&mut response, &notice, &session, (&app, &vault));
    }
    response
}

fn set_notice_cookie(
    response: &mut Response,
    notice: &PageNotice,
    session: &str,
    (app, vault): (&App, &Vault),
) {
    let seal =
        |notice: &PageNotice| vault.seal_for_session(&*app.random_source, session, &notice.to_text()).ok();
    let complete = seal(notice).filter(|sealed| sealed.len() <= LONGEST_NOTICE);
    let sealed = complete.or_else(|| seal(&PageNotice { undo: None, ..notice.clone() }));
    if let Some(sealed) = sealed.filter(|sealed| sealed.len() <= LONGEST_NOTICE) {
        append_cookie(
            response,
            &format!("{NOTICE_COOKIE}={sealed}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_read_as_it_was_written() {
        let undo =
            UndoForm::new("/console/beneficios/7/desfazer".to_owned(), &[("para", "1"), ("q", "a&b =")]);
        for (is_problem, undo) in [(false, None), (true, None), (false, Some(undo))] {
            let notice = PageNotice { text: "Feito: “a&b”.".to_owned(), is_problem, undo };
            assert_eq!(PageNotice::from_text(&notice.to_text()), Some(notice));
        }
    }

    #[test]
    fn a_way_back_leads_to_our_own_pages_alone() {
        for foreign in ["https://evil.example/", "//evil.example", "/ext/associado", ""] {
            let undo = Some(UndoForm::new(foreign.to_owned(), &[]));
            let notice = PageNotice { text: "Feito.".to_owned(), is_problem: false, undo };
            assert_eq!(
                PageNotice::from_text(&notice.to_text()).and_then(|parsed| parsed.undo),
                None,
                "{foreign}"
            );
        }
    }
}
