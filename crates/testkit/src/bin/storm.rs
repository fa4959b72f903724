//! Writes until it is killed, eight callers at once: people, vehicles with plates of their own and with plates that others
//! want too, changes and cancellations, dependents. On standard output it says what it is about to do (`try`), and what was answered
//! (`did`), each with the whole state of the record: `storm ADDRESS ROUND`. The other half is `tests/kills/main.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test tool fails loudly and speaks on standard output"
)]

extern crate amparo_testkit as testkit;

use app::access;
use app::benefits::{self, BenefitWriteInput, SavedBenefit};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members::dependents;
use app::session::Session;
use app::{App, Error, cache, members};
use domain::{BenefitCode, Cpf, DependentCode, Plate, SituationKind};
use std::io::Write;
use std::sync::Arc;
use storage::{DatabaseAddress, SchemaPolicy};
use testkit::{StillClock, app_on};
use wire::read::read_body;

/// Callers at once, and how many numbers each has for itself in a round.
const CALLERS: u32 = 8;
const NUMBERS: u32 = 10_000;
/// Plates of a round that everybody wants.
const WANTED: u32 = 3;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let address = DatabaseAddress::parse(&arguments[1]).unwrap();
    let round: u32 = arguments[2].parse().unwrap();
    let (db, _) = storage::open_database(&address, &testkit::options(), SchemaPolicy::Migrate).await.unwrap();
    let app = app_on(db, Arc::new(StillClock::default()), round.into());
    let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
    let entered = access::log_in_program(&app, demo::ADMINISTRATOR, demo::PASSWORD, here).await.unwrap();
    let session = app::session::load_session(&app, &entered.token).await.unwrap();
    let mut callers = tokio::task::JoinSet::new();
    for which in 0..CALLERS {
        let caller = Caller { app: app.clone(), session: Arc::clone(&session), round };
        callers.spawn(async move {
            let first = (round * CALLERS + which) * NUMBERS;
            for number in first..first + NUMBERS {
                caller.go(number).await;
            }
        });
    }
    callers.join_all().await;
}

fn say(line: std::fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    // The dot says that the line is whole.
    writeln!(out, "{line} .").unwrap();
    out.flush().unwrap();
}

struct Caller {
    app: App,
    session: Arc<Session>,
    round: u32,
}

fn plainly<T>() -> IdempotentWrite<T> {
    IdempotentWrite { ticket: None, render: Arc::new(|_| Vec::new()), is_dry_run: false }
}

fn now<T>(done: WriteOutcome<T>) -> T {
    match done {
        WriteOutcome::Fresh(value) => value,
        WriteOutcome::Replayed(_) | WriteOutcome::Checked => panic!("nobody named his request"),
    }
}

impl Caller {
    async fn go(&self, number: u32) {
        // As a server does all the time, so that what it remembers is still good.
        cache::refresh_versions(&self.app).await.unwrap();
        let digits = format!("{number:09}");
        let digits: Vec<u8> = digits.bytes().map(|byte| byte - b'0').collect();
        let document = Cpf::with_check_digits(digits.try_into().unwrap()).unwrap().as_str().to_owned();
        let branch = number as i32 % 3 + 1;
        self.person(&document, branch, number, "Primeira").await;
        let own = plate(number);
        let benefit = self.vehicle(&document, branch, &own).await.expect("nobody else has this plate");
        let child = self.dependent(&benefit, None, number, "Primeiro").await;
        if number.is_multiple_of(3) {
            self.person(&document, branch, number, "Segunda").await;
            self.dependent(&benefit, Some(child), number, "Segundo").await;
        }
        let moved = branch % 3 + 1;
        self.change(&document, &benefit, moved, number.is_multiple_of(2)).await;
        let wanted = plate(400_000_000 + self.round * WANTED + number % WANTED);
        if let Some(benefit) = self.vehicle(&document, branch, &wanted).await {
            self.cancel(&document, &benefit).await;
        }
        if number.is_multiple_of(4) {
            self.cancel(&document, &benefit).await;
        }
    }

    async fn person(&self, document: &str, branch: i32, number: u32, first: &str) {
        let word = format!("{first}{}", letters(number));
        let text = format!(
            r#"{{"nomePessoa": "{word} da Tempestade", "cpfCnpj": "{document}", "codLoja": {branch}}}"#
        );
        say(format_args!("try person {document} | {branch} {word}"));
        let input = read_body(text.as_bytes()).unwrap();
        now(members::save_person(&self.app, &self.session, input, plainly()).await.unwrap());
        say(format_args!("did person {document} | {branch} {word}"));
    }

    /// `None` where somebody else has the plate.
    async fn vehicle(&self, document: &str, branch: i32, plate: &Plate) -> Option<SavedBenefit> {
        let text = format!(
            r#"{{"cpfCnpj": "{document}", "codPlano": 1, "codLoja": {branch}, "placa": "{}", "ativo": true}}"#,
            plate.as_str()
        );
        let input = BenefitWriteInput::Vehicle(Box::new(read_body(text.as_bytes()).unwrap()));
        match benefits::save_benefit(&self.app, &self.session, input, plainly()).await {
            Ok(done) => Some(did(document, now(done))),
            Err(Error::Refused(_)) => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// A dependent, new or with another name.
    async fn dependent(
        &self,
        benefit: &SavedBenefit,
        known: Option<DependentCode>,
        number: u32,
        first: &str,
    ) -> DependentCode {
        let (benefit, word) = (benefit.code, format!("{first}{}", letters(number)));
        let own = known.map_or("null".to_owned(), |code| code.to_string());
        if known.is_some() {
            say(format_args!("try dependent {own} | {benefit} {word}"));
        }
        let text = format!(
            r#"{{"codBeneficio": {benefit}, "codDependente": {own}, "nome": "{word} da Tempestade", "parentesco": "FILHO"}}"#
        );
        let input = read_body(text.as_bytes()).unwrap();
        let code =
            now(dependents::save_dependent(&self.app, &self.session, input, plainly()).await.unwrap()).code;
        say(format_args!("did dependent {code} | {benefit} {word}"));
        code
    }

    /// Moves it to another branch, and sometimes to another situation.
    async fn change(&self, document: &str, benefit: &SavedBenefit, branch: i32, deactivate: bool) {
        let code = benefit.code;
        let situation =
            if deactivate { self.situation(SituationKind::Inactive).await } else { String::new() };
        let to = if deactivate { &situation } else { &benefit.situation };
        say(format_args!("try benefit {code} | {}", state(document, benefit, branch, to)));
        let text = format!(
            r#"{{"codBeneficio": {code}, "cpfCnpj": "{document}", "codLoja": {branch}, "situacao": "{to}"}}"#
        );
        let input = BenefitWriteInput::Vehicle(Box::new(read_body(text.as_bytes()).unwrap()));
        let done = benefits::save_benefit(&self.app, &self.session, input, plainly()).await;
        did(document, now(done.unwrap()));
    }

    async fn cancel(&self, document: &str, benefit: &SavedBenefit) {
        let code: BenefitCode = benefit.code;
        let found =
            storage::benefits::find_benefit(&self.app.db, &self.session.scope, code).await.unwrap().unwrap();
        let cancelled = self.situation(SituationKind::Cancelled).await;
        say(format_args!(
            "try benefit {code} | {}",
            state(document, benefit, found.branch.get(), &cancelled)
        ));
        let why = wire::read::read_optional_body(b"").unwrap();
        let done = benefits::cancel_benefit(&self.app, &self.session, code, why, plainly()).await;
        did(document, now(done.unwrap()));
    }

    async fn situation(&self, kind: SituationKind) -> String {
        let registers =
            app::register_snapshot::load_registers(&self.app, self.session.scope.tenant()).await.unwrap();
        registers.default_situation(domain::Entity::Benefit, kind).unwrap().name.clone()
    }
}

fn did(document: &str, saved: SavedBenefit) -> SavedBenefit {
    let branch = saved.benefit.branch.get();
    say(format_args!("did benefit {} | {}", saved.code, state(document, &saved, branch, &saved.situation)));
    saved
}

/// Everything that must be found of a benefit.
fn state(document: &str, saved: &SavedBenefit, branch: i32, situation: &str) -> String {
    let SavedBenefit { benefit, .. } = saved;
    let plate = benefit.vehicle.plate.as_ref().unwrap().comparison_key();
    let card = benefit.card.as_ref().unwrap().as_str().replace(' ', "");
    format!("{document} {plate} {} {card} {branch} {situation}", benefit.sequence)
}

/// A word that nobody else has.
fn letters(mut number: u32) -> String {
    let mut word = String::new();
    for _ in 0..7 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

/// The plate of a number, in the form of Mercosul; nobody else's key is the same.
fn plate(number: u32) -> Plate {
    let (rest, digits) = (number / 1_000, number % 1_000);
    let letter = |at: u32| char::from(b'A' + (rest / 26_u32.pow(at) % 26) as u8);
    let text =
        format!("{}{}{}{}{}{:02}", letter(3), letter(2), letter(1), digits / 100, letter(0), digits % 100);
    Plate::parse(&text).unwrap()
}
