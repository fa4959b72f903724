//! Callers that change situations until they are told to end, each from one server, and remember what was answered.

use super::Shared;
use super::receiver::Receiver;
use super::servers::Servers;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub const DOCUMENT: &str = "52998224725";
const CALLERS: usize = 6;
/// What each benefit goes through behind its first situation.
const SITUATIONS: [&str; 5] = ["INADIMPLENTE", "SUSPENSO", "ATIVO", "PENDENTE", "INATIVO"];
/// So much may be on its way to the receiver; whoever changes more waits for it.
const AHEAD: usize = 300;

/// The changes of a benefit that were answered, and the one whose answer never came.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub did: Vec<String>,
    pub trying: Option<String>,
}

#[derive(Clone, Default)]
pub struct Ledger {
    pub benefits: BTreeMap<i64, Said>,
}

impl Ledger {
    pub fn answered(&self) -> usize {
        self.benefits.values().map(|said| said.did.len()).sum()
    }
}

pub struct Callers {
    tasks: JoinSet<()>,
    ledger: Shared<Ledger>,
    stop: Arc<AtomicBool>,
}

impl Callers {
    pub fn begin(
        servers: &Servers<'_>,
        token: &str,
        receiver: &Receiver,
        events: watch::Sender<u64>,
    ) -> Callers {
        let (ledger, stop) = (Shared::<Ledger>::default(), Arc::new(AtomicBool::new(false)));
        let (plates, answered) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = JoinSet::new();
        for which in 0..CALLERS {
            let caller = Caller {
                address: servers.follow_address(which),
                headers: bearer(token),
                ledger: Arc::clone(&ledger),
                plates: Arc::clone(&plates),
                answered: Arc::clone(&answered),
                receiver: receiver.clone(),
                events: events.clone(),
            };
            let stop = Arc::clone(&stop);
            tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    if caller.benefit(&stop).await.is_none() {
                        // Its server is gone, and back in a moment.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
            });
        }
        Callers { tasks, ledger, stop }
    }

    pub async fn end(self) -> Ledger {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.join_all().await;
        self.ledger.lock().unwrap().clone()
    }
}

struct Caller {
    address: watch::Receiver<String>,
    headers: String,
    ledger: Shared<Ledger>,
    plates: Arc<AtomicU32>,
    answered: Arc<AtomicUsize>,
    receiver: Receiver,
    events: watch::Sender<u64>,
}

impl Caller {
    /// A new benefit and what it goes through; `None` where an answer did not come. Then nothing more is asked of it,
    /// so that its history is known but for that one change.
    async fn benefit(&self, stop: &AtomicBool) -> Option<()> {
        let number = self.plates.fetch_add(1, Ordering::Relaxed);
        let letter = |at: u32| char::from(b'A' + (number / 100 / 26_u32.pow(at) % 26) as u8);
        let plate = format!("{}{}{}1A{:02}", letter(2), letter(1), letter(0), number % 100);
        let body =
            format!(r#"{{"cpfCnpj":"{DOCUMENT}","codPlano":1,"codLoja":1,"placa":"{plate}","ativo":true}}"#);
        let answer = self.save(&body).await?;
        let code: i64 = answer["codBeneficio"].as_i64().unwrap();
        self.did(code, "ATIVO");
        for situation in SITUATIONS {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            self.ledger.lock().unwrap().benefits.get_mut(&code).unwrap().trying = Some(situation.to_owned());
            let body = format!(
                r#"{{"codBeneficio":{code},"cpfCnpj":"{DOCUMENT}","codLoja":1,"situacao":"{situation}"}}"#
            );
            self.save(&body).await?;
            self.did(code, situation);
        }
        Some(())
    }

    async fn save(&self, body: &str) -> Option<serde_json::Value> {
        while self.answered.load(Ordering::Relaxed) > self.receiver.count() + AHEAD {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let address = self.address.borrow().clone();
        let (status, answer) = call(&address, "POST /ext/beneficio/veicular", &self.headers, body).await?;
        assert_eq!(status, 200, "{body}: {answer}");
        Some(serde_json::from_str(&answer).unwrap())
    }

    fn did(&self, code: i64, situation: &str) {
        let mut ledger = self.ledger.lock().unwrap();
        let said = ledger.benefits.entry(code).or_default();
        said.trying = None;
        said.did.push(situation.to_owned());
        self.answered.fetch_add(1, Ordering::Relaxed);
        self.events.send_modify(|count| *count += 1);
    }
}

pub fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n")
}

/// Sends a request and reads the whole answer; `None` where it does not come.
pub async fn call(address: &str, what: &str, headers: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let length = body.len();
    let request = format!(
        "{what} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    })?;
    // Cut short by the kill.
    if body.len() != length {
        return None;
    }
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}
