//! A plain HTTP/1.1 caller: what it sends is what the test says, byte for byte, and what it reads is what came.

use crate::Server;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    /// The first header of that name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The token of the session of the console that it begins.
    pub fn session(&self) -> Option<String> {
        let set = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        let mut tokens = set.filter_map(|(_, value)| value.strip_prefix("__Host-amparo=")?.split(';').next());
        tokens.find(|token| !token.is_empty()).map(str::to_owned)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it refuses in our words: the status, plain text, at least one sentence.
    #[track_caller]
    pub fn refuses(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("text/plain; charset=utf-8"), "{self:?}");
        assert!(self.body.trim_end().len() > 10, "{self:?}");
        &self.body
    }
}

/// An answer that is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    pub head: Reply,
    pub bytes: Vec<u8>,
}

/// `Authorization: Basic …`
pub fn basic(login: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{login}:{password}")))
}

impl Server {
    /// Sends a request with these headers and reads the whole answer.
    pub async fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request.push_str("Host: localhost\r\n");
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method == "POST" || method == "PUT" {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        reply(&self.raw(&format!("{request}\r\n{body}")).await)
    }

    /// Sends bytes with a token, and reads bytes.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Whole {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        // Who is refused early does not take the rest.
        let _ = stream.write_all(body).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer") + 4;
        let mut bytes = answer.split_off(end);
        let (mut head, is_chunked) = headed(std::str::from_utf8(&answer).unwrap());
        if is_chunked {
            bytes = joined(&bytes);
        }
        if let Ok(text) = std::str::from_utf8(&bytes) {
            head.body = text.to_owned();
        }
        Whole { head, bytes }
    }

    /// A token for a user of the world, whose password is [`crate::PASSWORD`].
    pub async fn token(&self, email: &str) -> String {
        let entered = self.enter(email, crate::PASSWORD).await;
        assert_eq!(entered.status, 200, "{entered:?}");
        entered.json()["authorizationToken"].as_str().unwrap().to_owned()
    }

    /// The token of a session of the console for a user of the world, who has no second factor.
    pub async fn console_token(&self, email: &str) -> String {
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        let form = format!("usuario={email}&senha={}", crate::PASSWORD.replace(' ', "+"));
        let entered = self.call("POST", "/console/entrar", &[kind], &form).await;
        assert_eq!(entered.status, 303, "{entered:?}");
        entered.session().unwrap_or_else(|| panic!("no session: {entered:?}"))
    }

    pub async fn enter(&self, email: &str, password: &str) -> Reply {
        self.call("POST", "/ext/autenticacao", &[("Authorization", &basic(email, password))], "").await
    }

    /// A GET with a token.
    pub async fn read(&self, path: &str, token: &str) -> Reply {
        self.call("GET", path, &[("Authorization", &format!("Bearer {token}"))], "").await
    }

    /// A POST of JSON with a token.
    pub async fn write(&self, path: &str, token: &str, body: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.call("POST", path, &headers, body).await
    }

    /// A PUT of JSON with a token; of nothing, where the body is empty.
    pub async fn put(&self, path: &str, token: &str, body: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.call("PUT", path, &headers, body).await
    }
}

fn reply(text: &str) -> Reply {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let (mut reply, is_chunked) = headed(head);
    reply.body = match is_chunked {
        true => String::from_utf8(joined(body.as_bytes())).unwrap(),
        false => body.to_owned(),
    };
    reply
}

/// An answer without its body, and whether that comes in chunks.
fn headed(head: &str) -> (Reply, bool) {
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> =
        lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    let is_chunked = headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked")
    });
    (Reply { status, headers, body: String::new() }, is_chunked)
}

/// The chunks of a body without their lengths. One that was cut off has no end, and is no answer.
fn joined(chunks: &[u8]) -> Vec<u8> {
    let (mut rest, mut body) = (chunks, Vec::new());
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap_or_else(|| panic!("cut off"));
        let length = std::str::from_utf8(&rest[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap_or_else(|_| panic!("no length: {length:?}"));
        if length == 0 {
            return body;
        }
        let chunk = &rest[end + 2..];
        body.extend_from_slice(&chunk[..length]);
        rest = &chunk[length + 2..];
    }
}
