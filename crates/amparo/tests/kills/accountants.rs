//! Accountants who charge, receive, pay back, take back, cancel and close while servers are killed. Each repeats a request
//! under its `Idempotency-Key` until it is answered, so that what must be booked is known to the last cent.

use super::callers::{bearer, call};
use super::credits::{self, AnsweredCredit};
use super::servers::Servers;
use super::{HERE, asked};
use domain::finance::TitleSituation;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use storage::{Db, sql};
use testkit::books;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

const ACCOUNTANTS: u32 = 4;
const TITLES: &str = "/gestao/financeiro/titulo";
const RUNS: &str = "/gestao/financeiro/cobranca";
const PERIODS: &str = "/gestao/financeiro/periodo";
/// What the first value of an accountant is, in cents. Each that follows is a cent more.
const FIRST_VALUE: i64 = 10_000;
/// What is paid too much each time, and the title that is paid with credit, in cents.
const EXCESS: i64 = 100;
const PAID_WITH_CREDIT: i64 = 1_100;

pub struct Accountants {
    counters: JoinSet<CounterWork>,
    charging: JoinHandle<ChargingWork>,
    stop: Arc<AtomicBool>,
}

impl Accountants {
    /// Some at the counter, each with a member of their own, and one who charges the month of everybody else.
    pub fn begin(servers: &Servers<'_>, token: &str, events: &watch::Sender<u64>) -> Accountants {
        let stop = Arc::new(AtomicBool::new(false));
        let asker = |number: u32| Asker {
            address: servers.follow_address(number as usize),
            headers: bearer(token),
            name: format!("contador-{number}"),
            asked: 0,
            events: events.clone(),
        };
        let mut counters = JoinSet::new();
        for number in 0..ACCOUNTANTS {
            counters.spawn(work_at_counter(asker(number), number, Arc::clone(&stop)));
        }
        let charging = tokio::spawn(charge_and_undo(asker(ACCOUNTANTS), Arc::clone(&stop)));
        Accountants { counters, charging, stop }
    }

    /// Everybody ends what they have begun.
    pub async fn end(self) -> Work {
        self.stop.store(true, Ordering::Relaxed);
        Work { counters: self.counters.join_all().await, charging: self.charging.await.unwrap() }
    }
}

/// Somebody who asks until there is an answer.
pub struct Asker {
    address: watch::Receiver<String>,
    headers: String,
    name: String,
    asked: u32,
    events: watch::Sender<u64>,
}

impl Asker {
    pub async fn ask(&mut self, what: &str, body: &Value) -> Value {
        let answer = self.ask_for(200, what, body).await;
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{what}: {error}: {answer}"))
    }

    pub async fn ask_for(&mut self, wanted: u16, what: &str, body: &Value) -> String {
        self.asked += 1;
        let headers = format!("{}Idempotency-Key: {}-{}\r\n", self.headers, self.name, self.asked);
        let answer = self.repeat(wanted, what, &headers, &body.to_string()).await;
        self.events.send_modify(|count| *count += 1);
        answer
    }

    pub async fn read(&self, path: &str) -> Value {
        let answer = self.repeat(200, &format!("GET {path}"), &self.headers, "").await;
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{path}: {error}: {answer}"))
    }

    async fn repeat(&self, wanted: u16, what: &str, headers: &str, body: &str) -> String {
        loop {
            let address = self.address.borrow().clone();
            match call(&address, what, headers, body).await {
                // Its server is gone or just starts, or still does what was asked before.
                None | Some((503, _)) => {}
                Some((409, words)) if words.starts_with("Idempotency-Key: o primeiro") => {}
                Some((status, answer)) if status == wanted => return answer,
                other => panic!("{what} {body}: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

pub fn reais(cents: i64) -> Value {
    json!(cents as f64 / 100.0)
}

pub fn cents(reais: &Value) -> i64 {
    (reais.as_f64().unwrap() * 100.0).round() as i64
}

/// What an accountant did at the counter, over and over.
struct CounterWork {
    person: i64,
    stories: i64,
    credits: Vec<AnsweredCredit>,
    /// The credit that is shown at the end, in cents, and the number of its movements.
    shown_credit: (i64, i64),
}

/// Three titles at a time: one is paid in part, the part is taken back, and then too much is paid; the next is cancelled,
/// and paid all the same; the last is paid with credit.
async fn work_at_counter(mut asker: Asker, number: u32, stop: Arc<AtomicBool>) -> CounterWork {
    let mut digits = *b"990000000";
    digits[8] += number as u8;
    let cpf = domain::Cpf::with_check_digits(digits.map(|digit| digit - b'0')).unwrap();
    let person = json!({"nomePessoa": format!("Pagadora {number}"), "cpfCnpj": cpf.as_str(), "codLoja": 1});
    let person = asker.ask("POST /ext/associado", &person).await["codPessoa"].as_i64().unwrap();
    let (mut stories, mut credits) = (0, Vec::new());
    while stories == 0 || !stop.load(Ordering::Relaxed) {
        let value = FIRST_VALUE + stories;
        let title = issue(&mut asker, person, value).await;
        let part = receive(&mut asker, title, 3_000).await;
        let payment = &part["liquidacoes"][0]["codLiquidacao"];
        let reverse = format!("PUT /gestao/financeiro/liquidacao/{payment}/estornar");
        let open = asker.ask(&reverse, &json!({"motivo": "cheque devolvido"})).await;
        assert_eq!(cents(&open["valorAberto"]), value, "{open}");
        let paid = receive(&mut asker, title, value + EXCESS).await;
        assert_eq!(paid["situacao"], "LIQUIDADO", "{paid}");
        let wrong = issue(&mut asker, person, 5_550).await;
        let reason = json!({"motivo": "cobrado em dobro"});
        let cancelled = asker.ask(&format!("PUT {TITLES}/{wrong}/cancelar"), &reason).await;
        assert_eq!(cancelled["situacao"], "CANCELADO", "{cancelled}");
        credits.extend(credits::receive_and_refund(&mut asker, person, wrong).await);
        let small = issue(&mut asker, person, PAID_WITH_CREDIT).await;
        let paid = asker.ask(&format!("POST {TITLES}/{small}/usarCredito"), &json!({})).await;
        assert_eq!(paid["situacao"], "LIQUIDADO", "{paid}");
        stories += 1;
    }
    let shown_credit = credits::read_credit(&asker, person).await;
    CounterWork { person, stories, credits, shown_credit }
}

async fn issue(asker: &mut Asker, person: i64, cents: i64) -> i64 {
    let body = json!({"codPessoa": person, "codTipoTitulo": 1, "valor": reais(cents)});
    asker.ask(&format!("POST {TITLES}"), &body).await[0]["codTitulo"].as_i64().unwrap()
}

async fn receive(asker: &mut Asker, title: i64, cents: i64) -> Value {
    let body = json!({"valorPago": reais(cents), "codTipoLiquidacao": 1});
    asker.ask(&format!("POST {TITLES}/{title}/receber"), &body).await
}

/// How often a month was charged and undone, and how often a month was closed or opened again.
struct ChargingWork {
    month: String,
    rounds: usize,
}

/// Approves the run that the demonstration has prepared, undoes it, closes or reopens a month, and prepares another run.
async fn charge_and_undo(mut asker: Asker, stop: Arc<AtomicBool>) -> ChargingWork {
    let first = asker.read(RUNS).await[0].clone();
    let month = first["mes"].as_str().unwrap().to_owned();
    let (mut run, mut rounds) = (first["codCobranca"].clone(), 0);
    loop {
        let path = format!("{RUNS}/{run}");
        let prepared = wait_for(&asker, &path, "PREPARADA").await;
        let counts =
            prepared["motivos"].as_array().unwrap().iter().map(|one| one["quantidade"].as_i64().unwrap());
        let listed = prepared["cobrados"].as_i64().unwrap() + counts.sum::<i64>();
        assert_eq!(prepared["beneficios"], listed, "everybody is charged or listed: {prepared}");
        asker.ask(&format!("PUT {path}/aprovar"), &json!({})).await;
        let issued = wait_for(&asker, &path, "EMITIDA").await;
        assert_eq!(cents(&issued["valorTitulos"]), cents(&prepared["valor"]), "{issued}");
        assert_eq!(issued["cobrados"], prepared["cobrados"], "{issued}");
        asker.ask(&format!("PUT {path}/desfazer"), &json!({"motivo": "ensaio"})).await;
        let undone = wait_for(&asker, &path, "DESFEITA").await;
        // What the credit of a member has paid stays.
        let [cancelled, kept] =
            ["titulosCancelados", "titulosMantidos"].map(|name| undone[name].as_i64().unwrap());
        assert_eq!(issued["titulos"], cancelled + kept, "{undone}");
        close_or_reopen(&mut asker).await;
        rounds += 1;
        if stop.load(Ordering::Relaxed) {
            return ChargingWork { month, rounds };
        }
        run = asker.ask(&format!("POST {RUNS}"), &json!({"mes": month})).await["codCobranca"].clone();
    }
}

async fn wait_for(asker: &Asker, path: &str, situation: &str) -> Value {
    loop {
        let run = asker.read(path).await;
        if run["situacao"] == situation {
            return run;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Closes the last month that is over, in which nothing can be issued then, or opens it again.
async fn close_or_reopen(asker: &mut Asker) {
    let months = asker.read(PERIODS).await;
    if !months["proximo"].is_null() {
        let closed = asker.ask(&format!("POST {PERIODS}/fechar"), &json!({"mes": months["proximo"]})).await;
        assert_eq!(closed["fechadoAte"], months["proximo"], "{closed}");
        return;
    }
    let (month, year) = months["fechadoAte"].as_str().unwrap().split_once('/').unwrap();
    let late =
        json!({"codPessoa": 1, "codTipoTitulo": 1, "valor": 5, "dataEmissao": format!("{year}-{month}-15")});
    let refused = asker.ask_for(409, &format!("POST {TITLES}"), &late).await;
    assert!(refused.contains("dataEmissao"), "{refused}");
    let reopened = asker.ask(&format!("POST {PERIODS}/reabrir"), &json!({"motivo": "ensaio"})).await;
    assert_ne!(reopened["fechadoAte"], months["fechadoAte"], "{reopened}");
}

/// What everybody did.
pub struct Work {
    counters: Vec<CounterWork>,
    charging: ChargingWork,
}

impl Work {
    /// Whether the books hold all of it, once.
    pub async fn check(&self, db: &Db) {
        books::check(db, HERE, "kills").await;
        for work in &self.counters {
            let titles =
                "SELECT situation, amount, settled_total FROM titles WHERE tenant = $1 AND person = $2
                 ORDER BY amount, code";
            let rows = asked(db, sql(titles).arg(HERE).arg(work.person)).await;
            let found: Vec<[i64; 3]> = rows
                .iter()
                .map(|row| ["situation", "amount", "settled_total"].map(|name| row.get(name).unwrap()))
                .collect();
            let [settled, cancelled] =
                [TitleSituation::Settled, TitleSituation::Cancelled].map(TitleSituation::number);
            let of_each = |title: [i64; 3]| (0..work.stories).map(move |_| title);
            let wanted: Vec<[i64; 3]> = of_each([settled, PAID_WITH_CREDIT, PAID_WITH_CREDIT])
                .chain(of_each([cancelled, 5_550, 0]))
                .chain((0..work.stories).map(|story| {
                    let value = FIRST_VALUE + story;
                    [settled, value, value]
                }))
                .collect();
            assert_eq!(found, wanted, "titles of person {}", work.person);
            let entries = "SELECT COUNT(*) AS n FROM ledger_entries e
                 JOIN titles t ON t.tenant = e.tenant AND t.code = e.title
                 WHERE e.tenant = $1 AND t.person = $2";
            let entries: i64 = asked(db, sql(entries).arg(HERE).arg(work.person)).await[0].get("n").unwrap();
            // Three titles, a part and its reversal, a payment, a use of credit, a cancellation.
            assert_eq!(entries, 8 * work.stories, "entries of person {}", work.person);
            // What is left of a payment, and what pays a title.
            let others = 2 * work.stories;
            credits::check(db, work.person, &work.credits, others).await;
            let credit = credits::sum_in_force(&work.credits) + (EXCESS - PAID_WITH_CREDIT) * work.stories;
            let movements = i64::try_from(work.credits.len()).unwrap() + others;
            assert_eq!(work.shown_credit, (credit, movements), "credit of person {}", work.person);
        }
        let left = "SELECT COUNT(*) AS n FROM charged_months m WHERE m.tenant = $1 AND m.month >= $2
             AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.tenant = m.tenant AND s.title = m.title)";
        let (month, year) = self.charging.month.split_once('/').unwrap();
        let left = asked(db, sql(left).arg(HERE).arg(format!("{year}-{month}"))).await;
        assert_eq!(left[0].get::<i64>("n").unwrap(), 0, "months that are still charged");
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stories: i64 = self.counters.iter().map(|work| work.stories).sum();
        let (titles, rounds) = (3 * stories, self.charging.rounds);
        let credits: usize = self.counters.iter().map(|work| work.credits.len()).sum();
        write!(f, "{titles} titles and {credits} credits at the counter | {rounds} months charged and undone")
    }
}
