//! A person in front of a browser: a session that was entered by the form, and the cookies that came with it.

use std::collections::BTreeMap;
use testkit::{PASSWORD, Reply, Server};

pub const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

pub struct Browser<'s> {
    pub server: &'s Server,
    pub cookies: BTreeMap<String, String>,
}

impl<'s> Browser<'s> {
    pub fn new(server: &'s Server) -> Browser<'s> {
        Browser { server, cookies: BTreeMap::new() }
    }

    /// Signed in by the form of the console.
    pub async fn signed_in(server: &'s Server, email: &str) -> Browser<'s> {
        let mut browser = Browser::new(server);
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("usuario", email), ("senha", PASSWORD), ("para", "/console")])
            .finish();
        let reply = browser.post("/console/entrar", &form).await;
        assert_eq!(reply.status, 303, "{reply:?}");
        browser
    }

    fn cookie_header(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    pub async fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let cookies = self.cookie_header();
        let mut all = vec![("Cookie", cookies.as_str())];
        all.extend(headers);
        let reply = self.server.call(method, path, &all, body).await;
        self.keep_cookies(&reply);
        reply
    }

    pub async fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, &[], "").await
    }

    pub async fn post(&mut self, path: &str, form: &str) -> Reply {
        self.send("POST", path, &[FORM], form).await
    }

    fn keep_cookies(&mut self, reply: &Reply) {
        for (name, value) in &reply.headers {
            if !name.eq_ignore_ascii_case("set-cookie") {
                continue;
            }
            let (pair, attributes) = value.split_once(';').unwrap();
            let (cookie, value) = pair.split_once('=').unwrap();
            if attributes.contains("Max-Age=0") {
                self.cookies.remove(cookie);
            } else {
                self.cookies.insert(cookie.to_owned(), value.to_owned());
            }
        }
    }
}

/// The attributes of a cookie that an answer sets.
pub fn set_cookie<'r>(reply: &'r Reply, name: &str) -> Option<&'r str> {
    let set = reply.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case("set-cookie"));
    set.map(|(_, value)| value.as_str()).find(|value| value.starts_with(&format!("{name}=")))
}
