//! Events, inspections, tickets and appointments are carried to a receiver, each to its own path.

use crate::triggers::scene::{SECOND, Scene};
use app::cases::{self, AnyCaseInput, FullCase};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use domain::CaseKind;
use storage::server::versions;
use storage::{Error, QueryWeight, WriteLane, sql};
use testkit::{Receiver, World, both_engines, until};
use wire::read::read_body as read;

/// A type of inspection and one of ticket, which these need.
async fn register(world: &World) {
    let tenant = world.here;
    let unit = world.db().write(WriteLane::foreground(tenant), tenant, |tx, tenant| {
        Box::pin(async move {
            for text in [
                format!(
                    "inspection_types (tenant, code, name, active, version, created_at, updated_at)
                     VALUES ({tenant}, 71, 'Entrada', TRUE, 1, 1, 1)"
                ),
                format!(
                    "ticket_types (tenant, code, name, priority, active, version, created_at, updated_at)
                     VALUES ({tenant}, 81, 'Dúvida', 1, TRUE, 1, 1, 1)"
                ),
            ] {
                tx.execute(sql("INSERT INTO").append_text(&text)).await?;
            }
            versions::raise_registers_version(tx, *tenant).await.map(drop)
        })
    });
    let written: Result<(), Error> = unit.await;
    written.unwrap();
}

fn input(kind: CaseKind) -> AnyCaseInput {
    match kind {
        CaseKind::Claim => {
            AnyCaseInput::Claim(Box::new(read(br#"{"codPessoa": 1, "codTipoEvento": 1}"#).unwrap()))
        }
        CaseKind::Inspection => {
            AnyCaseInput::Inspection(Box::new(read(br#"{"codPessoa": 1, "codTipoVistoria": 71}"#).unwrap()))
        }
        CaseKind::Ticket => {
            AnyCaseInput::Ticket(Box::new(read(br#"{"codPessoa": 1, "codTipoHelpDesk": 81}"#).unwrap()))
        }
        CaseKind::Appointment => AnyCaseInput::Appointment(Box::new(read(br#"{"codPessoa": 1}"#).unwrap())),
    }
}

fn done(done: Result<WriteOutcome<FullCase>, app::Error>) {
    done.unwrap().into_fresh().unwrap();
}

#[both_engines]
async fn what_is_worked_on_is_told_from_its_opening_to_its_end(world: World) {
    register(&world).await;
    let scene = Scene::of(world).await;
    // Before the receiver is there: nobody is told of the benefit.
    scene.office.benefit(1).await;
    let receiver = Receiver::answering(200).await;
    scene.add(&receiver).await;
    let engine = scene.engine().await;
    let paths = ["/evento", "/vistoria", "/helpDesk", "/consulta"];
    let ends = ["CONCLUÍDO", "APROVADA", "RESOLVIDO", "REALIZADA"];
    for (number, kind) in CaseKind::ALL.into_iter().enumerate() {
        let (app, caller) = (&scene.app, &scene.office.caller);
        done(cases::open_case(app, caller, input(kind), IdempotentWrite::without_key()).await);
        let moved = format!(r#"{{"situacao": "{}"}}"#, ends[number]);
        let moved = read(moved.as_bytes()).unwrap();
        done(
            cases::change_case_situation(app, caller, (kind, 1), moved, IdempotentWrite::without_key()).await,
        );
        until("both are there", || async { receiver.count() == 2 * (number + 1) }).await;
        let taken = receiver.taken().split_off(2 * number);
        assert!(taken.iter().all(|one| one.path == paths[number] && one.record() == 1), "{taken:?}");
        assert_eq!(taken[1].json()["objeto"]["nomeSituacao"], ends[number]);
        let kept = sql("SELECT body FROM history WHERE tenant = $1 AND entity = $2 ORDER BY code");
        let kept = kept.arg(scene.world.here).arg(kind.entity());
        let kept = scene.world.db().query(QueryWeight::Search, kept).await.unwrap();
        let bodies: Vec<String> = kept.iter().map(|row| row.get("body").unwrap()).collect();
        assert_eq!(taken.iter().map(|one| one.body.clone()).collect::<Vec<_>>(), bodies);
    }
    engine.stop(SECOND).await;
}
