//! Entering leaves a trail: who, when, from where and with what result, also by command; and no flood fills it.

use app::access::users::{InitialPassword, NewUserInput};
use app::access::{password_reset, sessions, users};
use app::audit::access_log;
use app::audit::entry_pages::{self, AccountActionResult, AuditPageQuery, AuditedEvent, StoredAuditEntry};
use app::{App, Error, access};
use domain::{CallerAddress, DisplayName, Email, InputField, MoneyRights, Password, Role};
use std::net::IpAddr;
use std::time::Duration;
use testkit::{Caller, PASSWORD, World, both_engines};

const HOME: &str = "192.0.2.7";
const WRONG: &str = "errada, sem dúvida";

fn home() -> CallerAddress {
    at(7)
}

fn at(last: u8) -> CallerAddress {
    IpAddr::from([192, 0, 2, last]).into()
}

/// What the audit tells of accounts: operation, detail, address, result, times.
async fn told(world: &World) -> Vec<StoredAuditEntry> {
    let app = world.app();
    for process in world.processes() {
        access_log::flush_access_log(process).await.unwrap();
    }
    let away = IpAddr::from([198, 51, 100, 1]).into();
    let token = access::log_in_program(app, &world.administrator.email, PASSWORD, away).await.unwrap().token;
    let caller = app::session::load_session(app, &token).await.unwrap();
    let page = entry_pages::read_audit_page(app, &caller, AuditPageQuery::default()).await.unwrap();
    page.entries.into_iter().filter(|one| one.address.as_deref() != Some("198.51.100.1")).collect()
}

fn line(one: &StoredAuditEntry) -> String {
    let AuditedEvent::Change(_, content) = &one.what else { panic!("{one:?}") };
    let result = one.result.map_or("?", |result| match result {
        AccountActionResult::Success => "ok",
        AccountActionResult::Failure => "no",
        AccountActionResult::Throttled => "stopped",
    });
    let user = one.user.map_or("-".to_owned(), |user| user.to_string());
    let detail = app::audit::describe_content(content.clone()).unwrap();
    let address = one.address.as_deref().unwrap_or("-");
    format!("{user} {} {address} {result} x{}: {detail}", one.operation, one.times)
}

async fn lines(world: &World) -> Vec<String> {
    told(world).await.iter().map(line).collect()
}

async fn wrong(app: &App, login: &str, from: CallerAddress) -> Error {
    access::log_in_program(app, login, WRONG, from).await.unwrap_err()
}

fn entry(who: &Caller, rest: &str, detail: &str) -> String {
    let code = who.code;
    format!("{code} {rest}: usuário {code} {detail}")
}

#[both_engines]
async fn logins_and_failures_are_told_with_address_and_result(world: World) {
    let (app, who) = (&world.processes()[0], &world.operator);
    access::log_in_program(app, &who.email, PASSWORD, home()).await.unwrap();
    sessions::sign_in(app, &who.email, PASSWORD, (home(), None)).await.unwrap();
    wrong(app, &who.email, home()).await;
    sessions::sign_in(app, &who.email, WRONG, (at(8), None)).await.unwrap_err();
    assert_eq!(
        lines(&world).await,
        [
            entry(who, &format!("POST /ext/autenticacao {HOME} ok x1"), "entrou pela API"),
            entry(who, &format!("POST /console/entrar {HOME} ok x1"), "entrou no console"),
            entry(who, &format!("POST /ext/autenticacao {HOME} no x1"), "teve a entrada recusada"),
            entry(who, "POST /console/entrar 192.0.2.8 no x1", "teve a entrada recusada"),
        ]
    );
}

#[both_engines]
async fn a_program_that_logs_in_for_every_conversation_leaves_one_row_in_ten_minutes(world: World) {
    let (app, who) = (&world.processes()[0], &world.integration);
    for _ in 0..5 {
        access::log_in_program(app, &who.email, PASSWORD, home()).await.unwrap();
    }
    world.clock.pass(Duration::from_mins(10));
    access::log_in_program(app, &who.email, PASSWORD, home()).await.unwrap();
    let one = |times| entry(who, &format!("POST /ext/autenticacao {HOME} ok x{times}"), "entrou pela API");
    assert_eq!(lines(&world).await, [one(5), one(1)]);
}

#[both_engines]
async fn failures_that_name_nobody_share_an_entry_of_their_address(world: World) {
    let app = &world.processes()[0];
    for number in 0..4 {
        wrong(app, &format!("ninguem{number}@aqui.example"), home()).await;
        access_log::flush_access_log(app).await.unwrap();
    }
    wrong(app, "isto não é um e-mail", at(8)).await;
    let one = |from: &str, times: u8| {
        format!("- POST /ext/autenticacao {from} no x{times}: tentou entrar com um usuário que não existe")
    };
    assert_eq!(lines(&world).await, [one(HOME, 4), one("192.0.2.8", 1)]);
}

#[both_engines]
async fn a_throttled_account_is_told_once_in_a_window(world: World) {
    let (app, who) = (&world.processes()[0], &world.operator);
    let limit = app.throttle.by_account;
    for _ in 0..limit {
        assert!(matches!(wrong(app, &who.email, home()).await, Error::Credential));
    }
    for _ in 0..20 {
        assert!(matches!(wrong(app, &who.email, home()).await, Error::TooManyFailures(_)));
    }
    let all = told(&world).await;
    let stopped: Vec<&StoredAuditEntry> =
        all.iter().filter(|one| one.result == Some(AccountActionResult::Throttled)).collect();
    assert_eq!((all.len(), stopped.len()), (limit as usize + 1, 1), "{all:?}");
    assert_eq!((stopped[0].user, stopped[0].address.as_deref()), (Some(who.code), Some(HOME)));
    world.clock.pass(app.throttle.window);
    for _ in 0..=limit {
        wrong(app, &who.email, home()).await;
    }
    let all = told(&world).await;
    assert_eq!(all.iter().filter(|one| one.result == Some(AccountActionResult::Throttled)).count(), 2);
}

#[both_engines]
async fn passwords_and_commands_are_told_too(world: World) {
    let (app, who) = (&world.processes()[0], &world.operator);
    let new = NewUserInput {
        tenant: world.here,
        name: DisplayName::parse(InputField::Name, "Nova").unwrap(),
        email: Email::parse("nova@aqui.example").unwrap(),
        role: Role::Administrator,
        branches: Vec::new(),
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Mailed,
    };
    let made = users::create_user(app, new).await.unwrap().code;
    users::reset_password(app, world.here, &who.email, "outra senha bem longa").await.unwrap();
    users::end_sessions_by_email(app, world.here, &who.email).await.unwrap();
    password_reset::request_reset_link(
        app,
        Email::parse(&who.email).unwrap(),
        Some(IpAddr::from([192, 0, 2, 7])),
    )
    .unwrap();
    testkit::until("the link was sent", || async { app.reset_limiter.is_idle() }).await;
    let mail = world.last_mail_to(&who.email).await;
    let link = mail.split("/senha/nova/").nth(1).unwrap().split_whitespace().next().unwrap();
    let chosen = Password::parse("mais uma senha longa").unwrap();
    password_reset::finish_reset_from(app, link, chosen, Some(IpAddr::from([192, 0, 2, 9]))).await.unwrap();
    users::disable_user(app, world.here, &who.email).await.unwrap();
    let code = who.code;
    assert_eq!(
        lines(&world).await,
        [
            format!("- amparo user create - ok x1: usuário {made} criado"),
            format!("- amparo user reset - ok x1: usuário {code} recebeu outra senha"),
            format!("- amparo user logout - ok x1: usuário {code} teve as sessões encerradas"),
            entry(who, &format!("POST /senha/esqueci {HOME} ok x1"), "recebeu um link de senha"),
            entry(who, "POST /senha/nova/{codigo} 192.0.2.9 ok x1", "trocou a senha por um link"),
            format!("- amparo user disable - ok x1: usuário {code} alterado: ativo"),
        ]
    );
}

#[both_engines]
async fn a_new_password_forgets_the_addresses_of_the_old_one(world: World) {
    let (app, who) = (&world.processes()[0], &world.operator);
    access::log_in_program(app, &who.email, PASSWORD, home()).await.unwrap();
    users::reset_password(app, world.here, &who.email, "outra senha bem longa").await.unwrap();
    for _ in 0..app.throttle.by_account {
        assert!(matches!(wrong(app, &who.email, home()).await, Error::Credential));
    }
    assert!(
        matches!(wrong(app, &who.email, home()).await, Error::TooManyFailures(_)),
        "it is known no longer"
    );
}
