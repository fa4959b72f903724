//! Members: 5,000 lines with faults, twice, in the middle of a crash, and back.

use crate::importing::{
    by, count, counts, cpf, digest, error_text, import_file, problems, receive, run, undo, without_versions,
};
use app::idempotency::IdempotentWrite;
use domain::{BranchCode, ImportKind, ImportProblem, ImportState, Rejection};
use exchange::import::{self, ColumnMapping};
use std::time::Duration;
use testkit::{World, both_engines, eight_at_once};
use wire::read::FieldPatch;

const HEADERS: &str = "CPF;Nome completo;Data de nasc.;Celular;E-mail;Cidade;UF;Loja;Observação\n";

/// A sheet as an association keeps it. Every hundredth line has a fault, of five kinds in turn.
fn sheet(lines: u32) -> (String, u32) {
    let (mut text, mut faults) = (HEADERS.to_owned(), 0);
    for number in 1..=lines {
        let mut document = cpf(number);
        // A sheet takes zeros away.
        if number % 3 == 0 {
            document = document.trim_start_matches('0').to_owned();
        }
        let (mut day, mut email, mut branch) =
            (format!("{}/3/1988", number % 28 + 1), format!("p{number}@x.example"), "Matriz");
        if number % 100 == 0 {
            faults += 1;
            match number / 100 % 5 {
                0 => document = "11111111111".to_owned(),
                1 => document = "5,2998E+10".to_owned(),
                2 => day = "31/02/1988".to_owned(),
                3 => email = "sem arroba".to_owned(),
                _ => branch = "Filial que não há",
            }
        }
        text.push_str(&format!(
            "{document};Pessoa da Silva {number};{day};(11) 9{number:08};{email};São Paulo;SP;{branch};x\n"
        ));
    }
    (text, faults)
}

#[both_engines]
async fn five_thousand_lines_with_faults_are_tried_imported_twice_and_taken_back(world: World) {
    let me = by(&world.administrator);
    let before = digest(&world).await;
    let (text, faults) = sheet(5000);
    let faults = i64::from(faults);
    let received = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    assert_eq!((received.state, received.total), (ImportState::Ready, 5000));
    assert_eq!(received.mapping[8], "", "a column that nobody knows is left out");
    assert_eq!(received.mapping[..4], ["cpfCnpj", "nomePessoa", "dataNascimento", "celular"]);

    import::start_dry_run(world.app(), &me, received.code, IdempotentWrite::without_key()).await.unwrap();
    let checked = run(&world, &me, &received).await;
    assert_eq!(checked.state, ImportState::Checked);
    assert_eq!(counts(&checked), [5000 - faults, 0, 0, faults]);
    assert_eq!(digest(&world).await, before, "a dry run writes nothing");
    let found = problems(&world, &me, &received).await;
    assert_eq!(found.len() as i64, faults);
    let at = |line: i32| found.iter().find(|one| one.0 == line).cloned().unwrap();
    assert_eq!(at(101).1, "CPF");
    assert!(at(101).2.contains("notação científica"), "{:?}", at(101));
    assert_eq!(
        (at(201).1.as_str(), at(301).1.as_str(), at(401).1.as_str(), at(501).1.as_str()),
        ("Data de nasc.", "E-mail", "Loja", "CPF")
    );

    import::start_import(world.app(), &me, received.code, false, IdempotentWrite::without_key())
        .await
        .unwrap();
    let done = run(&world, &me, &received).await;
    assert_eq!((done.state, counts(&done)), (ImportState::Done, [5000 - faults, 0, 0, faults]));
    assert_eq!(problems(&world, &me, &received).await, found, "as the dry run told");
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM people WHERE is_member").await, 5000 - faults);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM listing").await, 5000 - faults);
    assert_eq!(
        count(&world, "SELECT CAST(SUM(rows) AS BIGINT) AS n FROM listing_tally WHERE ordering = 1").await,
        5000 - faults
    );

    let imported = digest(&world).await;
    let again = import_file(&world, &me, ImportKind::Members, &text).await;
    assert_eq!(counts(&again), [0, 0, 5000 - faults, faults], "the second run changes nothing");
    assert_eq!(digest(&world).await, imported);

    let file = error_text(&world, &me, &done).await;
    assert!(file.starts_with("\u{FEFF}CPF;Nome completo;") && file.contains(";Motivo da recusa\r\n"));
    assert_eq!(file.lines().count() as i64, faults + 1);
    // Mended and sent again, with its column of reasons.
    let mended = file.replace("31/02/1988", "28/02/1988");
    let mended = import_file(&world, &me, ImportKind::Members, &mended).await;
    assert_eq!(counts(&mended), [faults / 5, 0, 0, faults - faults / 5]);
    let undone = undo(&world, &me, &mended).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (faults / 5, 0));

    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (5000 - faults, 0));
    assert_eq!(digest(&world).await, before, "everything is as it was");
    let audited = count(
        &world,
        "SELECT COUNT(*) AS n FROM audit WHERE action = 'create' AND operation LIKE '%importacao%'",
    )
    .await;
    assert_eq!(audited, 5000 - faults + faults / 5, "what was done stays known");
    let fresh = import_file(&world, &me, ImportKind::Members, "CPF;Nome;Loja\n52998224725;Ana;1\n").await;
    assert_eq!(counts(&fresh), [1, 0, 0, 0]);
    let code = count(&world, "SELECT MAX(code) AS n FROM people WHERE document = '52998224725'").await;
    assert!(code > 5000 - faults, "a removed code is never used again: {code}");
}

#[both_engines]
async fn what_was_changed_becomes_what_it_was_and_what_changed_since_is_left(world: World) {
    let me = by(&world.administrator);
    let text = format!(
        "{HEADERS}{};Ana Souza;1/1/1990;11987654321;ana@x.example;Santos;SP;1;\n{};Bia;;11911112222;;;;1;\n{};Cida;;;;;;1;\n",
        cpf(1),
        cpf(2),
        cpf(3)
    );
    import_file(&world, &me, ImportKind::Members, &text).await;
    let before = without_versions(&world).await;
    let text = format!(
        "CPF;Nome;Telefone;Cidade;UF;Sexo\n{};Ana de Souza;(11) 99999-0000;Campinas;São Paulo;F\n{};Bia;;;;\n{};Cida Nova;;;;Masc\n{};Dora;;;;\n",
        cpf(1),
        cpf(2),
        cpf(3),
        cpf(4)
    );
    let second = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    import::start_import(world.app(), &me, second.code, false, IdempotentWrite::without_key()).await.unwrap();
    let done = run(&world, &me, &second).await;
    assert_eq!(counts(&done), [0, 2, 1, 1], "{:?}", problems(&world, &me, &done).await);
    assert_eq!(problems(&world, &me, &done).await[0].0, 5, "a new one has no store");
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.restored, undone.counts.kept), (2, 0));
    assert_eq!(without_versions(&world).await, before);

    let third = import_file(&world, &me, ImportKind::Members, &text).await;
    assert_eq!(counts(&third), [0, 2, 1, 1]);
    let fourth =
        import_file(&world, &me, ImportKind::Members, &format!("CPF;Nome\n{};Ana Outra\n", cpf(1))).await;
    let undone = undo(&world, &me, &third).await;
    assert_eq!((undone.counts.restored, undone.counts.kept), (1, 1));
    let kept = import::list_kept_rows(world.app(), &me, third.code, (0, 10)).await.unwrap();
    assert_eq!((kept[0].line, kept[0].because.as_str()), (2, "foi alterado depois da importação"));
    undo(&world, &me, &fourth).await;
    world.clock.pass(Duration::from_hours(192));
    let fifth = import_file(&world, &me, ImportKind::Members, &text).await;
    world.clock.pass(import::UNDO_FOR);
    let late = import::undo_import(world.app(), &me, fifth.code, IdempotentWrite::without_key()).await;
    let Err(app::Error::Refused(problems)) = late else { panic!("too late") };
    assert_eq!(problems, [Rejection::Import(ImportProblem::TooLate)]);
}

#[both_engines]
async fn codes_are_kept_and_what_two_lines_mean_is_refused(world: World) {
    let me = by(&world.administrator);
    let text = format!(
        "Matrícula;CPF;Nome;Loja\n700;{};Ana;1\n701;{};Bia;1\n700;{};Cida;1\n;{};Dora;1\n;{};Dora de novo;1\nzero;{};Eva;1\n",
        cpf(1),
        cpf(2),
        cpf(3),
        cpf(4),
        cpf(4),
        cpf(5)
    );
    let done = import_file(&world, &me, ImportKind::Members, &text).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!(counts(&done), [3, 0, 0, 3], "{found:?}");
    assert_eq!(found[0].0, 4, "a code for two: {found:?}");
    assert!(found[1].2.contains("repete o registro da linha 5"), "{found:?}");
    assert_eq!((found[2].0, found[2].1.as_str()), (7, "Matrícula"));
    assert_eq!(count(&world, "SELECT code AS n FROM people WHERE name = 'Bia'").await, 701);
    assert_eq!(
        count(&world, "SELECT code AS n FROM people WHERE name = 'Dora'").await,
        702,
        "counted on behind them"
    );
    undo(&world, &me, &done).await;
    let again = import_file(
        &world,
        &me,
        ImportKind::Members,
        &format!("Matrícula;CPF;Nome;Loja\n700;{};Ana;1\n", cpf(1)),
    )
    .await;
    assert!(problems(&world, &me, &again).await[0].2.contains("não volta a ser usado"));
}

#[both_engines]
async fn an_import_goes_on_where_another_process_was_cut_off(world: World) {
    let me = by(&world.administrator);
    let (text, faults) = sheet(1500);
    let import = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    import::start_import(world.app(), &me, import.code, false, IdempotentWrite::without_key()).await.unwrap();
    let (app, here, code) = (world.app().clone(), world.here, import.code);
    let (send, mut told) = tokio::sync::mpsc::unbounded_channel();
    let first = tokio::spawn(async move {
        import::run_import(&app, here, code, &mut |import| {
            let _ = send.send(import.position);
        })
        .await
    });
    let seen = told.recv().await.unwrap();
    first.abort();
    let _ = first.await;
    assert!(seen > 0);
    let waiting = import::run_import(world.app(), here, code, &mut |_| {}).await.unwrap();
    assert!(waiting.is_none(), "it is still held");
    world.clock.pass(Duration::from_secs(31));
    let done = run(&world, &me, &import).await;
    let faults = i64::from(faults);
    assert_eq!(
        (done.state, counts(&done)),
        (ImportState::Done, [1500 - faults, 0, 0, faults]),
        "nothing is done twice"
    );
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM people").await, 1500 - faults);
}

#[both_engines]
async fn eight_at_once_start_one_import_and_it_runs_once(world: World) {
    let me = by(&world.administrator);
    let (text, faults) = sheet(600);
    let import = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    let code = import.code;
    let started = eight_at_once(|_| {
        let (app, me, here) = (world.app().clone(), me.clone(), world.here);
        async move {
            // One who comes late finds it done.
            let _ = import::start_import(&app, &me, code, false, IdempotentWrite::without_key()).await;
            import::run_import(&app, here, code, &mut |_| {}).await
        }
    })
    .await;
    let worked = started.into_iter().filter_map(Result::unwrap).count();
    assert_eq!(worked, 1);
    let done = import::load_import(world.app(), &me, code).await.unwrap();
    assert_eq!(counts(&done), [600 - i64::from(faults), 0, 0, i64::from(faults)]);
}

#[both_engines]
async fn an_import_is_paused_and_resumed(world: World) {
    let me = by(&world.administrator);
    let import = receive(&world, &me, ImportKind::Members, &sheet(50).0).await.unwrap();
    import::start_import(world.app(), &me, import.code, false, IdempotentWrite::without_key()).await.unwrap();
    let paused = import::pause_import(world.app(), &me, import.code, IdempotentWrite::without_key())
        .await
        .unwrap()
        .into_fresh()
        .unwrap();
    assert_eq!(paused.state, ImportState::Paused);
    assert_eq!(run(&world, &me, &import).await.state, ImportState::Paused, "nobody works on it");
    import::resume_import(world.app(), &me, import.code, IdempotentWrite::without_key()).await.unwrap();
    assert!(import::run_due_imports(world.app()).await.unwrap());
    let done = import::load_import(world.app(), &me, import.code).await.unwrap();
    assert_eq!((done.state, counts(&done)), (ImportState::Done, [50, 0, 0, 0]));
    let again =
        import::start_import(world.app(), &me, import.code, false, IdempotentWrite::without_key()).await;
    assert!(matches!(again, Err(app::Error::Refused(_))), "once is enough");
}

#[both_engines]
async fn an_operator_imports_into_his_branches_and_sees_his_own_imports(world: World) {
    let (operator, stranger) = (by(&world.operator), by(&world.stranger));
    import_file(
        &world,
        &by(&world.administrator),
        ImportKind::Members,
        &format!("CPF;Nome;Loja\n{};Ana;1\n", cpf(1)),
    )
    .await;
    let text = format!(
        "CPF;Nome;Loja\n{};Ana Outra;\n{};Bia;Filial Norte\n{};Cida;1\n{};Dora;\n",
        cpf(1),
        cpf(2),
        cpf(3),
        cpf(4)
    );
    let done = import_file(&world, &operator, ImportKind::Members, &text).await;
    let found = problems(&world, &operator, &done).await;
    assert_eq!(counts(&done), [2, 0, 0, 2], "{found:?}");
    assert_eq!(
        (found[0].0, found[1].0, found[1].1.as_str()),
        (2, 4, "Loja"),
        "of another branch, into another branch"
    );
    let (mine, total) = import::list_imports(world.app(), &operator, (10, 0)).await.unwrap();
    assert_eq!((mine.len(), total, mine[0].code), (1, 1, done.code));
    assert!(
        import::load_import(world.app(), &stranger, done.code).await.is_err(),
        "another tenant's do not exist"
    );
    assert_eq!(import::list_imports(world.app(), &by(&world.administrator), (10, 0)).await.unwrap().1, 2);
    for kind in [ImportKind::Plans, ImportKind::Sellers] {
        let refused = receive(&world, &operator, kind, "Nome\nX\n").await;
        assert!(matches!(refused, Err(app::Error::Forbidden)), "for administrators");
    }
    let there = receive(&world, &stranger, ImportKind::Members, &format!("CPF;Nome\n{};Zoe\n", cpf(9)))
        .await
        .unwrap();
    assert_eq!(there.user, Some(world.stranger.code));
    assert!(
        import::load_import(world.app(), &operator, there.code).await.is_err() || there.code == done.code
    );
}

#[both_engines]
async fn those_who_are_new_go_to_the_branch_that_was_chosen_where_their_line_names_none(world: World) {
    let me = by(&world.administrator);
    import_file(&world, &me, ImportKind::Members, &format!("CPF;Nome;Loja\n{};Ana;1\n", cpf(1))).await;
    let to = |branch: FieldPatch<i32>| {
        let branch = match branch {
            FieldPatch::Set(code) => FieldPatch::Set(BranchCode::new(code)),
            FieldPatch::Clear => FieldPatch::Clear,
            FieldPatch::Keep => FieldPatch::Keep,
        };
        ColumnMapping { columns: Vec::new(), branch }
    };
    let text = format!("CPF;Nome;Loja\n{};Ana Maria;\n{};Bia;\n{};Cida;1\n", cpf(1), cpf(2), cpf(3));
    let received = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    let map = async |by, branch| {
        import::map_import_columns(world.app(), by, received.code, to(branch), IdempotentWrite::without_key())
            .await
    };
    let refused = map(&me, FieldPatch::Set(99)).await;
    assert!(matches!(refused, Err(app::Error::Refused(_))), "no such branch");
    map(&me, FieldPatch::Set(2)).await.unwrap();
    assert_eq!(
        map(&me, FieldPatch::Keep).await.unwrap().into_fresh().unwrap().branch,
        Some(BranchCode::new(2))
    );
    import::start_dry_run(world.app(), &me, received.code, IdempotentWrite::without_key()).await.unwrap();
    assert_eq!(counts(&run(&world, &me, &received).await), [2, 1, 0, 0]);
    import::start_import(world.app(), &me, received.code, false, IdempotentWrite::without_key())
        .await
        .unwrap();
    assert_eq!(counts(&run(&world, &me, &received).await), [2, 1, 0, 0]);
    for (document, branch) in [(1, 1), (2, 2), (3, 1)] {
        let document = domain::Document::parse(&cpf(document)).unwrap();
        let found = storage::members::find_person_by_document(world.db(), me.scope.tenant(), &document);
        assert_eq!(found.await.unwrap().unwrap().1.branch, BranchCode::new(branch), "of {document:?}");
    }
    let leads = format!("Nome;CPF\nDora;{}\n", cpf(4));
    let leads = receive(&world, &me, ImportKind::Leads, &leads).await.unwrap();
    import::map_import_columns(
        world.app(),
        &me,
        leads.code,
        to(FieldPatch::Set(2)),
        IdempotentWrite::without_key(),
    )
    .await
    .unwrap();
    import::start_import(world.app(), &me, leads.code, false, IdempotentWrite::without_key()).await.unwrap();
    assert_eq!(counts(&run(&world, &me, &leads).await), [1, 0, 0, 0]);
    assert_eq!(count(&world, "SELECT branch AS n FROM leads").await, 2);
}

#[both_engines]
async fn columns_are_mapped_by_hand_and_remembered(world: World) {
    let me = by(&world.administrator);
    let text = format!("Doc;Quem;Onde\n{};Ana;1\n", cpf(1));
    let import = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    assert_eq!(import.mapping, ["", "", ""]);
    let refused =
        import::start_import(world.app(), &me, import.code, false, IdempotentWrite::without_key()).await;
    let Err(app::Error::Refused(problems)) = refused else { panic!("nothing is mapped") };
    assert_eq!(
        wire::refusal::render_rejections(&problems),
        "colunas: diga que coluna do arquivo traz CPF ou CNPJ e Nome."
    );
    let pairs = |pairs: &[(&str, &str)]| ColumnMapping {
        columns: pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        branch: FieldPatch::Keep,
    };
    let wrong = pairs(&[("Doc", "cpfCnpj"), ("Quem", "cpfCnpj"), ("Outra", "email"), ("Onde", "lugar")]);
    let refused =
        import::map_import_columns(world.app(), &me, import.code, wrong, IdempotentWrite::without_key())
            .await;
    let Err(app::Error::Refused(problems)) = refused else { panic!("wrong") };
    assert_eq!(problems.len(), 3, "{problems:?}");
    let right = pairs(&[("doc", "cpfCnpj"), ("Quem", "nomePessoa"), ("Onde", "codLoja")]);
    import::map_import_columns(world.app(), &me, import.code, right, IdempotentWrite::without_key())
        .await
        .unwrap();
    let next = receive(&world, &me, ImportKind::Members, &text).await.unwrap();
    assert_eq!(next.mapping, ["cpfCnpj", "nomePessoa", "codLoja"]);
    assert_eq!(
        receive(&world, &by(&world.stranger), ImportKind::Members, &text).await.unwrap().mapping,
        ["", "", ""]
    );
}
