//! What happens between two imports, or while one rests: others change what it is about, or whoever asked for it goes.

use crate::importing::{by, count, counts, cpf, error_text, import_file, problems, receive, run, undo};
use app::access::users;
use app::idempotency::IdempotentWrite;
use domain::{ImportKind, ImportState};
use exchange::import;
use std::time::Duration;
use storage::{WriteLane, sql};
use testkit::{World, both_engines};

async fn members(world: &World) {
    let text = format!("CPF;Nome;Loja\n{};Ana;1\n{};Bia;2\n", cpf(1), cpf(2));
    import_file(world, &by(&world.administrator), ImportKind::Members, &text).await;
}

#[both_engines]
async fn a_vehicle_that_another_has_meanwhile_is_not_put_in_force_again(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let vehicle = |number: u32, situation: &str| {
        format!("CPF;Placa;Plano;Situação\n{};ABC1234;1;{situation}\n", cpf(number))
    };
    import_file(&world, &me, ImportKind::Vehicles, &vehicle(1, "Ativo")).await;
    let over = import_file(&world, &me, ImportKind::Vehicles, &vehicle(1, "Inativo")).await;
    assert_eq!(counts(&over), [0, 1, 0, 0]);
    let other = import_file(&world, &me, ImportKind::Vehicles, &vehicle(2, "Ativo")).await;
    assert_eq!(counts(&other), [1, 0, 0, 0], "{:?}", problems(&world, &me, &other).await);
    let undone = undo(&world, &me, &over).await;
    assert_eq!((undone.counts.restored, undone.counts.kept), (0, 1));
    let kept = import::list_kept_rows(world.app(), &me, over.code, (0, 10)).await.unwrap();
    assert!(kept[0].because.contains("ABC1234"), "{kept:?}");
}

#[both_engines]
async fn what_is_over_comes_twice_and_is_there_once(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let text = format!(
        "CPF;Placa;Plano;Situação;Código\n{0};ABC1234;1;Cancelado;\n{0};DEF5G67;1;Inativo;\n{0};GHI1234;1;Cancelado;5000\n",
        cpf(1)
    );
    let first = import_file(&world, &me, ImportKind::Vehicles, &text).await;
    assert_eq!(counts(&first), [3, 0, 0, 0], "{:?}", problems(&world, &me, &first).await);
    let again = import_file(&world, &me, ImportKind::Vehicles, &text).await;
    assert_eq!(counts(&again), [0, 0, 3, 0], "{:?}", problems(&world, &me, &again).await);
    let anew = format!("CPF;Placa;Plano;Situação\n{};ABC1234;1;Ativo\n", cpf(1));
    let anew = import_file(&world, &me, ImportKind::Vehicles, &anew).await;
    assert_eq!(counts(&anew), [1, 0, 0, 0], "one that is over does not begin again");
}

#[both_engines]
async fn two_lines_that_find_one_record_in_two_ways_are_one_too_many(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let text = format!("CPF;Placa;Plano;Código\n{};ABC1234;1;5000\n", cpf(1));
    import_file(&world, &me, ImportKind::Vehicles, &text).await;
    let text = format!("Código;CPF;Placa;Modelo\n5000;{0};;UNO\n;{0};ABC1234;GOL\n", cpf(1));
    let received = receive(&world, &me, ImportKind::Vehicles, &text).await.unwrap();
    import::start_dry_run(world.app(), &me, received.code, IdempotentWrite::without_key()).await.unwrap();
    let checked = run(&world, &me, &received).await;
    assert_eq!(counts(&checked), [0, 1, 0, 1], "{:?}", problems(&world, &me, &checked).await);
    import::start_import(world.app(), &me, received.code, false, IdempotentWrite::without_key())
        .await
        .unwrap();
    let done = run(&world, &me, &received).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!(counts(&done), [0, 1, 0, 1], "{found:?}");
    assert!(found[0].0 == 3 && found[0].2.contains("repete o registro da linha 2"), "{found:?}");
    let leads = format!("Nome;CPF;E-mail\nLia;{};lia@x.example\nLia Outra;;lia@x.example\n", cpf(70));
    let leads = import_file(&world, &me, ImportKind::Leads, &leads).await;
    assert_eq!(counts(&leads), [1, 0, 0, 1], "{:?}", problems(&world, &me, &leads).await);
}

#[both_engines]
async fn a_lead_who_became_a_member_is_a_lead_again(world: World) {
    const LISTED: &str = "SELECT COUNT(*) AS n FROM listing";
    let me = by(&world.administrator);
    let lead = format!("Nome;CPF;Loja\nLia;{};1\n", cpf(70));
    let lead = import_file(&world, &me, ImportKind::Leads, &lead).await;
    assert_eq!(counts(&lead), [1, 0, 0, 0], "{:?}", problems(&world, &me, &lead).await);
    let member = format!("CPF;Nome;Loja\n{};Lia;1\n", cpf(70));
    let vehicle = format!("CPF;Placa;Plano\n{};ABC1234;1\n", cpf(70));
    for (kind, text) in [(ImportKind::Members, &member), (ImportKind::Vehicles, &vehicle)] {
        let done = import_file(&world, &me, kind, text).await;
        assert_eq!(done.counts.refused, 0, "{:?}", problems(&world, &me, &done).await);
        assert_eq!(count(&world, LISTED).await, 1, "{kind:?}");
        assert_eq!(undo(&world, &me, &done).await.counts.kept, 0);
        assert_eq!(count(&world, LISTED).await, 0, "{kind:?}");
        assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM people WHERE is_member").await, 0, "{kind:?}");
    }
    let done = import_file(&world, &me, ImportKind::Members, &member).await;
    import_file(&world, &me, ImportKind::Vehicles, &vehicle).await;
    assert_eq!(undo(&world, &me, &done).await.counts.kept, 1, "whoever has a benefit stays a member");
    assert_eq!(count(&world, LISTED).await, 1);
}

#[both_engines]
async fn what_somebody_who_left_had_begun_another_brings_to_its_end(world: World) {
    let (operator, me) = (by(&world.operator), by(&world.administrator));
    let people = |from: u32, to: u32| {
        (from..=to).fold("CPF;Nome\n".to_owned(), |text, number| text + &format!("{};Ana\n", cpf(number)))
    };
    let done = import_file(&world, &operator, ImportKind::Members, &people(1, 150)).await;
    assert_eq!(counts(&done), [150, 0, 0, 0]);
    let running = receive(&world, &operator, ImportKind::Members, &people(201, 202)).await.unwrap();
    import::start_import(world.app(), &operator, running.code, false, IdempotentWrite::without_key())
        .await
        .unwrap();
    import::undo_import(world.app(), &operator, done.code, IdempotentWrite::without_key()).await.unwrap();
    let (app, here, code) = (world.app().clone(), world.here, done.code);
    let (send, mut told) = tokio::sync::mpsc::unbounded_channel();
    let first = tokio::spawn(async move {
        import::run_import(&app, here, code, &mut |import| {
            let _ = send.send(import.counts);
        })
        .await
    });
    let _ = told.recv().await;
    first.abort();
    let _ = first.await;
    users::disable_user(world.app(), world.here, &world.operator.email).await.unwrap();
    world.clock.pass(Duration::from_secs(31));
    let stopped = run(&world, &me, &done).await;
    if stopped.state != ImportState::Undone {
        assert_eq!(stopped.state, ImportState::Done);
        let undone = undo(&world, &me, &done).await;
        assert_eq!((undone.counts.removed, undone.counts.kept), (150, 0), "it goes on where it was");
        assert_eq!((undone.user, undone.acting), (Some(world.operator.code), Some(world.administrator.code)));
    }
    assert_eq!(run(&world, &me, &running).await.state, ImportState::Paused);
    import::resume_import(world.app(), &me, running.code, IdempotentWrite::without_key()).await.unwrap();
    let resumed = run(&world, &me, &running).await;
    // He may choose among stores, and the lines name none.
    assert_eq!((resumed.state, resumed.counts.processed_lines()), (ImportState::Done, 2));
}

#[both_engines]
async fn an_import_that_fails_holds_up_no_other(world: World) {
    let me = by(&world.administrator);
    let broken = receive(&world, &me, ImportKind::Members, "CPF;Nome\n1;Ana\n").await.unwrap();
    import::start_import(world.app(), &me, broken.code, false, IdempotentWrite::without_key()).await.unwrap();
    let text = format!("CPF;Nome;Loja\n{};Bia;1\n", cpf(2));
    let other = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    import::start_import(world.app(), &me, other.code, false, IdempotentWrite::without_key()).await.unwrap();
    let unreadable =
        world.db().write(WriteLane::foreground(world.here), (world.here, broken.code), |tx, (here, code)| {
            Box::pin(async move {
                let statement = sql("UPDATE imports SET mapping = 'x' WHERE tenant = $1 AND code = $2");
                tx.execute(statement.arg(*here).arg(*code)).await
            })
        });
    assert_eq!(unreadable.await.unwrap(), 1);
    assert!(import::run_due_imports(world.app()).await.unwrap());
    let done = import::load_import(world.app(), &me, other.code).await.unwrap();
    assert_eq!((done.state, counts(&done)), (ImportState::Done, [1, 0, 0, 0]));
    assert!(!import::run_due_imports(world.app()).await.unwrap(), "nothing was done for it");
}

#[both_engines]
async fn the_file_of_errors_keeps_its_zeros_and_is_noted(world: World) {
    let me = by(&world.administrator);
    let text = "CPF;Nome;Loja\n00000000000;-Ana;1\n";
    let done = import_file(&world, &me, ImportKind::Members, text).await;
    let file = error_text(&world, &me, &done).await;
    assert!(file.contains("\r\n'00000000000;'-Ana;1;"), "{file}");
    let noted = "SELECT COUNT(*) AS n FROM audit WHERE action = 'download_import_errors'";
    assert_eq!(count(&world, noted).await, 1);
    let again = receive(&world, &me, ImportKind::Members, &file).await.unwrap();
    let lines = import::list_first_lines(world.app(), &me, &again, 5).await.unwrap();
    assert!(format!("{lines:?}").contains("\"00000000000\", \"-Ana\""), "{lines:?}");
}

#[both_engines]
async fn a_seller_whom_only_a_person_names_is_kept(world: World) {
    let me = by(&world.administrator);
    let text = "Nome;Função;Loja\nCarla;Consultor;Matriz\nDavi;Consultor;Matriz\n";
    let sellers = import_file(&world, &me, ImportKind::Sellers, text).await;
    assert_eq!(counts(&sellers), [2, 0, 0, 0], "{:?}", problems(&world, &me, &sellers).await);
    let text = format!("CPF;Nome;Loja;Consultor\n{};Ana;1;Carla\n", cpf(1));
    assert_eq!(counts(&import_file(&world, &me, ImportKind::Members, &text).await), [1, 0, 0, 0]);
    let text = format!("CPF;Placa;Plano;Consultor\n{};ABC1234;1;Davi\n", cpf(1));
    assert_eq!(counts(&import_file(&world, &me, ImportKind::Vehicles, &text).await), [1, 0, 0, 0]);
    assert_eq!(undo(&world, &me, &sellers).await.counts.kept, 2);
}
