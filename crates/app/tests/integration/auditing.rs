//! The audit backwards, as people read it: nothing is lost between its pages, whoever and whatever time is asked for.

use app::audit::entry_pages::{self, AuditPageQuery, AuditedEvent, ReverseAuditQuery, StoredAuditEntry};
use app::session::Session;
use app::{App, Error, access};
use domain::{
    AuditCursor, AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Clock, Moment,
    PersonCode, UserCode,
};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use storage::WriteLane;
use storage::history::access_log::{AccessActor, AccessLogBlock, append_access_log};
use storage::history::audit as stored;
use storage::history::audit::AuditEntry;
use testkit::{Caller, PASSWORD, World, both_engines};

const MINUTE: Duration = Duration::from_mins(1);
const ENTRIES: i32 = 250;

async fn session(app: &App, who: &Caller) -> Arc<Session> {
    let entered =
        access::log_in_program(app, &who.email, PASSWORD, IpAddr::from([192, 0, 2, 9]).into()).await.unwrap();
    app::session::load_session(app, &entered.token).await.unwrap()
}

/// A change and a look each minute, of two users at three people, and one of another association between them.
async fn happened(world: &World) {
    for number in 0..ENTRIES / 2 {
        for tenant in [world.here, world.there] {
            let at = world.clock.now();
            let unit = world.db().write(
                WriteLane::foreground(tenant),
                (tenant, number, at),
                |tx, (tenant, number, at)| {
                    Box::pin(async move {
                        let user = Some(UserCode::new(1 + number % 2));
                        let person = PersonCode::new(1 + number % 3);
                        let change =
                            AuditedChange::new(AuditedAction::Change, AuditedRecordKind::Benefit, *number);
                        let entry = AuditEntry {
                            tenant: *tenant,
                            at: *at,
                            user,
                            operation: AuditedOperation::ChangeBenefit,
                            person: Some(person),
                            change,
                        };
                        stored::append_audit_entry(tx, &entry).await?;
                        Ok::<_, storage::Error>(())
                    })
                },
            );
            unit.await.unwrap();
            let user = Some(UserCode::new(1 + number % 2));
            let person = PersonCode::new(1 + number % 3);
            let actor = AccessActor { user, address: None };
            let mut look = AccessLogBlock::new(actor, AuditedOperation::ShowMember, (person, at));
            look.add(PersonCode::new(900), at);
            let activity = world.db().activity().unwrap();
            let unit = activity.write(WriteLane::foreground(tenant), (tenant, look), |tx, (tenant, look)| {
                Box::pin(append_access_log(tx, *tenant, std::slice::from_ref(look)))
            });
            unit.await.unwrap();
        }
        world.clock.pass(MINUTE);
    }
}

async fn backwards(app: &App, caller: &Session, mut reading: ReverseAuditQuery) -> Vec<StoredAuditEntry> {
    let mut all = Vec::new();
    loop {
        let (page, _) = entry_pages::read_newest_audit_page(app, caller, reading).await.unwrap();
        assert!(page.entries.len() <= 100);
        all.extend(page.entries);
        if !page.has_more {
            return all;
        }
        reading.before = Some(page.reached);
    }
}

async fn forwards(app: &App, caller: &Session, mut question: AuditPageQuery) -> Vec<StoredAuditEntry> {
    let mut all = Vec::new();
    loop {
        let page = entry_pages::read_audit_page(app, caller, question).await.unwrap();
        all.extend(page.entries);
        if !page.has_more {
            return all;
        }
        question.after = page.reached;
    }
}

#[both_engines]
async fn backwards_is_forwards_from_the_other_end(world: World) {
    let begin = world.clock.now();
    happened(&world).await;
    let app = world.app();
    let caller = session(app, &world.administrator).await;
    let person = Some(PersonCode::new(2));
    let user = Some(UserCode::new(1));
    for (person, user) in [(None, None), (person, None), (None, user), (person, user)] {
        let mut ahead =
            forwards(app, &caller, AuditPageQuery { person, user, ..AuditPageQuery::default() }).await;
        ahead.reverse();
        assert!(ahead.len() > 30, "{person:?} {user:?}: {}", ahead.len());
        let reading = ReverseAuditQuery { person, user, ..ReverseAuditQuery::default() };
        assert_eq!(backwards(app, &caller, reading).await, ahead, "{person:?} {user:?}");
        for (first, last) in [(0, 1), (10, 20), (0, 1_000), (124, 125), (300, 400)] {
            let at = |minutes: u32| begin.plus(MINUTE * minutes);
            let within: Vec<StoredAuditEntry> =
                ahead.iter().filter(|one| one.at >= at(first) && one.at < at(last)).cloned().collect();
            let reading = ReverseAuditQuery { since: Some(at(first)), until: Some(at(last)), ..reading };
            assert_eq!(backwards(app, &caller, reading).await, within, "minutes {first} to {last}");
        }
    }
}

#[both_engines]
async fn it_is_for_administrators_names_people_and_leaves_no_look_itself(world: World) {
    let app = world.app();
    let caller = session(app, &world.administrator).await;
    let operator = session(app, &world.operator).await;
    assert!(matches!(
        entry_pages::read_newest_audit_page(app, &operator, ReverseAuditQuery::default()).await,
        Err(Error::Forbidden)
    ));
    let text = br#"{"nomePessoa": "Zulmira Prova", "cpfCnpj": "529.982.247-25", "codLoja": 2}"#;
    let input = wire::read::read_body(text).unwrap();
    app::members::save_person(app, &caller, input, app::idempotency::IdempotentWrite::without_key())
        .await
        .unwrap();
    let (page, names) =
        entry_pages::read_newest_audit_page(app, &caller, ReverseAuditQuery::default()).await.unwrap();
    let AuditedEvent::Change(Some(person), _) = &page.entries[0].what else { panic!("{:?}", page.entries) };
    assert_eq!(names[person], "Zulmira Prova");
    let (again, _) =
        entry_pages::read_newest_audit_page(app, &caller, ReverseAuditQuery::default()).await.unwrap();
    assert_eq!(again.entries.len(), page.entries.len());
    let future = Some(Moment::from_millis(i64::MAX));
    let none = ReverseAuditQuery { since: future, ..ReverseAuditQuery::default() };
    assert!(entry_pages::read_newest_audit_page(app, &caller, none).await.unwrap().0.entries.is_empty());
}

/// Entries of a version that kept only texts, and of a newer one with other actions, are shown as they are stored.
#[both_engines]
async fn an_entry_that_is_only_a_text_is_shown_as_stored(world: World) {
    let caller = session(world.app(), &world.administrator).await;
    let insert = |code: i32, action: Option<&str>, detail: Option<&str>| {
        storage::sql("INSERT INTO audit (tenant, code, happened_at, operation, action, detail) VALUES ($1, $2, 0, 'PUT /x', $3, $4)")
            .arg(world.here)
            .arg(1_000_000 + code)
            .arg(action)
            .arg(detail)
    };
    let rows = vec![
        insert(1, None, Some("benefício 7 cancelado")),
        insert(2, Some("something_new"), None),
        insert(3, None, None),
    ];
    let unit = world.db().write(WriteLane::foreground(world.here), rows, |tx, rows| {
        Box::pin(async move { tx.execute_batch(rows.clone()).await })
    });
    unit.await.unwrap();
    let after = AuditCursor { changes: 1_000_000, accesses: 1_000_000 };
    let question = AuditPageQuery { after, ..AuditPageQuery::default() };
    let page = entry_pages::read_audit_page(world.app(), &caller, question).await.unwrap();
    let texts: Vec<Option<String>> = page
        .entries
        .into_iter()
        .map(|entry| match entry.what {
            AuditedEvent::Change(None, content) => app::audit::describe_content(content),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, [Some("benefício 7 cancelado".to_owned()), Some("something_new".to_owned()), None]);
}
