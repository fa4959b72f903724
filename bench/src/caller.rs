//! A caller with one connection that it keeps: sends a request, reads the answer, tells how long that took.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{BufRead, BufReader, Error, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The token in the answer to a login.
pub fn token_in(body: &str) -> Option<String> {
    body.split("\"authorizationToken\":\"").nth(1)?.split('"').next().map(str::to_owned)
}

pub struct Caller {
    stream: BufReader<TcpStream>,
}

pub struct Answer {
    pub status: u16,
    pub body: String,
    pub took: Duration,
    /// The session that it opened: `name=value`.
    pub cookie: Option<String>,
}

impl Caller {
    pub fn connect(address: &str) -> Result<Caller, Error> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Caller { stream: BufReader::new(stream) })
    }

    pub fn login(&mut self, login: &str, password: &str) -> Result<Answer, Error> {
        let credential = STANDARD.encode(format!("{login}:{password}"));
        self.send(&format!(
            "POST /ext/autenticacao HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {credential}\r\nContent-Length: 0\r\n\r\n"
        ))
    }

    pub fn read(&mut self, path: &str, token: &str) -> Result<Answer, Error> {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"))
    }

    /// A page, for whoever has this cookie.
    pub fn page(&mut self, path: &str, cookie: &str) -> Result<Answer, Error> {
        let path = path.replace(' ', "+");
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n\r\n"))
    }

    pub fn form(&mut self, path: &str, body: &str) -> Result<Answer, Error> {
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    fn send(&mut self, request: &str) -> Result<Answer, Error> {
        let begun = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length, mut line, mut cookie) = (0, 0, String::new(), None);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(Error::other("the server closed the connection"));
            }
            let text = line.trim_end().to_ascii_lowercase();
            if let Some(rest) = text.strip_prefix("http/1.1 ") {
                status = rest.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or(0);
            } else if let Some(rest) = text.strip_prefix("content-length: ") {
                length = rest.parse().unwrap_or(0);
            } else if text.starts_with("set-cookie: __host-amparo=") {
                let value = line.split_once(": ").map_or("", |(_, value)| value);
                cookie = value.split(';').next().map(str::to_owned);
            } else if text.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer {
            status,
            body: String::from_utf8_lossy(&body).into_owned(),
            took: begun.elapsed(),
            cookie,
        })
    }
}
