//! What one page says on the next: a sentence, and perhaps a form that takes back what was just done. It travels in a cookie
//! that is sealed with the server's key for one session. So a cookie that another site or another person planted says
//! nothing, and the form leads only to what this server offered to this person.

use crate::visitor::{NewSession, cookie, inside, put, token};
use app::{App, Vault};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

const COOKIE: &str = "__Host-amparo-aviso";
/// Browsers drop a cookie of more than 4096 bytes with its name and attributes.
const LONGEST: usize = 3900;

/// A form that takes back what was just done: where it goes, and what it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    pub action: String,
    pub fields: Vec<(String, String)>,
}

impl Undo {
    pub fn new(action: String, fields: &[(&str, &str)]) -> Undo {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Undo { action, fields: fields.iter().map(own).collect() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub undo: Option<Undo>,
}

impl Notice {
    /// Its text first, then where the form goes, then the fields of the form.
    fn to_text(&self) -> String {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.append_pair("texto", &self.text);
        if let Some(undo) = &self.undo {
            pairs.append_pair("destino", &undo.action);
            pairs.extend_pairs(undo.fields.iter());
        }
        pairs.finish()
    }

    fn from_text(text: &str) -> Option<Notice> {
        let mut pairs = form_urlencoded::parse(text.as_bytes()).into_owned();
        let (_, text) = pairs.next()?;
        let action = pairs.next().map(|(_, action)| action);
        let undo = action
            .filter(|action| inside(action) == action)
            .map(|action| Undo { action, fields: pairs.collect() });
        Some(Notice { text, undo })
    }
}

/// Says something on the next page.
pub fn tell(response: &mut Response, text: &str) {
    response.extensions_mut().insert(Notice { text: text.to_owned(), undo: None });
}

/// The same, with the way back.
pub fn tell_undo(response: &mut Response, text: &str, undo: &Undo) {
    response.extensions_mut().insert(Notice { text: text.to_owned(), undo: Some(undo.clone()) });
}

/// What was said once is not said again.
pub fn clear(response: &mut Response) {
    put(response, &format!("{COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"));
}

/// Opens what the page before had to say, and seals what this answer says on the next.
pub async fn carry(State((app, vault)): State<(App, Vault)>, mut request: Request, next: Next) -> Response {
    let session = token(request.headers()).map(str::to_owned);
    let sealed = cookie(request.headers(), COOKIE).filter(|sealed| !sealed.is_empty());
    let opened = sealed.zip(session.as_deref()).and_then(|(sealed, session)| {
        vault.open_for_session(session, sealed).and_then(|text| Notice::from_text(&text))
    });
    if let Some(notice) = opened {
        request.extensions_mut().insert(notice);
    }
    let mut response = next.run(request).await;
    let begun = response.extensions_mut().remove::<NewSession>().map(|NewSession(token)| token);
    let notice = response.extensions_mut().remove::<Notice>();
    // Without a session there is nobody to whom it could be said.
    if let (Some(notice), Some(session)) = (notice, begun.or(session)) {
        set(&mut response, &notice, &session, (&app, &vault));
    }
    response
}

fn set(response: &mut Response, notice: &Notice, session: &str, (app, vault): (&App, &Vault)) {
    let seal = |notice: &Notice| vault.seal_for_session(&*app.chance, session, &notice.to_text()).ok();
    let whole = seal(notice).filter(|sealed| sealed.len() <= LONGEST);
    let sealed = whole.or_else(|| seal(&Notice { undo: None, ..notice.clone() }));
    if let Some(sealed) = sealed.filter(|sealed| sealed.len() <= LONGEST) {
        put(response, &format!("{COOKIE}={sealed}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_read_as_it_was_written() {
        let undo = Undo::new("/console/beneficios/7/desfazer".to_owned(), &[("para", "1"), ("q", "a&b =")]);
        for undo in [None, Some(undo)] {
            let notice = Notice { text: "Feito: “a&b”.".to_owned(), undo };
            assert_eq!(Notice::from_text(&notice.to_text()), Some(notice));
        }
    }

    #[test]
    fn a_way_back_leads_to_our_own_pages_alone() {
        for foreign in ["https://evil.example/", "//evil.example", "/ext/associado", ""] {
            let undo = Some(Undo::new(foreign.to_owned(), &[]));
            let notice = Notice { text: "Feito.".to_owned(), undo };
            assert_eq!(Notice::from_text(&notice.to_text()).and_then(|read| read.undo), None, "{foreign}");
        }
    }
}
