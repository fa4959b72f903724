//! Passwords that are mailed, and links that set one: once, for half an hour, and without telling who has an account.

use app::access::password_reset;
use app::access::users::{self, InitialPassword, NewUserInput};
use app::{App, Error};
use domain::{BranchCode, DisplayName, Email, InputField, MoneyRights, Password, Rejection, Role};
use std::time::Duration;
use storage::{QueryWeight, Row, WriteLane, sql};
use testkit::{PUBLIC_URL, Server, World, both_engines, eight_at_once, until};

const MINUTE: Duration = Duration::from_mins(1);

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<Rejection> {
    match result {
        Err(Error::Refused(problems)) => problems,
        other => panic!("not refused: {other:?}"),
    }
}

async fn rows(world: &World, text: &'static str) -> Vec<Row> {
    world.db().query(QueryWeight::Search, sql(text)).await.unwrap()
}

/// The texts of the mails of this world, in order.
async fn mails(world: &World) -> Vec<(String, String)> {
    let rows = rows(world, "SELECT recipient, text_body FROM mails ORDER BY tenant, code").await;
    rows.iter().map(|row| (row.get("recipient").unwrap(), row.get("text_body").unwrap())).collect()
}

async fn hash_of(world: &World, email: &str) -> (String, bool) {
    let select = sql("SELECT password_hash, must_change_password FROM users WHERE email = $1").arg(email);
    let rows = world.db().query(QueryWeight::Search, select).await.unwrap();
    (rows[0].get("password_hash").unwrap(), rows[0].get("must_change_password").unwrap())
}

fn newcomer(world: &World, email: &str) -> NewUserInput {
    NewUserInput {
        tenant: world.here,
        name: DisplayName::parse(InputField::Name, "Ana Prova").unwrap(),
        email: Email::parse(email).unwrap(),
        role: Role::Operator,
        branches: vec![BranchCode::new(2)],
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Mailed,
    }
}

/// Asks for a link and waits for the mail that has it.
async fn link(world: &World) -> String {
    let before = mails(world).await.len();
    password_reset::request_reset_link(world.app(), Email::parse(&world.operator.email).unwrap(), None)
        .unwrap();
    until("the link is mailed", || async { mails(world).await.len() > before }).await;
    let (_, text) = mails(world).await.pop().unwrap();
    let start = format!("{PUBLIC_URL}/senha/nova/");
    text.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap().to_owned()
}

fn password(text: &str) -> Password {
    Password::parse(text).unwrap()
}

async fn insert_token(world: &World) {
    let input = (world.here, world.operator.code);
    let unit = world.db().write(WriteLane::foreground(world.here), input, |tx, (tenant, user)| {
        let insert = sql("INSERT INTO tokens (tenant, hash, user_code, created_at, expires_at)
             VALUES ($1, $2, $3, 0, 0)");
        Box::pin(tx.execute(insert.arg(*tenant).arg(&b"hash"[..]).arg(*user)))
    });
    unit.await.unwrap();
}

#[both_engines]
async fn a_generated_password_is_mailed_with_its_user_or_not_at_all(world: World) {
    users::create_user(world.app(), newcomer(&world, "nova@aqui.example")).await.unwrap();
    let sent = mails(&world).await;
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].0, "nova@aqui.example");
    let given = sent[0].1.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap();
    assert_eq!(given.len(), 23);
    assert!(hash_of(&world, "nova@aqui.example").await.1, "it must be changed");
    let taken = users::create_user(world.app(), newcomer(&world, &world.operator.email)).await;
    assert_eq!(refused(taken), [Rejection::EmailTaken(world.operator.email.clone())]);
    assert_eq!(mails(&world).await.len(), 1, "no mail of a user who is not there");
    let confidential = rows(&world, "SELECT code FROM mails WHERE confidential").await;
    assert_eq!(confidential.len(), 1);
}

#[both_engines]
async fn eight_users_at_once_get_eight_mails_with_eight_passwords(world: World) {
    eight_at_once(|number| {
        let (app, new) = (world.app().clone(), newcomer(&world, &format!("p{number}@prova.example")));
        async move { users::create_user(&app, new).await.unwrap() }
    })
    .await;
    let mut all: Vec<String> = mails(&world).await.into_iter().map(|(_, text)| text).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 8);
}

#[both_engines]
async fn a_password_is_sent_again_to_whoever_may_use_it(world: World) {
    insert_token(&world).await;
    let before = hash_of(&world, &world.operator.email).await.0;
    users::resend_password(world.app(), world.here, &world.operator.email).await.unwrap();
    assert_eq!(access_version(&world).await, 1);
    assert!(sessions(&world).await.is_empty());
    let (after, must_change) = hash_of(&world, &world.operator.email).await;
    assert!(before != after && must_change);
    assert_eq!(mails(&world).await.len(), 1);
    users::disable_user(world.app(), world.here, &world.operator.email).await.unwrap();
    let disabled = users::resend_password(world.app(), world.here, &world.operator.email).await;
    assert_eq!(refused(disabled), [Rejection::DisabledUser(world.operator.email.clone())]);
    let stranger = users::resend_password(world.app(), world.here, &world.stranger.email).await;
    assert_eq!(refused(stranger), [Rejection::UnknownUser(world.stranger.email.clone())]);
    assert_eq!(mails(&world).await.len(), 1);
}

/// The tokens that are still good.
async fn sessions(world: &World) -> Vec<Row> {
    rows(
        world,
        "SELECT k.hash FROM tokens k JOIN users u ON u.tenant = k.tenant AND u.code = k.user_code
         WHERE u.generation = k.generation",
    )
    .await
}

async fn access_version(world: &World) -> i64 {
    let all = storage::server::versions::list_versions(world.db()).await.unwrap();
    all.iter().find(|(tenant, _)| *tenant == world.here).map_or(0, |(_, versions)| versions.access)
}

#[both_engines]
async fn whatever_ends_sessions_raises_the_version_of_its_tenant_alone(world: World) {
    let (app, email): (&App, &str) = (world.app(), &world.operator.email);
    users::end_sessions_by_email(app, world.here, email).await.unwrap();
    assert_eq!(access_version(&world).await, 1);
    users::reset_password(app, world.here, email, "uma senha longa").await.unwrap();
    assert_eq!(access_version(&world).await, 2);
    users::resend_password(app, world.here, email).await.unwrap();
    assert_eq!(access_version(&world).await, 3);
    let token = link(&world).await;
    password_reset::finish_reset(app, &token, password("uma senha longa")).await.unwrap();
    assert_eq!(access_version(&world).await, 4);
    users::disable_user(app, world.here, email).await.unwrap();
    assert_eq!(access_version(&world).await, 5);
    let all = storage::server::versions::list_versions(world.db()).await.unwrap();
    assert!(all.iter().all(|(tenant, versions)| *tenant != world.there || versions.access == 0));
}

#[both_engines]
async fn a_link_sets_a_password_once_and_ends_everything_else(world: World) {
    insert_token(&world).await;
    let (first, second) = (link(&world).await, link(&world).await);
    assert!(first.starts_with(&format!("{}.", world.here)) && first != second);
    let stored = rows(&world, "SELECT hash FROM password_resets").await;
    assert!(stored.iter().all(|row| row.get::<Vec<u8>>("hash").unwrap().len() == 32), "a hash, not the link");
    let before = hash_of(&world, &world.operator.email).await.0;

    let tried = eight_at_once(|number| {
        let (app, first) = (world.app().clone(), first.clone());
        async move {
            password_reset::finish_reset(&app, &first, password(&format!("senha número {number}"))).await
        }
    })
    .await;
    assert_eq!(tried.iter().filter(|result| result.is_ok()).count(), 1);
    for failed in tried.into_iter().filter(Result::is_err) {
        assert_eq!(refused(failed), [Rejection::BadResetLink]);
    }
    let (after, must_change) = hash_of(&world, &world.operator.email).await;
    assert!(before != after && !must_change);
    assert!(sessions(&world).await.is_empty());
    let other = password_reset::finish_reset(world.app(), &second, password("outra senha longa")).await;
    assert_eq!(refused(other), [Rejection::BadResetLink], "the other link went with it");
    let sent = mails(&world).await;
    assert_eq!(sent.len(), 3);
    assert!(sent[2].1.contains("acaba de ser trocada"), "{}", sent[2].1);
}

#[both_engines]
async fn a_link_is_good_for_half_an_hour(world: World) {
    let token = link(&world).await;
    world.clock.pass((30 * MINUTE).checked_sub(Duration::from_millis(1)).unwrap());
    assert!(password_reset::is_link_open(world.app(), &token).await.unwrap());
    world.clock.pass(Duration::from_millis(1));
    assert!(!password_reset::is_link_open(world.app(), &token).await.unwrap());
    let late = password_reset::finish_reset(world.app(), &token, password("uma senha longa")).await;
    assert_eq!(refused(late), [Rejection::BadResetLink]);
    let mut invented = token.clone();
    invented.replace_range(invented.len() - 1.., "x");
    let elsewhere = token.replacen(&format!("{}.", world.here), &format!("{}.", world.there), 1);
    for bad in [invented.as_str(), &elsewhere, "", "1.", "nada"] {
        let refusal =
            refused(password_reset::finish_reset(world.app(), bad, password("uma senha longa")).await);
        assert_eq!(refusal, [Rejection::BadResetLink], "{bad}");
    }
}

#[both_engines]
async fn an_account_has_three_open_links_at_most_and_a_disabled_one_none(world: World) {
    // One process, one place: what is asked for first is worked on first.
    let app =
        App { reset_limiter: password_reset::ResetRequestLimiter::new(1), ..world.processes()[0].clone() };
    let ask = async |email: &str| {
        let asked = password_reset::request_reset_link(&app, Email::parse(email).unwrap(), None);
        until("it was worked on", || async { app.reset_limiter.is_idle() }).await;
        asked.unwrap();
    };
    let first = link(&world).await;
    link(&world).await;
    link(&world).await;
    ask(&world.operator.email).await;
    ask("ninguem@aqui.example").await;
    assert_eq!(mails(&world).await.len(), 3);
    assert!(password_reset::is_link_open(&app, &first).await.unwrap(), "earlier links stay good");
    world.clock.pass(password_reset::LINK_LIFETIME);
    assert!(!password_reset::is_link_open(&app, &first).await.unwrap());
    let fourth = link(&world).await;
    users::disable_user(&app, world.here, &world.operator.email).await.unwrap();
    assert!(!password_reset::is_link_open(&app, &fourth).await.unwrap(), "disabling ends open links");
    ask(&world.operator.email).await;
    ask(&world.stranger.email).await;
    let to_operator = mails(&world).await.into_iter().filter(|(to, _)| *to == world.operator.email).count();
    assert_eq!((to_operator, mails(&world).await.len()), (4, 5));
}

#[both_engines]
async fn an_address_that_asks_too_often_is_told_to_wait(world: World) {
    let app = world.processes()[0].clone();
    let here = |address: [u8; 4]| {
        password_reset::request_reset_link(
            &app,
            Email::parse("ninguem@aqui.example").unwrap(),
            Some(address.into()),
        )
    };
    for _ in 0..10 {
        here([192, 0, 2, 1]).unwrap();
    }
    assert!(matches!(here([192, 0, 2, 1]), Err(Error::TooManyFailures(_))));
    here([192, 0, 2, 2]).unwrap();
    world.clock.pass(MINUTE);
    here([192, 0, 2, 1]).unwrap();
}

#[both_engines]
async fn what_finds_no_place_is_dropped_and_not_queued(world: World) {
    let full = App { reset_limiter: password_reset::ResetRequestLimiter::new(0), ..world.app().clone() };
    for _ in 0..1000 {
        password_reset::request_reset_link(&full, Email::parse(&world.operator.email).unwrap(), None)
            .unwrap();
    }
    let single = App { reset_limiter: password_reset::ResetRequestLimiter::new(1), ..world.app().clone() };
    until("a place is free again after each", || async {
        password_reset::request_reset_link(&single, Email::parse(&world.administrator.email).unwrap(), None)
            .unwrap();
        mails(&world).await.len() == 3
    })
    .await;
    assert!(mails(&world).await.iter().all(|(to, _)| *to == world.administrator.email));
}

/// The answer without the moment it was given at and its own name.
fn without_date(answer: &str) -> String {
    let own = ["date: ", "x-request-id: "];
    answer
        .lines()
        .filter(|line| !own.iter().any(|name| line.starts_with(name)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[both_engines]
async fn the_pages_answer_the_same_for_known_and_unknown_addresses(world: World) {
    let server = Server::start(world.app().clone()).await;
    let known = world.operator.email.replace('@', "%40");
    let to_known = server.post_form("/senha/esqueci", &format!("email={known}")).await;
    let to_unknown = server.post_form("/senha/esqueci", "email=ninguem%40aqui.example").await;
    assert!(to_known.starts_with("HTTP/1.1 200") && to_known.contains("Se este e-mail tiver uma conta"));
    assert_eq!(without_date(&to_known), without_date(&to_unknown));
    until("the link is mailed", || async { !mails(&world).await.is_empty() }).await;
    let (to, text) = mails(&world).await.remove(0);
    assert_eq!(to, world.operator.email);
    let path = text.lines().find_map(|line| line.strip_prefix(PUBLIC_URL)).unwrap().to_owned();

    let form = server.get(&path).await;
    assert!(form.starts_with("HTTP/1.1 200") && form.contains("autocomplete=\"new-password\""), "{form}");
    for header in [
        "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(form.contains(header), "{header} in {form}");
    }
    let short = server.post_form(&path, "senha=curta&repetida=outra").await;
    assert!(short.starts_with("HTTP/1.1 400"), "{short}");
    assert!(short.contains("Use pelo menos 10") && short.contains("não são iguais"), "{short}");
    let set = server.post_form(&path, "senha=uma+frase+longa&repetida=uma+frase+longa").await;
    assert!(set.starts_with("HTTP/1.1 200") && set.contains("Senha trocada"), "{set}");
    let again = server.post_form(&path, "senha=uma+frase+longa&repetida=uma+frase+longa").await;
    let opened = server.get(&path).await;
    let invented = server.get("/senha/nova/1.abc").await;
    let odd = server.get("/senha/nova/%ff").await;
    for gone in [again, opened, invented, odd] {
        assert!(gone.starts_with("HTTP/1.1 410") && gone.contains("href=\"../../senha/esqueci\""), "{gone}");
    }
    assert!(server.stop().await);
}

#[both_engines]
async fn forms_that_are_none_or_come_from_elsewhere_are_refused_in_plain_words(world: World) {
    let server = Server::start(world.app().clone()).await;
    let send = async |headers: &str, body: &str| {
        let (asked, length) =
            ("POST /senha/esqueci HTTP/1.1\r\nHost: localhost\r\nConnection: close", body.len());
        server.raw(&format!("{asked}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")).await
    };
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let email = format!("email={}", world.operator.email.replace('@', "%40"));
    for (headers, body, status) in [
        (format!("{form}Sec-Fetch-Site: cross-site\r\n"), email.as_str(), 403),
        (format!("{form}Origin: https://evil.example\r\n"), &email, 403),
        ("Content-Type: application/json\r\n".to_owned(), "{}", 415),
        (String::new(), &email, 415),
        (form.to_owned(), &format!("email={}", "a".repeat(300_000)), 413),
    ] {
        let answer = send(&headers, body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
        assert!(answer.contains("content-type: text/plain; charset=utf-8"), "{answer}");
    }
    let bad = send(form, "email=%22%3E%3Cscript%3E").await;
    assert!(bad.starts_with("HTTP/1.1 400") && bad.contains("não é um endereço de e-mail"), "{bad}");
    assert!(!bad.contains("<script>"), "{bad}");
    assert!(server.stop().await);
    assert!(mails(&world).await.is_empty(), "nothing of it was done");
}
