//! Who sees the person revokes the links; nobody else does.

use crate::scene::{HOUR, SLIP, enter, person, slip_of, store_link, unpack};
use app::Error;
use app::audit::entry_pages::{AuditPageQuery, read_audit_page};
use app::idempotency::IdempotentWrite;
use app::session::Session;
use domain::{AuditCursor, AuditedOperation, CallerAddress, InputField, LinkPurpose};
use links::{LinkOpeningOutcome, LinkRevocationRequest, list_link_tokens, open_link, revoke_links};
use std::net::IpAddr;
use std::sync::Arc;
use testkit::{World, both_engines};

const OPERATION: AuditedOperation = AuditedOperation::IssueSlip;

async fn revoke(world: &World, caller: &Session, subject: i32) -> Result<u32, Error> {
    let revocation = LinkRevocationRequest {
        purpose: LinkPurpose::Slip,
        subject,
        reason: Some("número errado".to_owned()),
    };
    let once = IdempotentWrite::without_key();
    let revoked = revoke_links(world.app(), caller, (OPERATION, revocation), once).await;
    revoked.and_then(app::idempotency::WriteOutcome::into_fresh)
}

#[both_engines]
async fn only_who_sees_the_person_revokes_and_then_nothing_opens(world: World) {
    let administrator = enter(&world, &world.administrator).await;
    let operator = enter(&world, &world.operator).await;
    let stranger = enter(&world, &world.stranger).await;
    let elsewhere = person(world.app(), &administrator, 1, "529.982.247-25").await;
    let near = person(world.app(), &administrator, 2, "168.995.350-09").await;
    let address: CallerAddress = IpAddr::from([203, 0, 113, 7]).into();
    let links = [
        store_link(world.app(), slip_of(world.here, SLIP, elsewhere), HOUR).await,
        store_link(world.app(), slip_of(world.here, SLIP, elsewhere), HOUR).await,
        store_link(world.app(), slip_of(world.here, SLIP + 1, near), HOUR).await,
    ];
    let unknown = |error: Error, code| {
        assert!(
            matches!(error, Error::NotFound { field: InputField::Slip, code: its } if its == code),
            "{error:?}"
        );
    };
    unknown(revoke(&world, &operator, SLIP).await.unwrap_err(), SLIP);
    unknown(revoke(&world, &stranger, SLIP).await.unwrap_err(), SLIP);
    unknown(revoke(&world, &administrator, SLIP + 9).await.unwrap_err(), SLIP + 9);
    for link in &links {
        let outcome = open_link(world.app(), link.token.as_str(), address).await.unwrap();
        assert!(matches!(outcome, LinkOpeningOutcome::Open(_)), "{outcome:?}");
    }

    assert_eq!(revoke(&world, &operator, SLIP + 1).await.unwrap(), 1);
    assert_eq!(revoke(&world, &administrator, SLIP).await.unwrap(), 2);
    assert_eq!(revoke(&world, &administrator, SLIP).await.unwrap(), 0, "they are revoked already");
    for link in &links {
        let outcome = open_link(world.app(), link.token.as_str(), address).await.unwrap();
        assert_eq!(outcome, LinkOpeningOutcome::Revoked);
    }
    let slips = (LinkPurpose::Slip, &[SLIP, SLIP + 1][..]);
    let now = world.app().now();
    assert!(list_link_tokens(&world.app().db, world.here, slips, now).await.unwrap().is_empty());

    let everything = AuditPageQuery { after: AuditCursor::START, person: Some(elsewhere), user: None };
    let page = read_audit_page(world.app(), &administrator, everything).await.unwrap();
    let told: Vec<String> = page
        .entries
        .into_iter()
        .filter_map(|entry| match entry.what {
            app::audit::entry_pages::AuditedEvent::Change(_, content) => {
                app::audit::describe_content(content)
            }
            app::audit::entry_pages::AuditedEvent::Access(_) => None,
        })
        .filter(|text| text.contains("link"))
        .collect();
    assert_eq!(told, ["revogado: 2 links do boleto 4711: número errado"]);
}

#[both_engines]
async fn eight_who_revoke_at_once_revoke_it_once(world: World) {
    let world = Arc::new(world);
    let caller = enter(&world, &world.administrator).await;
    let person = person(world.app(), &caller, 2, "529.982.247-25").await;
    store_link(world.app(), slip_of(world.here, SLIP, person), HOUR).await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (world, caller) = (Arc::clone(&world), Arc::clone(&caller));
            tokio::spawn(async move {
                let revocation =
                    LinkRevocationRequest { purpose: LinkPurpose::Slip, subject: SLIP, reason: None };
                let once = IdempotentWrite::without_key();
                unpack(revoke_links(world.app(), &caller, (OPERATION, revocation), once).await)
            })
        })
        .collect();
    let mut revoked = 0;
    for task in tasks {
        revoked += task.await.unwrap();
    }
    assert_eq!(revoked, 1);
}
