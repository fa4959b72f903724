//! Everything else that a sheet may bring: vehicles, dependents, leads, plans, sellers.

use crate::importing::{
    by, count, counts, cpf, digest, import_file, problems, receive, run, undo, without_versions,
};
use app::idempotency::IdempotentWrite;
use app::triggers::receivers::{self, RequestedReceiver};
use domain::{Entity, ImportKind, ReceiverAddress};
use exchange::import;
use testkit::{World, both_engines};

async fn members(world: &World) {
    let text = format!("CPF;Nome;Loja\n{};Ana;1\n{};Bia;2\n{};Cida;1\n", cpf(1), cpf(2), cpf(3));
    import_file(world, &by(&world.administrator), ImportKind::Members, &text).await;
}

fn vehicles() -> String {
    format!(
        "CPF do titular;Placa;Chassi;Plano;Situação;Vencimento;Valor FIPE;Marca;Modelo;Sequencial;Código;Ano\n\
         {};ABC-1234;;Proteção Ouro;Ativo;10;R$ 45.000,00;FIAT;UNO;900;5000;2015/2016\n\
         {};DEF5G67;;Proteção Prata;;5;;VW;GOL;;;\n\
         {};ABC1C34;;Proteção Ouro;;10;;;;;;\n\
         {};XYZ9999;;Plano que não há;;10;;;;;;\n\
         {};;;Proteção Ouro;;10;;;;;;\n\
         {};QQQ1111;;Proteção Ouro;Ativo;7;abc;;;;;1850\n",
        cpf(1),
        cpf(1),
        cpf(2),
        cpf(2),
        cpf(3),
        cpf(9)
    )
}

#[both_engines]
async fn vehicles_come_by_their_plate_keep_their_numbers_and_go_again(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let before = digest(&world).await;
    let text = vehicles();
    let received = receive(&world, &me, ImportKind::Vehicles, &text).await.unwrap();
    import::start_dry_run(world.app(), &me, received.code, IdempotentWrite::without_key()).await.unwrap();
    let checked = run(&world, &me, &received).await;
    let tried = problems(&world, &me, &checked).await;
    assert_eq!(digest(&world).await, before, "a dry run writes nothing");
    import::start_import(world.app(), &me, received.code, false, IdempotentWrite::without_key())
        .await
        .unwrap();
    let done = run(&world, &me, &received).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!(counts(&done), [2, 0, 0, 4], "{found:?}");
    let on = |found: &[(i32, String, String)], line: i32| {
        let mut on: Vec<String> = found.iter().filter(|one| one.0 == line).map(|one| one.1.clone()).collect();
        on.sort();
        on
    };
    assert_eq!(on(&found, 5), ["Plano"]);
    assert_eq!(on(&found, 7), ["Ano", "Valor FIPE"], "what cannot be read: {found:?}");
    let all = ["Ano", "CPF do titular", "Valor FIPE", "Vencimento"];
    assert_eq!(on(&tried, 7), all, "and a dry run tells what else: {tried:?}");
    assert_eq!(count(&world, "SELECT code AS n FROM benefits WHERE sequence = 900").await, 5000);
    let years = "SELECT model_year * 10000 + built AS n FROM benefits WHERE sequence = 900";
    assert_eq!(count(&world, years).await, 2016_2015);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM history WHERE origin = 'importação'").await, 2);

    let again = import_file(&world, &me, ImportKind::Vehicles, &text).await;
    assert_eq!(counts(&again), [0, 0, 2, 4], "{:?}", problems(&world, &me, &again).await);
    let was = without_versions(&world).await;
    let changed =
        format!("CPF;Placa;Plano;Situação;Modelo\n{};ABC1234;Proteção Prata;Inativo;UNO MILLE\n", cpf(1));
    let changed = import_file(&world, &me, ImportKind::Vehicles, &changed).await;
    assert_eq!(counts(&changed), [0, 1, 0, 0], "{:?}", problems(&world, &me, &changed).await);
    let undone = undo(&world, &me, &changed).await;
    assert_eq!((undone.counts.restored, undone.counts.kept), (1, 0));
    let now = without_versions(&world).await;
    let items =
        |text: &str| text.lines().filter(|line| !line.contains("8990")).collect::<Vec<_>>().join("\n");
    assert_eq!(items(&now), items(&was), "the plan that came and went stays known");
    let turns = count(&world, "SELECT COUNT(*) AS n FROM history WHERE record = 5000").await;
    assert_eq!(turns, 3, "a situation goes back with a history row of its own");

    // It was changed since, and so it stays; the other goes, and its row is the member's again.
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (1, 1));
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM benefits").await, 1);
}

#[both_engines]
async fn a_vehicle_import_taken_back_leaves_no_trace_but_its_history(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let before = digest(&world).await;
    let done = import_file(&world, &me, ImportKind::Vehicles, &vehicles()).await;
    assert_ne!(digest(&world).await, before);
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (2, 0));
    assert_eq!(digest(&world).await, before);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM history WHERE origin = 'importação'").await, 2);
}

#[both_engines]
async fn receivers_are_told_only_where_that_was_asked_for(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let app = world.app();
    let wanted = RequestedReceiver {
        address: ReceiverAddress::parse("https://erp.example/gatilhos").unwrap(),
        entities: vec![Entity::Benefit],
        headers: Vec::new(),
        concurrency: 8,
    };
    let of = receivers::TenantActor { tenant: world.here, user: None };
    receivers::create_receiver(app, app.vault.as_ref().unwrap(), of, wanted, IdempotentWrite::without_key())
        .await
        .unwrap();
    import_file(&world, &me, ImportKind::Vehicles, &format!("CPF;Placa;Plano\n{};AAA1111;1\n", cpf(1))).await;
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM outbox").await, 0);
    let text = format!("CPF;Placa;Plano\n{};BBB1111;1\n", cpf(2));
    let told = receive(&world, &me, ImportKind::Vehicles, &text).await.unwrap();
    import::start_import(app, &me, told.code, true, IdempotentWrite::without_key()).await.unwrap();
    run(&world, &me, &told).await;
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM outbox").await, 1);
    assert_eq!(
        count(&world, "SELECT COUNT(*) AS n FROM history WHERE origin = 'importação'").await,
        2,
        "both are in the feed"
    );
}

#[both_engines]
async fn dependents_come_by_their_holder_and_go_again(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    import_file(&world, &me, ImportKind::Vehicles, &vehicles()).await;
    import_file(&world, &me, ImportKind::Vehicles, &format!("CPF;Placa;Plano\n{};CCC1111;1\n", cpf(3))).await;
    let before = without_versions(&world).await;
    let text = format!(
        "CPF do titular;Placa;Nome;CPF;Nascimento;Parentesco;Sexo\n\
         {};;Rex;;;Cachorro;\n{};;João;{};2/8/2015;Filho;M\n{};ABC1234;Eva;;;Esposa;F\n{};;Zé;;;Filho;\n;;Léo;;;Filho;\n{};;Nina;;;vizinha;\n",
        cpf(3),
        cpf(3),
        cpf(50),
        cpf(1),
        cpf(1),
        cpf(3)
    );
    let done = import_file(&world, &me, ImportKind::Dependents, &text).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!(counts(&done), [3, 0, 0, 3], "{found:?}");
    assert!(found[0].2.contains("mais de um benefício"), "{found:?}");
    assert_eq!(found[2].1, "Parentesco");
    let again = import_file(&world, &me, ImportKind::Dependents, &text).await;
    assert_eq!(counts(&again), [0, 0, 3, 3], "{:?}", problems(&world, &me, &again).await);
    let only_name = format!("Titular;Nome;Parentesco;Telefone\n{};Joao;Filho;1133334444\n", cpf(3));
    world.clock.pass(std::time::Duration::from_secs(5));
    let changed = import_file(&world, &me, ImportKind::Dependents, &only_name).await;
    assert_eq!(counts(&changed), [0, 1, 0, 0], "{:?}", problems(&world, &me, &changed).await);
    assert_eq!(
        count(
            &world,
            "SELECT COUNT(*) AS n FROM dependents WHERE born_on = '2015-08-02' AND cpf IS NOT NULL"
        )
        .await,
        1,
        "what a sheet does not give stays"
    );
    assert_eq!(undo(&world, &me, &changed).await.counts.restored, 1);
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (2, 1), "one was changed since");
    assert_ne!(without_versions(&world).await, before);
}

/// A number without area code may be two people's.
#[both_engines]
async fn leads_share_an_incomplete_number_unless_they_share_their_name(world: World) {
    let me = by(&world.administrator);
    let text = "Nome;Telefone;Loja\nAna;98765-4321;1\nBia;987654321;1\nána;98765-4321;1\n";
    let done = import_file(&world, &me, ImportKind::Leads, text).await;
    assert_eq!(counts(&done), [2, 0, 0, 1], "{:?}", problems(&world, &me, &done).await);
}

#[both_engines]
async fn leads_plans_and_sellers_come_twice_and_go_again(world: World) {
    let me = by(&world.administrator);
    let before = digest(&world).await;
    for (kind, text, created, refused) in [
        (ImportKind::Leads, format!("Nome;Telefone;E-mail;CPF;Cidade\nLia;(11) 98888-7777;lia@x.example;;Santos\nLeo;;;{};\nNinguém;;;;\n", cpf(70)), 2, 1),
        (ImportKind::Plans, "Plano;Tipo;Mensalidade;Cobertura\nBronze;Veicular;R$ 59,90;x\nFrota;veículo;1.200,00;x\nSem valor;Veicular;;x\n".to_owned(), 2, 1),
        (ImportKind::Sellers, format!("Nome;Função;Loja;CPF;Celular\nCarla;Consultora;Matriz;{};11987651234\nDavi;Representante;Filial Norte;;\nSem loja;Consultor;;;\n", cpf(71)), 2, 1),
    ] {
        let received = receive(&world, &me, kind, &text).await.unwrap();
        import::start_dry_run(world.app(), &me, received.code, IdempotentWrite::without_key()).await.unwrap();
        let checked = run(&world, &me, &received).await;
        assert_eq!(counts(&checked), [created, 0, 0, refused], "{kind:?} {:?}", problems(&world, &me, &checked).await);
        import::start_import(world.app(), &me, received.code, false, IdempotentWrite::without_key()).await.unwrap();
        let done = run(&world, &me, &received).await;
        assert_eq!(counts(&done), [created, 0, 0, refused], "{kind:?} {:?}", problems(&world, &me, &done).await);
        let again = import_file(&world, &me, kind, &text).await;
        assert_eq!(counts(&again), [0, 0, created, refused], "{kind:?} {:?}", problems(&world, &me, &again).await);
        let was = without_versions(&world).await;
        let changed = import_file(&world, &me, kind, &text.replace("Santos", "Campinas").replace("59,90", "64,90").replace("11987651234", "11987650000")).await;
        assert_eq!(counts(&changed), [0, 1, created - 1, refused], "{kind:?} {:?}", problems(&world, &me, &changed).await);
        assert_eq!(undo(&world, &me, &changed).await.counts.restored, 1, "{kind:?}");
        assert_eq!(without_versions(&world).await, was, "{kind:?}");
        let undone = undo(&world, &me, &done).await;
        assert_eq!((undone.counts.removed, undone.counts.kept), (created - 1, 1), "{kind:?}: one was changed since");
    }
    assert_ne!(digest(&world).await, before);
}

/// A line that fails for no rule is refused by a dry run as it would be by the import, and the others are checked.
#[both_engines]
async fn a_line_that_cannot_be_checked_does_not_pass_for_a_good_one(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let text = format!("CPF;Placa;Plano\n{};AAA1111;1\n{};BBB1111;1\n", cpf(1), cpf(2));
    import_file(&world, &me, ImportKind::Vehicles, &text).await;
    let text = format!("Titular;Nome;Parentesco\n{};Joao;Filho\n{};Jose;Filho\n", cpf(1), cpf(2));
    let done = import_file(&world, &me, ImportKind::Dependents, &text).await;
    assert_eq!(counts(&done), [2, 0, 0, 0], "{:?}", problems(&world, &me, &done).await);
    let broken = storage::sql("UPDATE dependents SET kinship = 99 WHERE name = 'Joao'");
    let unit = world.db().write(storage::WriteLane::foreground(world.here), broken, |tx, broken| {
        Box::pin(async move { tx.execute(broken.clone()).await })
    });
    unit.await.unwrap();
    let text = format!(
        "Titular;Nome;Parentesco;Telefone\n{};Joao;Filho;1133334444\n{};Jose;Filho;1133334444\n",
        cpf(1),
        cpf(2)
    );
    let received = receive(&world, &me, ImportKind::Dependents, &text).await.unwrap();
    import::start_dry_run(world.app(), &me, received.code, IdempotentWrite::without_key()).await.unwrap();
    let checked = run(&world, &me, &received).await;
    let tried = problems(&world, &me, &checked).await;
    assert_eq!(counts(&checked), [0, 1, 0, 1], "{tried:?}");
    let done = import_file(&world, &me, ImportKind::Dependents, &text).await;
    assert_eq!(counts(&done), [0, 1, 0, 1]);
    assert_eq!(problems(&world, &me, &done).await, tried, "both say the same");
    assert!(tried[0].2.contains("não pôde ser gravada"), "{tried:?}");
}
