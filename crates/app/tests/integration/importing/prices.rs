//! Price tables of sheets: two rows never decide one price, neither of one sheet nor of a sheet and the table.

use crate::importing::money::{check, start};
use crate::importing::{by, count, counts, import_file, lose_process_of, problems, receive, run, undo};
use domain::{ImportKind, ImportState};
use exchange::import::{self, ImportCaller};
use testkit::{World, both_engines};

const TABLE: &str = "Plano;Vigência;Loja;Tipo de veículo;Faixa de valor;Até;Mensalidade\n\
     Proteção Ouro;01/12/2026;;;0,00;20.000,00;R$ 99,90\n\
     proteção ouro;01/12/2026;;;20.000,01 a 30.000,00;;1.129,90\n\
     1;01/12/2026;Filial Norte;;;20000;89.90\n\
     Proteção Prata;2026-12-01;2;Automóvel de passeio;;;75\n";

const ALL: &str = "SELECT COUNT(*) AS n FROM plan_prices WHERE tenant = 1";

#[both_engines]
async fn a_price_table_comes_once_however_often_it_is_sent_and_goes_again(world: World) {
    let me = by(&world.administrator);
    let checked = check(&world, &me, ImportKind::PlanPrices, TABLE).await;
    let found = problems(&world, &me, &checked).await;
    assert_eq!(counts(&checked), [4, 0, 0, 0], "{found:?}");
    assert_eq!(count(&world, ALL).await, 0, "a dry run writes nothing");
    let done = start(&world, &me, &checked).await;
    assert_eq!(counts(&done), [4, 0, 0, 0], "as the dry run said");
    for text in [
        "SELECT COUNT(*) AS n FROM plan_prices WHERE plan = 1 AND branch IS NULL AND valid_from = '2026-12-01'
         AND value_from = 0 AND value_until = 2000000 AND price = 9990",
        "SELECT COUNT(*) AS n FROM plan_prices WHERE plan = 1 AND branch IS NULL AND vehicle_type IS NULL
         AND value_from = 2000001 AND value_until = 3000000 AND price = 112990",
        "SELECT COUNT(*) AS n FROM plan_prices WHERE plan = 1 AND branch = 2 AND value_from IS NULL
         AND value_until = 2000000 AND price = 8990",
        "SELECT COUNT(*) AS n FROM plan_prices WHERE plan = 6 AND branch = 2 AND vehicle_type = 1
         AND value_from IS NULL AND value_until IS NULL AND price = 7500",
    ] {
        assert_eq!(count(&world, text).await, 1, "{text}");
    }
    let again = import_file(&world, &me, ImportKind::PlanPrices, TABLE).await;
    assert_eq!(counts(&again), [0, 0, 4, 0], "each once");
    let undone = undo(&world, &me, &done).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (4, 0));
    assert_eq!(count(&world, ALL).await, 0);

    let anew = import_file(&world, &me, ImportKind::PlanPrices, TABLE).await;
    assert_eq!(counts(&anew), [4, 0, 0, 0], "what was taken back may come again");
    let raised = TABLE.replace("R$ 99,90", "R$ 109,90");
    let changed = import_file(&world, &me, ImportKind::PlanPrices, &raised).await;
    assert_eq!(counts(&changed), [0, 1, 3, 0]);
    let raised = "SELECT COUNT(*) AS n FROM plan_prices WHERE price = 10990";
    assert_eq!(count(&world, raised).await, 1);
    assert_eq!(undo(&world, &me, &changed).await.counts.restored, 1);
    assert_eq!(count(&world, raised).await, 0);
    let undone = undo(&world, &me, &anew).await;
    assert_eq!((undone.counts.removed, undone.counts.kept), (3, 1), "one was changed since");
}

/// Their stores and bands are those that are stored.
#[both_engines]
async fn prices_that_change_by_their_code_alone_do_not_overlap(world: World) {
    let me = by(&world.administrator);
    let table = "Código;Plano;Vale desde;De;Até;Preço\n7;1;01/12/2026;;20.000,00;80,00\n\
         8;1;01/12/2026;20.000,01;;90,00\n";
    assert_eq!(counts(&import_file(&world, &me, ImportKind::PlanPrices, table).await), [2, 0, 0, 0]);
    let raised = "Código;Plano;Vale desde;Preço\n7;1;01/12/2026;85,00\n8;1;01/12/2026;95,00\n";
    let changed = import_file(&world, &me, ImportKind::PlanPrices, raised).await;
    let found = problems(&world, &me, &changed).await;
    assert_eq!(counts(&changed), [0, 2, 0, 0], "{found:?}");
    let stored = "SELECT COUNT(*) AS n FROM plan_prices WHERE code IN (7, 8) AND price IN (8500, 9500)";
    assert_eq!(count(&world, stored).await, 2);
}

#[both_engines]
async fn a_bad_price_is_told_by_its_line_and_column(world: World) {
    let me = by(&world.administrator);
    let columns = ["Código", "Plano", "Loja", "Tipo de veículo", "De", "Até", "Preço", "Ativo", "Vale desde"];
    let valid = ["", "Proteção Ouro", "Matriz", "1", "10.000,00", "20.000,00", "100,00", "sim"];
    let rows: &[(&str, &str, &str)] = &[
        ("Código", "0", "de 1 a 1999999999"),
        ("Plano", "", ""),
        ("Plano", "Proteção Platina", "não é um plano em uso"),
        ("Plano", "Proteção Antiga", "não é um plano em uso"),
        ("Plano", "31337", ""),
        ("Loja", "Matriz Ali", "não é uma loja em uso"),
        ("Tipo de veículo", "Carroça", "não é um tipo de veículo em uso"),
        ("De", "dez mil", ""),
        ("Até", "5.000,00", ""),
        ("Preço", "", ""),
        ("Preço", "grátis", ""),
        ("Preço", "-1,00", ""),
        ("Ativo", "talvez", "sim ou não"),
    ];
    let mut text = columns.join(";");
    // Each of another day, so that none is the same price.
    for (day, &(column, cell, _)) in (2..).zip(rows) {
        let at = columns.iter().position(|one| *one == column).unwrap();
        let mut line = valid;
        line[at] = cell;
        text = format!("{text}\n{};{day:02}/12/2026", line.join(";"));
    }
    text = format!("{text}\n{};31/02/2026\n{};31/12/2026\n", valid.join(";"), valid.join(";"));
    let checked = check(&world, &me, ImportKind::PlanPrices, &text).await;
    let tried = problems(&world, &me, &checked).await;
    let done = start(&world, &me, &checked).await;
    let found = problems(&world, &me, &done).await;
    let bad = i64::try_from(rows.len()).unwrap() + 1;
    assert_eq!(counts(&done), [1, 0, 0, bad], "{found:?}");
    assert_eq!(counts(&checked), counts(&done), "the dry run equals the run");
    assert_eq!(tried, found, "both say the same");
    let bad_day = ("Vale desde", "31/02/2026", "");
    for (line, (column, _, sentence)) in (2..).zip(rows.iter().chain([&bad_day])) {
        let told: Vec<_> = found.iter().filter(|one| one.0 == line).collect();
        let is_told = told.len() == 1 && told[0].1 == *column && told[0].2.contains(sentence);
        assert!(is_told, "{line} {column} {sentence}: {told:?}");
    }
    assert_eq!(count(&world, ALL).await, 1, "only the good line");
}

#[both_engines]
async fn no_two_prices_of_a_sheet_and_of_the_table_decide_the_same(world: World) {
    let me = by(&world.administrator);
    let head = "Plano;Vale desde;De;Até;Preço;Ativo\n";
    let text = format!(
        "{head}1;01/12/2026;0;20.000,00;100;\n1;01/12/2026;20.000,00;30.000,00;120;\n1;01/12/2026;;;90;\n\
         1;01/12/2026;25.000,00;;130;\n1;01/12/2026;0;20.000,00;101;\n1;01/12/2026;18.000,00;19.000,00;1;não\n"
    );
    let checked = check(&world, &me, ImportKind::PlanPrices, &text).await;
    let tried = problems(&world, &me, &checked).await;
    let done = start(&world, &me, &checked).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!((counts(&checked), counts(&done)), ([4, 0, 0, 2], [4, 0, 0, 2]), "{found:?}");
    assert_eq!(tried, found);
    assert_eq!((found[0].0, found[0].1.as_str()), (3, "De"));
    assert!(found[0].2.contains("da linha 2") && found[0].2.contains("pontas"), "{found:?}");
    assert!(found[1].0 == 6 && found[1].2.contains("repete o registro da linha 2"), "{found:?}");

    let other = format!("{head}1;01/12/2026;19.999,99;20.000,00;1;\n1;02/12/2026;0;20.000,00;1;\n");
    let other = import_file(&world, &me, ImportKind::PlanPrices, &other).await;
    let found = problems(&world, &me, &other).await;
    assert_eq!(counts(&other), [1, 0, 0, 1]);
    assert_eq!((found[0].0, found[0].1.as_str()), (2, "De"), "as the interface refuses it");
    assert!(found[0].2.contains("já vale para os mesmos casos"), "{found:?}");

    // A price out of use gives way, and does not come back where another took its place.
    let retired = format!("{head}1;01/12/2026;0;20.000,00;100;não\n");
    let retired = import_file(&world, &me, ImportKind::PlanPrices, &retired).await;
    assert_eq!(counts(&retired), [0, 1, 0, 0]);
    let next = format!("{head}1;01/12/2026;10.000,00;20.000,00;110;\n");
    assert_eq!(counts(&import_file(&world, &me, ImportKind::PlanPrices, &next).await), [1, 0, 0, 0]);
    let undone = undo(&world, &me, &retired).await;
    assert_eq!((undone.counts.restored, undone.counts.kept), (0, 1));
    let kept = import::list_kept_rows(world.app(), &me, retired.code, (0, 10)).await.unwrap();
    assert!(kept[0].because.contains("já vale para os mesmos casos"), "{}", kept[0].because);
    let back = format!("{head}1;01/12/2026;0;20.000,00;100;\n");
    assert_eq!(counts(&import_file(&world, &me, ImportKind::PlanPrices, &back).await), [0, 0, 0, 1]);
}

#[both_engines]
async fn two_associations_have_prices_of_their_own_with_the_same_codes(world: World) {
    let (me, stranger) = (by(&world.administrator), ImportCaller::for_command(world.there));
    let text = "Código;Plano;Vale desde;Loja;Preço\n7;2;01/12/2026;2;50,00\n";
    let here = import_file(&world, &me, ImportKind::PlanPrices, text).await;
    let there = import_file(&world, &stranger, ImportKind::PlanPrices, &text.replace("50,00", "60,00")).await;
    assert_eq!((counts(&here), counts(&there)), ([1, 0, 0, 0], [1, 0, 0, 0]));
    let both = "SELECT COUNT(*) AS n FROM plan_prices WHERE code = 7 AND plan = 2 AND branch = 2
         AND price = CASE WHEN tenant = 1 THEN 5000 ELSE 6000 END";
    assert_eq!(count(&world, both).await, 2);
    let named = import_file(&world, &stranger, ImportKind::PlanPrices, TABLE).await;
    let found = problems(&world, &stranger, &named).await;
    assert_eq!(counts(&named), [0, 0, 0, 4], "nothing here is known there: {found:?}");
    assert_eq!(undo(&world, &me, &here).await.counts.removed, 1);
    assert_eq!(count(&world, both).await, 1, "there it stays");
    assert_eq!(
        counts(&import_file(&world, &me, ImportKind::PlanPrices, text).await),
        [0, 0, 0, 1],
        "a code that was removed does not come back"
    );
}

/// A process that dies in the middle leaves whole transactions; the next one goes on, and knows the bands of the lines
/// that are done.
#[both_engines]
async fn a_long_price_table_goes_on_where_another_process_left_it(world: World) {
    let me = by(&world.administrator);
    let mut text = "Plano;Vale desde;De;Até;Preço".to_owned();
    for number in 1..=300 {
        text = format!("{text}\n1;01/12/2026;{number}00,01;{}00,00;{number},50", number + 1);
    }
    text = format!("{text}\n1;01/12/2026;150,00;160,00;1\n");
    let received = receive(&world, &me, ImportKind::PlanPrices, &text).await.unwrap();
    lose_process_of(&world, &me, &received).await;
    let done = run(&world, &me, &received).await;
    let found = problems(&world, &me, &done).await;
    assert_eq!((done.state, counts(&done)), (ImportState::Done, [300, 0, 0, 1]), "{found:?}");
    assert!(found[0].0 == 302 && found[0].2.contains("da linha 2"), "{found:?}");
    assert_eq!(count(&world, ALL).await, 300);
}
