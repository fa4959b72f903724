//! The board of a kind: columns in their order, read in parts, counted; what others change is told, and nothing of branches
//! that the caller does not see.

use app::access;
use app::cases::board::{self, CARDS_PER_COLUMN, SituationBoardQuery};
use app::cases::{self, AnyCaseInput};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, cache, members};
use domain::{BranchCode, CaseKind, SituationCode};
use std::sync::Arc;
use std::time::Duration;
use testkit::{Caller, PASSWORD, World, both_engines};
use wire::read;

const KIND: CaseKind = CaseKind::Claim;
const OPEN: SituationCode = SituationCode::new(7);
const SCANNED_DELIVERIES: SituationCode = SituationCode::new(8);
const DONE: SituationCode = SituationCode::new(11);
const CANCELLED: SituationCode = SituationCode::new(12);

async fn enter(world: &World, caller: &Caller) -> Arc<Session> {
    let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
    let app = world.app();
    let token = access::log_in_program(app, &caller.email, PASSWORD, here).await.unwrap().token;
    for process in world.processes() {
        cache::refresh_versions(process).await.unwrap();
    }
    app::session::load_session(app, &token).await.unwrap()
}

fn now<T>(done: Result<WriteOutcome<T>, app::Error>) -> T {
    done.and_then(WriteOutcome::into_fresh).unwrap()
}

async fn member(app: &App, caller: &Session, branch: i32, document: &str) -> i32 {
    let text = format!(r#"{{"nomePessoa": "Ana {branch}", "cpfCnpj": "{document}", "codLoja": {branch}}}"#);
    let saved = members::save_person(
        app,
        caller,
        read::read_body(text.as_bytes()).unwrap(),
        IdempotentWrite::without_key(),
    )
    .await;
    now(saved).code.get()
}

async fn open(world: &World, caller: &Session, person: i32) -> i32 {
    world.clock.pass(Duration::from_secs(1));
    let text = format!(r#"{{"codPessoa": {person}, "codTipoEvento": 1}}"#);
    let input = AnyCaseInput::Claim(Box::new(read::read_body(text.as_bytes()).unwrap()));
    now(cases::open_case(world.app(), caller, input, IdempotentWrite::without_key()).await).resolved_case.code
}

async fn move_to(world: &World, caller: &Session, code: i32, to: SituationCode) {
    let text = format!(r#"{{"codSituacao": {to}, "motivo": "Prova."}}"#);
    let input = read::read_body(text.as_bytes()).unwrap();
    now(cases::change_case_situation(
        world.app(),
        caller,
        (KIND, code),
        input,
        IdempotentWrite::without_key(),
    )
    .await);
}

fn codes(column: &board::SituationColumn) -> Vec<i32> {
    column.rows.iter().map(|row| row.code).collect()
}

#[both_engines]
async fn a_board_shows_each_column_in_parts_and_in_its_order(world: World) {
    let operator = enter(&world, &world.operator).await;
    let person = member(world.app(), &operator, 2, "529.982.247-25").await;
    let mut opened = Vec::new();
    for _ in 0..CARDS_PER_COLUMN + 5 {
        opened.push(open(&world, &operator, person).await);
    }
    for code in &opened[..2] {
        world.clock.pass(Duration::from_secs(1));
        move_to(&world, &operator, *code, DONE).await;
    }
    let whole =
        board::read_board(world.app(), &operator, KIND, SituationBoardQuery::default()).await.unwrap();
    let order: Vec<_> = whole.columns.iter().map(|column| column.situation.get()).collect();
    assert_eq!(order, [7, 8, 9, 10, 11, 12], "as the association orders its situations");
    let [waiting, _, _, _, done, _] = &whole.columns[..] else { panic!("six columns") };
    assert_eq!((waiting.total, done.total), (CARDS_PER_COLUMN + 3, 2));
    assert_eq!(codes(waiting), opened[2..2 + CARDS_PER_COLUMN as usize], "what waits longest stands first");
    assert_eq!(codes(done), [opened[1], opened[0]], "what ended last stands first");
    assert!(done.next.is_none());
    let look = SituationBoardQuery { only: Some((OPEN, waiting.next)), ..SituationBoardQuery::default() };
    let rest = board::read_board(world.app(), &operator, KIND, look).await.unwrap();
    assert_eq!(
        codes(&rest.columns[0]),
        opened[2 + CARDS_PER_COLUMN as usize..],
        "nothing is lost between the parts"
    );
    assert!(rest.columns.len() == 1 && rest.columns[0].next.is_none());
}

#[both_engines]
async fn nobody_sees_cards_of_branches_that_are_not_his(world: World) {
    let (operator, administrator) =
        (enter(&world, &world.operator).await, enter(&world, &world.administrator).await);
    let near = member(world.app(), &operator, 2, "529.982.247-25").await;
    let far = member(world.app(), &administrator, 1, "111.444.777-35").await;
    let since = world.app().now();
    let (mine, other) = (open(&world, &operator, near).await, open(&world, &administrator, far).await);
    let look = |branch| SituationBoardQuery { branch: Some(BranchCode::new(branch)), only: None };
    for (caller, look, expected) in [
        (&operator, SituationBoardQuery::default(), vec![mine]),
        (&administrator, SituationBoardQuery::default(), vec![mine, other]),
        (&administrator, look(1), vec![other]),
    ] {
        let seen = board::read_board(world.app(), caller, KIND, look).await.unwrap();
        assert_eq!(
            (codes(&seen.columns[0]), seen.columns[0].total),
            (expected.clone(), expected.len() as i64)
        );
        let changes =
            board::read_board_changes(world.app(), caller, KIND, look.branch, since).await.unwrap().unwrap();
        assert_eq!(codes(&changes.columns[0]), expected);
    }
    let elsewhere = board::read_board(world.app(), &operator, KIND, look(1)).await.unwrap();
    assert!(elsewhere.columns.is_empty(), "a branch that is not his is none");
    let stranger = enter(&world, &world.stranger).await;
    let seen = board::read_board(world.app(), &stranger, KIND, SituationBoardQuery::default()).await.unwrap();
    assert!(seen.columns.iter().all(|column| column.total == 0 && column.rows.is_empty()));
}

#[both_engines]
async fn what_others_change_is_told_and_what_was_missed_is_read_anew(world: World) {
    let (operator, administrator) =
        (enter(&world, &world.operator).await, enter(&world, &world.administrator).await);
    let person = member(world.app(), &operator, 2, "529.982.247-25").await;
    let (one, two) = (open(&world, &operator, person).await, open(&world, &operator, person).await);
    world.clock.pass(Duration::from_mins(1));
    let since = world.app().now();
    let changes = |since| board::read_board_changes(world.app(), &operator, KIND, None, since);
    assert!(changes(since).await.unwrap().unwrap().columns.iter().all(|column| column.rows.is_empty()));
    world.clock.pass(Duration::from_secs(1));
    move_to(&world, &administrator, one, SCANNED_DELIVERIES).await;
    let told = changes(since).await.unwrap().unwrap();
    let of = |situation| told.columns.iter().find(|column| column.situation == situation).unwrap();
    assert_eq!(
        (codes(of(SCANNED_DELIVERIES)), of(SCANNED_DELIVERIES).total, of(OPEN).total),
        (vec![one], 1, 1)
    );
    let text = br#"{"versao": 1, "descricao": "Outra"}"#;
    let changed = AnyCaseInput::Claim(Box::new(read::read_body(text).unwrap()));
    now(cases::change_case(world.app(), &administrator, (two, changed), IdempotentWrite::without_key()).await);
    let told = changes(since).await.unwrap().unwrap();
    assert!(
        told.columns.iter().any(|column| codes(column) == [two]),
        "fields count too: the version is another"
    );
    world.clock.pass(Duration::from_hours(1));
    assert!(changes(since).await.unwrap().is_none(), "whoever looked away for long looks anew");
    move_to(&world, &administrator, one, CANCELLED).await;
    assert_eq!(
        board::count_late_cases(world.app(), &operator, KIND).await.unwrap(),
        0,
        "nothing has a time here"
    );
}
