//! Who has a link opens it until it expires, and that is logged; who guesses has to wait.

use crate::scene::{HOUR, SLIP, enter, person, slip_of, store_link, store_links};
use app::audit::access_log::flush_access_log;
use app::audit::entry_pages::{AuditPageQuery, AuditedEvent, StoredAuditEntry, read_audit_page};
use app::session::Session;
use app::{App, Error};
use domain::{AuditCursor, CallerAddress, LinkPurpose, LinkToken};
use links::{LinkOpeningOutcome, create_link, list_link_tokens, open_link};
use std::net::IpAddr;
use std::time::Duration;
use testkit::{World, both_engines};

fn address(last: u8) -> CallerAddress {
    IpAddr::from([203, 0, 113, last]).into()
}

/// The entries of the access log by link, of the caller's association.
async fn openings(world: &World, caller: &Session) -> Vec<StoredAuditEntry> {
    for process in world.processes() {
        flush_access_log(process).await.unwrap();
    }
    let everything = AuditPageQuery { after: AuditCursor::START, person: None, user: None };
    let page = read_audit_page(world.app(), caller, everything).await.unwrap();
    page.entries.into_iter().filter(|one| one.operation == "GET /documento/{token}").collect()
}

#[both_engines]
async fn a_link_opens_until_the_moment_it_expires_and_each_opening_is_logged(world: World) {
    let (here, there) = (enter(&world, &world.administrator).await, enter(&world, &world.stranger).await);
    let ours = person(world.app(), &here, 2, "529.982.247-25").await;
    let theirs = person(world.app(), &there, 2, "529.982.247-25").await;
    let subject = slip_of(world.here, SLIP, ours);
    let link = store_link(world.app(), subject, HOUR).await;
    let other = slip_of(world.there, SLIP, theirs);
    let other_link = store_link(world.app(), other, 2 * HOUR).await;
    assert_eq!(openings(&world, &here).await, []);

    for (last, token, expected) in
        [(7, &link.token, subject), (7, &link.token, subject), (8, &other_link.token, other)]
    {
        let opened = open_link(world.app(), token.as_str(), address(last)).await.unwrap();
        assert_eq!(opened, LinkOpeningOutcome::Open(expected));
    }
    world.clock.pass(Duration::from_millis(3_599_999));
    let opened = open_link(world.app(), link.token.as_str(), address(9)).await.unwrap();
    assert_eq!(opened, LinkOpeningOutcome::Open(subject));
    world.clock.pass(Duration::from_millis(1));
    let late = open_link(world.app(), link.token.as_str(), address(9)).await.unwrap();
    assert_eq!(late, LinkOpeningOutcome::Expired);
    let opened = open_link(world.app(), other_link.token.as_str(), address(9)).await.unwrap();
    assert_eq!(opened, LinkOpeningOutcome::Open(other));

    let openings_of = async |caller: &Session, person| {
        let mut addresses = Vec::new();
        for entry in openings(&world, caller).await {
            let AuditedEvent::Access(people) = entry.what else { panic!("{:?}", entry.what) };
            assert!(people.iter().all(|(opened, _)| *opened == person) && entry.user.is_none());
            addresses.extend(people.iter().map(|_| entry.address.clone().unwrap()));
        }
        addresses.sort();
        addresses
    };
    assert_eq!(openings_of(&here, ours).await, ["203.0.113.7", "203.0.113.7", "203.0.113.9"]);
    assert_eq!(openings_of(&there, theirs).await, ["203.0.113.8", "203.0.113.9"]);
}

#[both_engines]
async fn lists_tell_the_token_that_opens_for_longest(world: World) {
    let caller = enter(&world, &world.administrator).await;
    let person = person(world.app(), &caller, 2, "529.982.247-25").await;
    let now = world.app().now();
    let link = |tenant, code, hours: u32| {
        let expires_at = now.plus(HOUR * hours);
        create_link(world.app(), slip_of(tenant, code, person), expires_at, (Some(caller.user), now))
    };
    // Of 1 the second opens for longest, of 2 it was revoked, 3 has none, and 4 is the other association's.
    let mut ours: Vec<_> = (1..=150).map(|code| link(world.here, code, 2)).collect();
    ours.remove(2);
    ours.remove(2);
    let (longest, mut revoked) = (link(world.here, 1, 9), link(world.here, 2, 9));
    revoked.revoked_at = Some(now);
    ours.extend([longest.clone(), revoked, link(world.here, 1, 5)]);
    store_links(world.app(), ours.clone()).await;
    store_links(world.app(), vec![link(world.there, 4, 9)]).await;

    let slips = |codes: &'static [i32]| (LinkPurpose::Slip, codes);
    let told = list_link_tokens(&world.app().db, world.here, slips(&[1, 2, 3, 4, 5]), now).await.unwrap();
    assert_eq!((told.len(), &told[&1], &told[&2]), (3, &longest.token, &ours[1].token));
    let now = now.plus(HOUR * 2);
    let told = list_link_tokens(&world.app().db, world.here, slips(&[1, 2, 5]), now).await.unwrap();
    assert_eq!((told.len(), &told[&1]), (1, &longest.token), "the others expired at this moment");
    let told = list_link_tokens(&world.app().db, world.here, slips(&[]), now).await.unwrap();
    assert!(told.is_empty());
}

/// A process with narrow limits.
fn strict(world: &World) -> App {
    let mut app = world.processes()[0].clone();
    (app.throttle.link_misses, app.throttle.link_openings) = (3, 10);
    app
}

#[both_engines]
async fn who_guesses_has_to_wait_and_nobody_else_has(world: World) {
    let caller = enter(&world, &world.administrator).await;
    let person = person(world.app(), &caller, 2, "529.982.247-25").await;
    let app = strict(&world);
    let link = store_link(&app, slip_of(world.here, SLIP, person), HOUR).await;
    let guess = || LinkToken::draw(world.here, &*app.random_source);
    let open = async |token: &str, last| open_link(&app, token, address(last)).await;
    for _ in 0..50 {
        // Whatever was never drawn is not looked up.
        assert_eq!(open("7-nada", 1).await.unwrap(), LinkOpeningOutcome::Unknown);
    }
    assert_eq!(
        open(link.token.as_str(), 1).await.unwrap(),
        LinkOpeningOutcome::Open(slip_of(world.here, SLIP, person))
    );
    for _ in 0..3 {
        assert_eq!(open(guess().as_str(), 1).await.unwrap(), LinkOpeningOutcome::Unknown);
    }
    for token in [guess(), link.token.clone()] {
        let Err(Error::TooManyLookups(wait)) = open(token.as_str(), 1).await else { panic!("no limit") };
        assert_eq!(wait, app.throttle.window);
    }
    assert!(matches!(open(link.token.as_str(), 2).await.unwrap(), LinkOpeningOutcome::Open(_)));
    world.clock.pass(app.throttle.window);
    assert!(matches!(open(link.token.as_str(), 1).await.unwrap(), LinkOpeningOutcome::Open(_)));
}

#[both_engines]
async fn openings_have_a_wider_limit_that_expired_links_count_for(world: World) {
    let caller = enter(&world, &world.administrator).await;
    let person = person(world.app(), &caller, 2, "529.982.247-25").await;
    let app = strict(&world);
    let link = store_link(&app, slip_of(world.here, SLIP, person), HOUR).await;
    world.clock.pass(HOUR);
    for _ in 0..10 {
        let outcome = open_link(&app, link.token.as_str(), address(1)).await.unwrap();
        assert_eq!(outcome, LinkOpeningOutcome::Expired);
    }
    let outcome = open_link(&app, link.token.as_str(), address(1)).await;
    assert!(matches!(outcome, Err(Error::TooManyLookups(_))), "{outcome:?}");
}
