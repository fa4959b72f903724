//! A receiver of triggers that answers as a test wants, and keeps what it is sent, byte for byte and in its order.

use serde_json::Value;
use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A trigger as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// What it is answered with; `None` where it is not.
    pub status: Option<u16>,
}

impl Taken {
    /// The first header of that name, whatever its case.
    pub fn header(&self, name: &str) -> &str {
        let named = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map_or("", |(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The change that it tells of.
    pub fn history(&self) -> i64 {
        self.json()["codHistorico"].as_i64().unwrap()
    }

    /// The record that it tells of.
    pub fn record(&self) -> i64 {
        self.json()["objeto"]["id"].as_i64().unwrap()
    }
}

/// How a trigger is answered.
#[derive(Clone, Debug)]
pub enum Reaction {
    Status(u16),
    /// With headers, each ending in `\r\n`, and a body.
    With(u16, String, String),
    /// After so long.
    Late(Duration, u16),
    /// When the test says so.
    When(watch::Receiver<bool>, u16),
    /// The head of an answer, and a body that never ends.
    Endless(u16),
    /// The head of an answer with a body, which never comes.
    Withheld(u16),
    Silence,
    HangUp,
}

impl Reaction {
    fn status(&self) -> Option<u16> {
        match self {
            Reaction::Status(status)
            | Reaction::With(status, ..)
            | Reaction::Late(_, status)
            | Reaction::When(_, status)
            | Reaction::Endless(status)
            | Reaction::Withheld(status) => Some(*status),
            Reaction::Silence | Reaction::HangUp => None,
        }
    }
}

type Script = Box<dyn FnMut(&Taken) -> Reaction + Send>;

struct State {
    script: Script,
    taken: Vec<Taken>,
    /// The records whose triggers are under way, and how often one came while another was.
    under_way: HashSet<(String, i64)>,
    overlaps: usize,
    /// How many triggers are under way, and were at most.
    at_once: usize,
    most_at_once: usize,
    /// Bytes of endless answers that somebody read.
    poured: usize,
}

pub struct Receiver {
    /// Without a path.
    pub url: String,
    state: Arc<Mutex<State>>,
    serving: JoinHandle<()>,
}

impl Receiver {
    /// One that answers everything alike.
    pub async fn answering(status: u16) -> Receiver {
        Receiver::start(move |_| Reaction::Status(status)).await
    }

    pub async fn start(script: impl FnMut(&Taken) -> Reaction + Send + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State {
            script: Box::new(script),
            taken: Vec::new(),
            under_way: HashSet::new(),
            overlaps: 0,
            at_once: 0,
            most_at_once: 0,
            poured: 0,
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&shared);
                // A sender that leaves in the middle is not the receiver's fault.
                tokio::spawn(async move { drop(converse(stream, &shared).await) });
            }
        });
        Receiver { url, state, serving }
    }

    pub fn answers(&self, script: impl FnMut(&Taken) -> Reaction + Send + 'static) {
        self.state.lock().unwrap().script = Box::new(script);
    }

    pub fn taken(&self) -> Vec<Taken> {
        self.state.lock().unwrap().taken.clone()
    }

    pub fn count(&self) -> usize {
        self.state.lock().unwrap().taken.len()
    }

    /// How often a trigger of a record came while another of it was under way.
    pub fn overlaps(&self) -> usize {
        self.state.lock().unwrap().overlaps
    }

    /// How many were under way at once, at most.
    pub fn most_at_once(&self) -> usize {
        self.state.lock().unwrap().most_at_once
    }

    pub fn poured(&self) -> usize {
        self.state.lock().unwrap().poured
    }

    pub fn port(&self) -> &str {
        self.url.rsplit_once(':').unwrap().1
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn converse(stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(mut taken) = request(&mut stream).await? {
        let key =
            serde_json::from_str(&taken.body).ok().and_then(|value: Value| value["objeto"]["id"].as_i64());
        let key = key.map(|record| (taken.path.clone(), record));
        let reaction = {
            let mut state = state.lock().unwrap();
            let reaction = (state.script)(&taken);
            taken.status = reaction.status();
            state.taken.push(taken);
            state.at_once += 1;
            state.most_at_once = state.most_at_once.max(state.at_once);
            if let Some(key) = key.clone()
                && !state.under_way.insert(key)
            {
                state.overlaps += 1;
            }
            reaction
        };
        // Over before its answer can be read, so that the next one of the record finds it ended.
        let is_under_way = AtomicBool::new(true);
        let ended = || {
            let mut state = state.lock().unwrap();
            state.at_once -= usize::from(is_under_way.swap(false, Ordering::SeqCst));
            key.as_ref().is_some_and(|key| state.under_way.remove(key))
        };
        let has_record_queue = react(&mut stream, state, reaction, &ended).await;
        ended();
        if !has_record_queue? {
            return Ok(());
        }
    }
    Ok(())
}

async fn request(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Taken>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    stream.read_exact(&mut body).await?;
    Ok(Some(Taken { path, headers, body: String::from_utf8(body).unwrap(), status: None }))
}

/// Answers; says whether the connection serves again.
async fn react(
    stream: &mut BufReader<TcpStream>,
    state: &Mutex<State>,
    reaction: Reaction,
    ended: impl Fn() -> bool,
) -> io::Result<bool> {
    match reaction {
        Reaction::Status(status) => plain(stream, status, "", "", ended).await,
        Reaction::With(status, headers, body) => plain(stream, status, &headers, &body, ended).await,
        Reaction::Late(delay, status) => {
            tokio::select! {
                () = tokio::time::sleep(delay) => plain(stream, status, "", "", ended).await,
                _ = stream.fill_buf() => Ok(false),
            }
        }
        Reaction::When(mut said, status) => {
            tokio::select! {
                () = async { drop(said.wait_for(|said| *said).await) } => {
                    plain(stream, status, "", "", ended).await
                }
                _ = stream.fill_buf() => Ok(false),
            }
        }
        Reaction::Endless(status) => {
            ended();
            stream.write_all(format!("HTTP/1.1 {status} X\r\n\r\n").as_bytes()).await?;
            loop {
                stream.write_all(&[b'x'; 4096]).await?;
                state.lock().unwrap().poured += 4096;
            }
        }
        Reaction::Withheld(status) => {
            ended();
            stream
                .write_all(format!("HTTP/1.1 {status} X\r\nContent-Length: 9\r\n\r\nabc").as_bytes())
                .await?;
            stream.fill_buf().await.map(|_| false)
        }
        Reaction::Silence => stream.fill_buf().await.map(|_| false),
        Reaction::HangUp => Ok(false),
    }
}

async fn plain(
    stream: &mut BufReader<TcpStream>,
    status: u16,
    headers: &str,
    body: &str,
    ended: impl Fn() -> bool,
) -> io::Result<bool> {
    let length = match status {
        204 | 304 => String::new(),
        _ => format!("Content-Length: {}\r\n", body.len()),
    };
    ended();
    let answer = format!("HTTP/1.1 {status} X\r\n{headers}{length}\r\n{body}");
    stream.write_all(answer.as_bytes()).await.map(|()| true)
}
