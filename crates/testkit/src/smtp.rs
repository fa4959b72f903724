//! A mail server that keeps what it is sent, and refuses the first few where a test wants that.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A mail as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub from: String,
    pub to: Vec<String>,
    /// Headers and body.
    pub data: String,
}

impl Mail {
    /// The value of a header that stands on one line.
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.data.split("\r\n\r\n").next().unwrap();
        let start = format!("{name}: ");
        head.lines().find_map(|line| line.strip_prefix(start.as_str()))
    }
}

#[derive(Default)]
struct State {
    mails: Vec<Mail>,
    /// What the next ones are answered instead of being kept.
    refusals: Vec<&'static str>,
    refused: usize,
}

pub struct RecordingMailServer {
    pub url: String,
    state: Arc<Mutex<State>>,
    serving: JoinHandle<()>,
}

impl RecordingMailServer {
    pub async fn start() -> RecordingMailServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A client that leaves in the middle is not the server's fault.
                let shared = Arc::clone(&shared);
                tokio::spawn(async move { drop(converse(stream, &shared).await) });
            }
        });
        RecordingMailServer { url, state, serving }
    }

    /// Refuses the next `times` mails with this line: `451 later`, `550 nobody`.
    pub fn refuse(&self, times: usize, line: &'static str) {
        self.state.lock().unwrap().refusals.extend(vec![line; times]);
    }

    /// What came and was kept, in order.
    pub fn mails(&self) -> Vec<Mail> {
        self.state.lock().unwrap().mails.clone()
    }

    /// How many were refused.
    pub fn refused(&self) -> usize {
        self.state.lock().unwrap().refused
    }
}

impl Drop for RecordingMailServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn converse(stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut mail = empty();
    stream.write_all(b"220 testkit\r\n").await?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let line = line.trim_end();
        let verb = line.split([' ', ':']).next().unwrap().to_uppercase();
        let answer = match verb.as_str() {
            "EHLO" | "HELO" => "250 testkit",
            "MAIL" => {
                mail = Mail { from: address(line), ..empty() };
                "250 ok"
            }
            "RCPT" => match refusal(state) {
                Some(refusal) => refusal,
                None => {
                    mail.to.push(address(line));
                    "250 ok"
                }
            },
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await?;
                mail.data = data(&mut stream).await?;
                state.lock().unwrap().mails.push(std::mem::replace(&mut mail, empty()));
                "250 kept"
            }
            "RSET" | "NOOP" => "250 ok",
            "QUIT" => {
                stream.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "502 not known here",
        };
        stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
}

fn empty() -> Mail {
    Mail { from: String::new(), to: Vec::new(), data: String::new() }
}

fn refusal(state: &Mutex<State>) -> Option<&'static str> {
    let mut state = state.lock().unwrap();
    let refusal = (!state.refusals.is_empty()).then(|| state.refusals.remove(0));
    state.refused += usize::from(refusal.is_some());
    refusal
}

/// `MAIL FROM:<a@b> BODY=8BITMIME` is from `a@b`.
fn address(line: &str) -> String {
    line.split(['<', '>']).nth(1).unwrap_or_default().to_owned()
}

/// The lines up to the single dot, with the dots that the protocol adds taken off.
async fn data(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut data = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        match line.strip_prefix('.') {
            Some("\r\n") => return Ok(data),
            Some(stuffed) => data.push_str(stuffed),
            None => data.push_str(&line),
        }
    }
}

/// The parts of a message with alternatives, decoded as a mail program would: quoted-printable, in UTF-8.
pub fn parts(message: &str) -> Vec<String> {
    let message = message.replace("\r\n", "\n");
    let boundary = message.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap();
    let mark = format!("--{boundary}");
    let parts = message.split(mark.as_str()).skip(1);
    parts.filter(|part| !part.starts_with("--")).map(decoded).collect()
}

fn decoded(part: &str) -> String {
    let (head, body) = part.split_once("\n\n").unwrap();
    assert!(head.contains("charset=utf-8"), "{head}");
    match head.split("Content-Transfer-Encoding: ").nth(1).and_then(|rest| rest.lines().next()) {
        Some("quoted-printable") => quoted_printable(body),
        Some("7bit") => body.to_owned(),
        other => panic!("an encoding that no test needed yet: {other:?}"),
    }
}

fn quoted_printable(body: &str) -> String {
    let joined = body.replace("=\n", "");
    let mut pieces = joined.split('=');
    let mut bytes = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}
