//! The same random sequence of operations on both engines: the same answers, and the same rows in every table.

use app::access::users::{self, InitialPassword, NewUserInput};
use app::tenants::{self, NewTenantInput};
use app::upkeep::{housekeeping, presence};
use app::{App, Error};
use domain::{
    BranchCode, DisplayName, Email, Entity, InputField, MoneyRights, Password, ReceiverCode, Role, Scope,
    TenantId,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::Arc;
use std::time::Duration;
use storage::WriteLane;
use storage::history::situation_changes::{self, NewHistoryRow};
use storage::server::counters::{self, Counter};
use testkit::{Database, Engine, StillClock, app_on, dump};

#[derive(Clone, Debug)]
enum Operation {
    CreateTenant { name: String, host: Option<u8>, make_default: bool },
    CreateUser { tenant: i32, email: u8, role: Role, branches: Vec<i32>, password: String },
    List { tenant: i32, branches: Option<Vec<i32>> },
    Disable { tenant: i32, email: u8 },
    Reset { tenant: i32, email: u8, password: String },
    Resend { tenant: i32, email: u8 },
    EndSessions { tenant: i32, email: u8 },
    Change { tenant: i32, record: i32, receivers: Vec<i32>, reason: Option<String>, refuse: bool },
    Housekeeping,
    Beat { process: u8 },
    Pass { minutes: u16 },
}

fn operation() -> impl Strategy<Value = Operation> {
    let (tenant, email) = (1..4i32, 0..6u8);
    let name = "[ -~À-ÿ]{0,12}";
    let password = "[a-z ]{8,14}";
    let branches = prop::collection::vec(1..3i32, 0..3);
    let role = prop::sample::select(Role::ALL.to_vec());
    prop_oneof![
        2 => (name, prop::option::of(0..3u8), any::<bool>())
            .prop_map(|(name, host, make_default)| Operation::CreateTenant { name, host, make_default }),
        5 => (tenant.clone(), email.clone(), role, branches.clone(), password).prop_map(
            |(tenant, email, role, branches, password)| Operation::CreateUser { tenant, email, role, branches, password }
        ),
        2 => (tenant.clone(), prop::option::of(branches)).prop_map(|(tenant, branches)| Operation::List { tenant, branches }),
        2 => (tenant.clone(), email.clone()).prop_map(|(tenant, email)| Operation::Disable { tenant, email }),
        1 => (tenant.clone(), email.clone()).prop_map(|(tenant, email)| Operation::Resend { tenant, email }),
        1 => (tenant.clone(), email.clone()).prop_map(|(tenant, email)| Operation::EndSessions { tenant, email }),
        2 => (tenant.clone(), email, password)
            .prop_map(|(tenant, email, password)| Operation::Reset { tenant, email, password }),
        6 => (tenant, 1..9i32, prop::collection::vec(1..4i32, 0..3), prop::option::of(name), any::<bool>()).prop_map(
            |(tenant, record, receivers, reason, refuse)| Operation::Change { tenant, record, receivers, reason, refuse }
        ),
        1 => Just(Operation::Housekeeping),
        1 => (0..3u8).prop_map(|process| Operation::Beat { process }),
        1 => (0..2000u16).prop_map(|minutes| Operation::Pass { minutes }),
    ]
}

/// What an operation answered, without the words that an engine adds to a failure.
fn told<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Storage(storage::Error::Conflict(_))) => "conflict".to_owned(),
        Err(Error::Storage(storage::Error::Broken(_))) => "broken".to_owned(),
        other => format!("{other:?}"),
    }
}

fn address(number: u8) -> String {
    format!("Pessoa{number}@prova.example")
}

async fn run(app: &App, clock: &StillClock, operation: Operation) -> String {
    match operation {
        Operation::CreateTenant { name, host, make_default } => {
            let hosts = host.map(|n| format!("h{n}.prova.example")).into_iter().collect();
            let (branch, time_zone) = ("Matriz".to_owned(), "America/Manaus".to_owned());
            told(
                tenants::create_tenant(app, &NewTenantInput { name, branch, time_zone, hosts, make_default })
                    .await,
            )
        }
        Operation::CreateUser { tenant, email, role, branches, password } => {
            let branches = branches.into_iter().map(BranchCode::new).collect();
            let (tenant, name) =
                (TenantId::new(tenant), DisplayName::parse(InputField::Name, "Pessoa").unwrap());
            let email = Email::parse(&address(email)).unwrap();
            // One that is too short to be chosen is one that is mailed.
            let password =
                Password::parse(&password).map_or(InitialPassword::Mailed, InitialPassword::Chosen);
            told(
                users::create_user(
                    app,
                    NewUserInput {
                        tenant,
                        name,
                        email,
                        role,
                        branches,
                        money_rights: MoneyRights::SEE_AND_SETTLE,
                        gets_old_search_answer: false,
                        password,
                    },
                )
                .await,
            )
        }
        Operation::List { tenant, branches } => {
            let tenant = TenantId::new(tenant);
            let scope = match branches {
                None => Scope::for_tenant(tenant),
                Some(some) => Scope::for_role(tenant, Role::Operator, some.into_iter().map(BranchCode::new)),
            };
            told(users::list_users(app, &scope).await)
        }
        Operation::Disable { tenant, email } => {
            told(users::disable_user(app, TenantId::new(tenant), &address(email)).await)
        }
        Operation::Reset { tenant, email, password } => {
            told(users::reset_password(app, TenantId::new(tenant), &address(email), &password).await)
        }
        Operation::Resend { tenant, email } => {
            told(users::resend_password(app, TenantId::new(tenant), &address(email)).await)
        }
        Operation::EndSessions { tenant, email } => {
            told(users::end_sessions_by_email(app, TenantId::new(tenant), &address(email)).await)
        }
        Operation::Change { tenant, record, receivers, reason, refuse } => {
            let receivers = receivers.into_iter().map(ReceiverCode::new).collect();
            told(change(app, TenantId::new(tenant), record, receivers, reason, refuse).await)
        }
        Operation::Housekeeping => {
            let day = Duration::from_hours(24);
            let (interval, tokens, idempotency_keys, mail_bodies, attempts) = (day, day, day, day, day);
            let retention = housekeeping::RetentionPolicy {
                interval,
                tokens,
                idempotency_keys,
                mail_bodies,
                attempts,
                login_failures: tokens,
                removed_files: tokens,
            };
            told(housekeeping::run_if_due(app, &retention).await)
        }
        Operation::Beat { process } => {
            told(presence::record_heartbeat(app, &format!("p{process}"), "0").await)
        }
        Operation::Pass { minutes } => {
            clock.pass(Duration::from_secs(60 * u64::from(minutes)));
            String::new()
        }
    }
}

/// A change of situation, half of which are refused after they were written. Two receivers of one number conflict.
async fn change(
    app: &App,
    tenant: TenantId,
    record: i32,
    receivers: Vec<ReceiverCode>,
    reason: Option<String>,
    refuse: bool,
) -> Result<i32, Error> {
    let (entity, branch, at) = (Entity::Claim, BranchCode::new(1), app.now());
    let change = NewHistoryRow {
        tenant,
        entity,
        record,
        branch,
        from: None,
        to: domain::SituationCode::new(1),
        user: None,
        reason,
        origin: "teste",
        at,
    };
    let unit = app.db.write(
        WriteLane::foreground(tenant),
        (change, receivers, refuse),
        |tx, (change, receivers, refuse)| {
            Box::pin(async move {
                let code = counters::reserve_number(tx, change.tenant, Counter::History).await?;
                let body = format!("corpo {code}");
                let entry = situation_changes::insert_history_entry(
                    change,
                    domain::HistoryCode::new(code),
                    receivers,
                    body,
                );
                tx.execute_batch(entry).await?;
                if *refuse { Err(domain::Rejection::NoBranch.into()) } else { Ok::<_, Error>(code) }
            })
        },
    );
    unit.await
}

#[testkit::postgres_test]
async fn sqlite_and_postgres_agree() {
    let cases = std::env::var("AMPARO_TEST_SEQUENCES").map_or(6, |text| text.parse().unwrap());
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for case in 0..cases {
        let sequence = prop::collection::vec(operation(), 60).new_tree(&mut runner).unwrap().current();
        let mut results = Vec::new();
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let database = Database::fresh(engine).await;
            let clock = Arc::new(StillClock::default());
            let app = app_on(database.open().await, Arc::clone(&clock), case);
            let mut answers = Vec::new();
            for operation in sequence.clone() {
                answers.push(run(&app, &clock, operation).await);
            }
            results.push((answers, dump(&app.db).await));
            app.db.close().await;
        }
        let (theirs, ours) = (results.pop().unwrap(), results.pop().unwrap());
        for (number, operation) in sequence.iter().enumerate() {
            assert_eq!(ours.0[number], theirs.0[number], "case {case}, step {number}: {operation:?}");
        }
        assert_eq!(ours.1, theirs.1, "the rows after case {case}");
        assert!(ours.1.contains("history: "), "the sequence did something");
    }
}
