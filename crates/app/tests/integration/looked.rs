//! What the console asks beside the interface: how receivers fare and what was sent to them, what may be chosen of registers,
//! and the board of sales in parts with what changed on it.

use app::access;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::sales::deals;
use app::sales::deals::board::{self, BoardQuery, CARDS_PER_COLUMN};
use app::session::Session;
use app::triggers::receivers::{self, RequestedReceiver, TenantActor};
use app::triggers::{self, DeliveryOutcome, DeliveryVerdict, LeaseHolder, PendingChangeQuery};
use app::{Error, Vault, cache, members, registers};
use domain::RetryPolicy;
use domain::{Entity, HistoryCode, ReceiverCode};
use std::sync::Arc;
use std::time::Duration;
use testkit::{Caller, PASSWORD, World, both_engines};
use wire::read;

async fn enter(world: &World, caller: &Caller) -> Arc<Session> {
    let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
    let app = world.app();
    let token = access::log_in_program(app, &caller.email, PASSWORD, here).await.unwrap().token;
    for process in world.processes() {
        cache::refresh_versions(process).await.unwrap();
    }
    app::session::load_session(app, &token).await.unwrap()
}

fn now<T>(done: Result<WriteOutcome<T>, Error>) -> T {
    done.and_then(WriteOutcome::into_fresh).unwrap()
}

async fn receiver(world: &World, caller: &Session, vault: &Vault) -> ReceiverCode {
    let wanted = RequestedReceiver {
        address: domain::ReceiverAddress::parse("https://erp.example").unwrap(),
        entities: vec![Entity::Benefit, Entity::Claim],
        headers: Vec::new(),
        concurrency: 8,
    };
    let by = TenantActor { tenant: caller.scope.tenant(), user: Some(caller.user) };
    now(receivers::create_receiver(world.app(), vault, by, wanted, IdempotentWrite::without_key()).await).code
}

/// A claim, of which the receivers are told.
async fn claim(world: &World, caller: &Session, person: i32) {
    world.clock.pass(Duration::from_mins(1));
    let text = format!(r#"{{"codPessoa": {person}, "codTipoEvento": 1}}"#);
    let input = app::cases::AnyCaseInput::Claim(Box::new(read::read_body(text.as_bytes()).unwrap()));
    now(app::cases::open_case(world.app(), caller, input, IdempotentWrite::without_key()).await);
}

async fn conclude(
    world: &World,
    tenant: domain::TenantId,
    receiver: ReceiverCode,
    verdicts: &[DeliveryVerdict],
) {
    let app = world.app();
    let holder = LeaseHolder { process: "p".into(), place: "here".into(), lease: Duration::from_mins(1) };
    let waits = vec![Duration::from_hours(1)];
    let policy =
        Arc::new(RetryPolicy { waits, probe: Duration::ZERO, pause_after: Duration::from_hours(24) });
    let lease = triggers::lease_receivers(app, &holder, tenant, [receiver].into()).await.unwrap()[&receiver];
    let after = HistoryCode::new(0);
    let room = PendingChangeQuery { receiver, lease, after, limit: verdicts.len() as i64, waited: 0 };
    let jobs = triggers::fetch_ready_jobs(app, tenant, vec![room]).await.unwrap();
    assert_eq!(jobs.len(), verdicts.len());
    let outcomes = jobs.into_iter().zip(verdicts).map(|((job, _), verdict)| DeliveryOutcome {
        job,
        verdict: *verdict,
        tried_at: app.now(),
        took: Duration::from_millis(12),
        status: Some(if *verdict == DeliveryVerdict::Delivered { 204 } else { 500 }),
        answer: (*verdict != DeliveryVerdict::Delivered).then(|| "sem chave".to_owned()),
        failure: None,
        retry_after: None,
    });
    triggers::record_outcomes(app, (&holder, &policy), tenant, outcomes.collect()).await.unwrap();
}

#[both_engines]
async fn how_a_receiver_fares_is_seen_and_what_was_sent_is_found(world: World) {
    let (app, caller) = (world.app(), enter(&world, &world.administrator).await);
    let vault = Vault::new(&testkit::SERVER_KEY).unwrap();
    let tenant = caller.scope.tenant();
    let code = receiver(&world, &caller, &vault).await;
    let fares = triggers::list_performance(app, tenant, vec![code]).await.unwrap().remove(0);
    assert_eq!((fares.success_share(), fares.glance.pending), (None, 0));

    let text = br#"{"nomePessoa": "Ana", "cpfCnpj": "529.982.247-25", "codLoja": 1}"#;
    let person = now(members::save_person(
        app,
        &caller,
        read::read_body(text).unwrap(),
        IdempotentWrite::without_key(),
    )
    .await)
    .code
    .get();
    let began = app.now();
    for _ in 0..4 {
        claim(&world, &caller, person).await;
    }
    conclude(
        &world,
        tenant,
        code,
        &[DeliveryVerdict::Delivered, DeliveryVerdict::Failed, DeliveryVerdict::Delivered],
    )
    .await;
    let fares = triggers::list_performance(app, tenant, vec![code]).await.unwrap().remove(0);
    assert_eq!((fares.success_share(), fares.glance.pending), (Some(66), 2));
    assert_eq!(fares.trouble.unwrap().answer.as_deref(), Some("sem chave"));
    assert!(fares.glance.oldest.is_some());

    let found =
        async |wanted| triggers::list_newest_deliveries(app, tenant, code, wanted).await.unwrap().deliveries;
    let all = found(triggers::DeliveryQuery::default()).await;
    let codes: Vec<i32> = all.iter().map(|one| one.delivery.history.get()).collect();
    assert_eq!(codes.len(), 4);
    assert!(codes.is_sorted_by(|one, next| one > next), "the newest first: {codes:?}");
    let arrived =
        triggers::DeliveryQuery { state: Some(domain::DeliveryState::Delivered), ..Default::default() };
    assert_eq!(found(arrived).await.len(), 2);
    let record = all[1].delivery.record;
    let one =
        triggers::DeliveryQuery { entity: Some(Entity::Claim), record: Some(record), ..Default::default() };
    assert_eq!(found(one).await.iter().map(|one| one.delivery.record).collect::<Vec<_>>(), [record]);
    assert!(
        found(triggers::DeliveryQuery { entity: Some(Entity::Ticket), ..Default::default() })
            .await
            .is_empty()
    );
    // The first three happened before this moment, the last one after it.
    let middle = began.plus(Duration::from_secs(200));
    let since = triggers::DeliveryQuery { since: Some(middle), ..Default::default() };
    let until = triggers::DeliveryQuery { until: Some(middle), ..Default::default() };
    assert_eq!((found(since).await.len(), found(until).await.len()), (1, 3));
    let older = triggers::DeliveryQuery { before: Some(all[1].delivery.history), ..Default::default() };
    assert_eq!(found(older).await.len(), 2);

    let (told, text) = triggers::read_delivery(app, &caller, (code, all[0].delivery.history)).await.unwrap();
    assert_eq!(told.delivery.record, all[0].delivery.record);
    assert!(text.contains("codPessoa"));
    let unknown =
        triggers::read_delivery(app, &caller, (ReceiverCode::new(99), all[0].delivery.history)).await;
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
}

#[both_engines]
async fn what_may_be_chosen_of_a_register_is_what_the_caller_sees(world: World) {
    let app = world.app();
    let (all, limited) = (enter(&world, &world.administrator).await, enter(&world, &world.operator).await);
    let branches = ::registers::find_register("loja").unwrap();
    let seen = registers::list_choices(app, &all, branches).await.unwrap();
    assert!(seen.is_sorted_by_key(|one| domain::fold_text(&one.name)));
    let own = registers::list_choices(app, &limited, branches).await.unwrap();
    assert_eq!((seen.len(), own.len()), (3, 1));
    let counts = registers::count_records(app, &limited).await.unwrap();
    assert_eq!(counts.len(), ::registers::REGISTERS.len());
    let of = |path| counts.iter().find(|(register, _)| register.path == path).unwrap().1;
    assert_eq!((of("loja"), of("cartaoCredito")), (Some(1), None));
    // Where there may be any number, nobody chooses from a list.
    let trackers = ::registers::find_register("rastreador").unwrap();
    assert!(registers::list_choices(app, &all, trackers).await.unwrap().is_empty());
}

async fn deal(world: &World, caller: &Session, number: usize, branch: i32) -> domain::DealCode {
    let text = format!(
        r#"{{"nomePessoa": "Lead {number}", "email": "lead{number}@exemplo.com.br", "codLoja": {branch}, "valor": 10}}"#
    );
    let input: wire::records::NegocioCriacaoInput = read::read_body(text.as_bytes()).unwrap();
    now(deals::save_deal(world.app(), caller, None, input.0, IdempotentWrite::without_key()).await).code
}

#[both_engines]
async fn the_board_of_sales_is_read_in_parts_and_tells_what_changed(world: World) {
    let (app, caller) = (world.app(), enter(&world, &world.administrator).await);
    let limited = enter(&world, &world.operator).await;
    let many = CARDS_PER_COLUMN as usize + 2;
    let mut codes = Vec::new();
    for number in 0..many {
        codes.push(deal(&world, &caller, number, 1).await);
    }
    let board = board::view_board(app, &caller, BoardQuery::default()).await.unwrap();
    let first = &board.columns[0];
    assert_eq!(
        (first.count, first.total.cents(), first.cards.len()),
        (many as i64, many as i64 * 1_000, CARDS_PER_COLUMN as usize)
    );
    let rest = BoardQuery { only: Some((first.stage, first.next)), ..BoardQuery::default() };
    let rest = board::view_board(app, &caller, rest).await.unwrap();
    assert_eq!((rest.columns.len(), rest.columns[0].cards.len(), rest.columns[0].next), (1, 2, None));

    let looked_at = board.now;
    world.clock.pass(Duration::from_mins(1));
    let second = board.columns[1].stage;
    let to_second = read::read_body(format!(r#"{{"codEtapa": {second}, "versao": 1}}"#).as_bytes()).unwrap();
    now(deals::move_deal(app, &caller, codes[0], to_second, IdempotentWrite::without_key()).await);
    let lost = read::read_body(br#"{"motivo": "Achou caro."}"#).unwrap();
    now(deals::lose_deal(app, &caller, codes[1], lost, IdempotentWrite::without_key()).await);
    let since = looked_at.plus(Duration::from_secs(30));
    let changed =
        board::view_board_changes(app, &caller, BoardQuery::default(), since).await.unwrap().unwrap();
    let moved = changed.columns.iter().find(|column| column.stage == second).unwrap();
    assert_eq!(
        (moved.count, moved.cards.iter().map(|one| one.code).collect::<Vec<_>>()),
        (1, vec![codes[0]])
    );
    assert_eq!(changed.gone.iter().map(|one| one.code).collect::<Vec<_>>(), [codes[1]]);
    // Whoever does not see the branch is told nothing, and whoever looked away for long looks anew.
    let elsewhere =
        board::view_board_changes(app, &limited, BoardQuery::default(), since).await.unwrap().unwrap();
    assert!(elsewhere.gone.is_empty() && elsewhere.columns.iter().all(|column| column.cards.is_empty()));
    world.clock.pass(Duration::from_hours(1));
    assert!(board::view_board_changes(app, &caller, BoardQuery::default(), since).await.unwrap().is_none());
}
