//! The second factor: no session of the console for the password alone, codes that are good once, few tries, and ways out for
//! whoever lost his phone.

use crate::phone;

use app::access::SignInCodeOutcome;
use app::access::second_factor::{self, SecondFactorState};
use app::access::sessions::{self, ConsoleUser, SignInOutcome};
use app::access::users;
use app::audit::entry_pages;
use app::{App, Error, access};
use domain::{CallerAddress, Clock, Rejection};
use phone::code;
use std::net::IpAddr;
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{Caller, PASSWORD, World, both_engines, eight_at_once};

const STEP: Duration = Duration::from_secs(30);

fn home() -> CallerAddress {
    IpAddr::from([192, 0, 2, 7]).into()
}

pub async fn enter(app: &App, who: &Caller) -> SignInOutcome {
    sessions::sign_in(app, &who.email, PASSWORD, (home(), Some("Firefox"))).await.unwrap()
}

async fn inside(app: &App, who: &Caller) -> ConsoleUser {
    match enter(app, who).await {
        SignInOutcome::Grant(entered) => sessions::load_console_user(app, &entered.token).await.unwrap(),
        SignInOutcome::Challenge(_) => panic!("a code is owed"),
    }
}

async fn ticket(app: &App, who: &Caller) -> String {
    match enter(app, who).await {
        SignInOutcome::Challenge(ticket) => ticket,
        SignInOutcome::Grant(_) => panic!("no code is owed"),
    }
}

async fn give(app: &App, ticket: &str, code: &str) -> Result<SignInCodeOutcome, Error> {
    sessions::submit_sign_in_code(app, ticket, code, (home(), Some("Firefox"))).await
}

fn is_in(passed: &Result<SignInCodeOutcome, Error>) -> bool {
    matches!(passed, Ok(SignInCodeOutcome::Grant(_)))
}

/// Switches it on; the secret and the recovery codes.
pub async fn switched_on(world: &World, who: &Caller) -> (ConsoleUser, String, Vec<String>) {
    let app = world.app();
    let visitor = inside(app, who).await;
    assert!(second_factor::begin_enrolment(app, &visitor, PASSWORD, home()).await.unwrap());
    let secret = second_factor::find_enrolment_secret(app, &visitor).await.unwrap().unwrap().text;
    let codes = second_factor::confirm_enrolment(app, &visitor, &code(&secret, world.clock.now()))
        .await
        .unwrap()
        .unwrap();
    // The step in which it was confirmed is used up.
    world.clock.pass(STEP);
    (visitor, secret, codes)
}

#[both_engines]
async fn it_counts_once_a_code_has_confirmed_it(world: World) {
    let app = world.app();
    let visitor = inside(app, &world.operator).await;
    let state = || second_factor::read_factor_state(app, world.here, world.operator.code);
    assert_eq!(state().await.unwrap(), SecondFactorState::Off);
    assert!(second_factor::find_enrolment_secret(app, &visitor).await.unwrap().is_none());
    // Whoever finds the session open knows no password.
    assert!(!second_factor::begin_enrolment(app, &visitor, "errada errada", home()).await.unwrap());
    assert_eq!(state().await.unwrap(), SecondFactorState::Off);
    assert!(second_factor::begin_enrolment(app, &visitor, PASSWORD, home()).await.unwrap());
    assert_eq!(state().await.unwrap(), SecondFactorState::Unconfirmed);
    let recovery = second_factor::renew_recovery_codes(app, &visitor, PASSWORD, home()).await.unwrap();
    assert!(recovery.is_none(), "there is nothing to recover yet");
    let waiting = second_factor::find_enrolment_secret(app, &visitor).await.unwrap().unwrap();
    assert!(waiting.address.starts_with("otpauth://totp/Amparo%20Associa"), "{}", waiting.address);
    assert!(second_factor::confirm_enrolment(app, &visitor, "000000").await.unwrap().is_none());
    inside(app, &world.operator).await;
    let now = world.clock.now();
    let codes =
        second_factor::confirm_enrolment(app, &visitor, &code(&waiting.text, now)).await.unwrap().unwrap();
    assert_eq!(codes.len(), 10);
    assert!(world.last_mail_to(&world.operator.email).await.contains("acaba de ser ligado"));
    assert_eq!(state().await.unwrap(), SecondFactorState::On { since: now, recovery_left: 10 });
    ticket(app, &world.operator).await;
    // One that counts is not begun anew, and its secret is not shown again.
    assert!(second_factor::begin_enrolment(app, &visitor, PASSWORD, home()).await.unwrap());
    assert!(second_factor::find_enrolment_secret(app, &visitor).await.unwrap().is_none());
    assert!(matches!(state().await.unwrap(), SecondFactorState::On { .. }));
    let kept = app.db.query(QueryWeight::Search, sql("SELECT sealed FROM secrets")).await.unwrap();
    let sealed: Vec<u8> = kept[0].get("sealed").unwrap();
    assert_eq!((kept.len(), sealed.len()), (1, 12 + 20 + 16), "the secret is sealed");
}

#[both_engines]
async fn the_password_alone_opens_no_session_of_the_console_and_programs_are_not_asked(world: World) {
    let (_, secret, _) = switched_on(&world, &world.operator).await;
    let app = world.app();
    let half = ticket(app, &world.operator).await;
    assert!(app::session::load_session(app, &half).await.is_err(), "a ticket is no token");
    assert!(sessions::load_console_user(app, &half).await.is_err());
    assert!(sessions::has_open_challenge(app, &half).await.unwrap());
    // Of another user, or of nobody: nothing.
    assert!(matches!(
        give(app, "amp_1_x_y", &code(&secret, world.clock.now())).await,
        Ok(SignInCodeOutcome::ExpiredChallenge)
    ));
    let Ok(SignInCodeOutcome::Grant(entered)) = give(app, &half, &code(&secret, world.clock.now())).await
    else {
        panic!("the code is right");
    };
    let visitor = sessions::load_console_user(app, &entered.token).await.unwrap();
    assert_eq!(visitor.session.user, world.operator.code);
    let open = sessions::list_own_sessions(app, &visitor.session).await.unwrap();
    assert!(open.iter().any(|one| sessions::is_session_of_token(one, &entered.token) && one.is_console));
    let by_api = access::log_in_program(app, &world.operator.email, PASSWORD, home()).await.unwrap();
    app::session::load_session(app, &by_api.token).await.unwrap();
    inside(app, &world.administrator).await;
}

#[both_engines]
async fn a_code_and_a_ticket_are_good_once(world: World) {
    let (_, secret, recovery) = switched_on(&world, &world.operator).await;
    let app = world.app();
    let now = code(&secret, world.clock.now());
    let first = ticket(app, &world.operator).await;
    assert!(is_in(&give(app, &first, &now).await));
    assert!(
        matches!(give(app, &first, &now).await, Ok(SignInCodeOutcome::ExpiredChallenge)),
        "the ticket is used up"
    );
    let second = ticket(app, &world.operator).await;
    assert!(matches!(give(app, &second, &now).await, Ok(SignInCodeOutcome::WrongCode)), "so is the code");
    let earlier = code(&secret, world.clock.now().minus(STEP));
    assert!(
        matches!(give(app, &second, &earlier).await, Ok(SignInCodeOutcome::WrongCode)),
        "and those before it"
    );
    // The next is good already, and the one after it is not yet.
    let later = code(&secret, world.clock.now().plus(2 * STEP));
    assert!(matches!(give(app, &second, &later).await, Ok(SignInCodeOutcome::WrongCode)));
    assert!(is_in(&give(app, &second, &code(&secret, world.clock.now().plus(STEP))).await));
    for good in [true, false] {
        let typed = recovery[3].to_uppercase().replace('-', " ");
        let ticket = ticket(app, &world.operator).await;
        assert_eq!(is_in(&give(app, &ticket, &typed).await), good);
    }
    let state = second_factor::read_factor_state(app, world.here, world.operator.code).await.unwrap();
    assert!(matches!(state, SecondFactorState::On { recovery_left: 9, .. }), "{state:?}");
}

#[both_engines]
async fn eight_with_one_code_at_once_enter_once(world: World) {
    let (_, secret, _) = switched_on(&world, &world.operator).await;
    let mut tickets = Vec::new();
    for _ in 0..8 {
        tickets.push(ticket(world.app(), &world.operator).await);
    }
    let now = code(&secret, world.clock.now());
    let passed = eight_at_once(|number| {
        let (app, ticket, now) = (world.app().clone(), tickets[number].clone(), now.clone());
        async move { give(&app, &ticket, &now).await }
    })
    .await;
    assert_eq!(passed.iter().filter(|one| is_in(one)).count(), 1, "{passed:?}");
}

#[both_engines]
async fn too_many_wrong_codes_bind_their_account_everywhere_and_no_other(world: World) {
    let (_, secret, _) = switched_on(&world, &world.operator).await;
    let mut app = world.app().clone();
    app.throttle.by_account = 3;
    let half = ticket(&app, &world.operator).await;
    let tried = eight_at_once(|_| {
        let (app, half) = (app.clone(), half.clone());
        async move { give(&app, &half, "123").await }
    })
    .await;
    let wrong = tried.iter().filter(|one| matches!(one, Ok(SignInCodeOutcome::WrongCode))).count();
    assert_eq!(wrong, 3, "{tried:?}");
    assert!(matches!(
        give(&app, &half, &code(&secret, world.clock.now())).await,
        Err(Error::TooManyFailures(_))
    ));
    // The password still works for programs, and for everybody else nothing has changed.
    access::log_in_program(&app, &world.operator.email, PASSWORD, home()).await.unwrap();
    inside(&app, &world.administrator).await;
    world.clock.pass(app.throttle.window);
    let half = ticket(&app, &world.operator).await;
    assert!(is_in(&give(&app, &half, &code(&secret, world.clock.now())).await));
}

#[both_engines]
async fn whoever_owes_the_code_does_not_wait_for_ever(world: World) {
    let (_, secret, _) = switched_on(&world, &world.operator).await;
    let app = world.app();
    let half = ticket(app, &world.operator).await;
    users::end_sessions_by_email(app, world.here, &world.operator.email).await.unwrap();
    let ended = give(app, &half, &code(&secret, world.clock.now())).await;
    assert!(
        matches!(ended, Ok(SignInCodeOutcome::ExpiredChallenge)),
        "his sessions were ended, and so was this: {ended:?}"
    );
    let half = ticket(app, &world.operator).await;
    world.clock.pass(sessions::CHALLENGE_LIFETIME);
    assert!(!sessions::has_open_challenge(app, &half).await.unwrap());
    assert!(matches!(
        give(app, &half, &code(&secret, world.clock.now())).await,
        Ok(SignInCodeOutcome::ExpiredChallenge)
    ));
}

#[both_engines]
async fn its_owner_switches_it_off_with_a_code_and_never_with_the_password(world: World) {
    let (visitor, secret, recovery) = switched_on(&world, &world.operator).await;
    let app = world.app();
    for wrong in ["", "123456", PASSWORD, "abcde-fghjk-mnpqr-stuvw"] {
        assert!(!second_factor::switch_off_factor(app, &visitor, wrong, home()).await.unwrap(), "{wrong}");
    }
    assert!(second_factor::renew_recovery_codes(app, &visitor, PASSWORD, home()).await.unwrap().is_none());
    let of_device = code(&secret, world.clock.now());
    let renewed =
        second_factor::renew_recovery_codes(app, &visitor, &of_device, home()).await.unwrap().unwrap();
    assert!(
        !second_factor::switch_off_factor(app, &visitor, &recovery[0], home()).await.unwrap(),
        "they are others now"
    );
    let before = sessions::list_own_sessions(app, &visitor.session).await.unwrap().len();
    assert!(second_factor::switch_off_factor(app, &visitor, &renewed[0], home()).await.unwrap());
    assert_eq!(
        sessions::list_own_sessions(app, &visitor.session).await.unwrap().len(),
        before,
        "proving opens nothing"
    );
    inside(app, &world.operator).await;
    assert!(world.last_mail_to(&world.operator.email).await.contains("acaba de ser desligado"));
    let left = app.db.query(QueryWeight::Search, sql("SELECT code FROM secrets")).await.unwrap();
    assert!(left.is_empty(), "nothing is left of it");
}

#[both_engines]
async fn a_token_given_for_a_password_alone_opens_no_page_and_loses_the_management(world: World) {
    for app in world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
    let (here, elsewhere) = (&world.processes()[0], world.processes().last().unwrap());
    let program = access::log_in_program(here, &world.operator.email, PASSWORD, home()).await.unwrap().token;
    assert!(
        matches!(sessions::load_console_user(here, &program).await, Err(Error::Credential)),
        "it is no session"
    );
    let reach =
        async |app: &App| app::session::load_session(app, &program).await.unwrap().require_management();
    reach(elsewhere).await.unwrap();
    let stolen = match enter(here, &world.operator).await {
        SignInOutcome::Grant(entered) => entered.token,
        SignInOutcome::Challenge(_) => panic!("no code is owed"),
    };
    let visitor = inside(here, &world.operator).await;
    assert!(second_factor::begin_enrolment(here, &visitor, PASSWORD, home()).await.unwrap());
    reach(here).await.unwrap();
    let secret = second_factor::find_enrolment_secret(here, &visitor).await.unwrap().unwrap().text;
    let now = code(&secret, world.clock.now());
    second_factor::confirm_enrolment(here, &visitor, &now).await.unwrap().unwrap();
    assert!(matches!(reach(here).await, Err(Error::CodeNotGiven)), "at once");
    testkit::until("another process knows", || async {
        app::cache::refresh_versions(elsewhere).await.unwrap();
        matches!(reach(elsewhere).await, Err(Error::CodeNotGiven))
    })
    .await;
    assert!(
        app::session::load_session(here, &stolen).await.is_err(),
        "a session begun without a code has ended"
    );
    visitor.session.require_management().unwrap();
}

#[both_engines]
async fn nobody_removes_the_own_factor_as_an_administrator(world: World) {
    let (visitor, ..) = switched_on(&world, &world.administrator).await;
    let own =
        second_factor::remove_factor_of_user(world.app(), &visitor.session, world.administrator.code).await;
    assert!(matches!(own, Err(Error::Refused(problems)) if problems == [Rejection::OwnSecondFactor]));
}

#[both_engines]
async fn an_administrator_of_his_own_association_or_a_command_removes_it(world: World) {
    switched_on(&world, &world.operator).await;
    let app = world.app();
    let administrator = inside(app, &world.administrator).await.session;
    let operator = ticket(app, &world.operator).await;
    let program = access::log_in_program(app, &world.integration.email, PASSWORD, home()).await.unwrap();
    let program = app::session::load_session(app, &program.token).await.unwrap();
    let refused = second_factor::remove_factor_of_user(app, &program, world.operator.code).await;
    assert!(matches!(refused, Err(Error::Forbidden)), "{refused:?}");
    let habits = users::list_account_activity(app, &administrator).await.unwrap();
    assert!(habits[&world.operator.code].second_factor_since.is_some());
    assert_eq!(habits[&world.administrator.code].second_factor_since, None);
    assert!(habits[&world.administrator.code].last_entered.is_some());
    assert!(second_factor::remove_factor_of_user(app, &administrator, world.operator.code).await.unwrap());
    assert!(!second_factor::remove_factor_of_user(app, &administrator, world.operator.code).await.unwrap());
    assert!(!sessions::has_open_challenge(app, &operator).await.unwrap(), "what was begun with it has ended");
    inside(app, &world.operator).await;
    let (page, _) =
        entry_pages::read_newest_audit_page(app, &administrator, entry_pages::ReverseAuditQuery::default())
            .await
            .unwrap();
    let told = format!("{:?}", page.entries);
    assert!(told.contains("EnableSecondFactor") && told.contains("RemoveSecondFactor"), "{told}");
    switched_on(&world, &world.operator).await;
    assert!(second_factor::remove_factor_by_email(app, world.there, &world.operator.email).await.is_err());
    assert!(second_factor::remove_factor_by_email(app, world.here, &world.operator.email).await.unwrap());
    assert!(!second_factor::remove_factor_by_email(app, world.here, &world.operator.email).await.unwrap());
}
