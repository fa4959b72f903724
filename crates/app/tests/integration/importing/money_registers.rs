//! The other registers of money in sheets, and who may bring them.

use crate::importing::money::{check, members, start};
use crate::importing::{by, count, counts, cpf, import_file, problems, receive, undo};
use domain::{ImportKind, MoneyRights};
use exchange::import::ImportCaller;
use testkit::{World, both_engines};

/// A sheet of each register; what is created, what is there from the beginning, and what is refused.
const SHEETS: &[(ImportKind, &str, [i64; 3])] = &[
    (ImportKind::ProtectionGroups, "Grupo;Ativo\nGrupo de motos;sim\nGrupo geral;\n;sim\n", [1, 1, 1]),
    (
        ImportKind::ChargeItems,
        "Item;Tipo;Natureza\nCarro reserva;Adicional;I\nVidros;adicional;Indenizações e despesas de eventos\n\
         Brinde;Brinde;I\nRateio;;\nTaxa de vistoria;Adicional;\n",
        [2, 1, 2],
    ),
    (
        ImportKind::LateChargeRules,
        "Nome;Multa;Juros;Multa e juros não pagos\nSem multa;0;1%;É dispensada\nFração;0,02;1%;\nTudo;101%;1;\n",
        [1, 0, 2],
    ),
    (
        ImportKind::TitleTypes,
        "Nome;Lançamento;Item de cobrança;Multa e juros\n\
         Segunda via;Crédito;Taxa de administração;Multa de 2% e juros de 1% ao mês\nOutro;Crédito;Nada;\n\
         Mais um;CREDITO;;\n",
        [1, 0, 2],
    ),
    (ImportKind::PaymentForms, "Nome;Ativo\nDesconto em folha;sim\nBoleto;sim\n", [1, 1, 0]),
    (
        ImportKind::MoneyAccounts,
        "Nome;Tipo;Banco;Agência;Conta;Grupo\nConta da folha;Banco;Sicoob;3171-2;12345-6;Grupo geral\n\
         Caixa da filial;Caixa;;;;\nCofre;Cofre;;;;\n",
        [2, 0, 1],
    ),
    (
        ImportKind::SettlementTypes,
        "Nome;Conta\nDepósito;Conta bancária\nPix;2\nCheque;Cofre velho\n",
        [1, 1, 1],
    ),
    (
        ImportKind::BankHolidays,
        "Feriado;Data\nAniversário da cidade;25/01/2027\nNenhum;31/02/2027\nDe novo;25/01/2027\n",
        [1, 0, 2],
    ),
    (
        ImportKind::Discounts,
        "Nome;Percentual;Valor;Incide sobre;Plano\nIndicação;10%;;III;\nFuncionário;;15,00;;Proteção Ouro\n\
         Os dois;10%;5,00;;\nNenhum dos dois;;;;\n",
        [2, 0, 2],
    ),
];

#[both_engines]
async fn every_register_of_money_comes_twice_and_goes_again(world: World) {
    let me = by(&world.administrator);
    for (kind, text, [created, same, refused]) in SHEETS {
        let checked = check(&world, &me, *kind, text).await;
        let tried = problems(&world, &me, &checked).await;
        assert_eq!(counts(&checked), [*created, 0, *same, *refused], "{kind:?} {tried:?}");
        let done = start(&world, &me, &checked).await;
        let found = problems(&world, &me, &done).await;
        assert_eq!(counts(&done), counts(&checked), "{kind:?} {found:?}");
        assert_eq!(found, tried, "{kind:?}");
        let again = import_file(&world, &me, *kind, text).await;
        assert_eq!(counts(&again), [0, 0, created + same, *refused], "{kind:?}");
        let undone = undo(&world, &me, &done).await;
        assert_eq!((undone.counts.removed, undone.counts.kept), (*created, 0), "{kind:?}");
    }
    let stored = "SELECT COUNT(*) AS n FROM discounts";
    assert_eq!(count(&world, stored).await, 0);
}

#[both_engines]
async fn cells_become_the_values_of_the_register(world: World) {
    let me = by(&world.administrator);
    for (kind, text, _) in SHEETS {
        import_file(&world, &me, *kind, text).await;
    }
    for text in [
        "SELECT COUNT(*) AS n FROM charge_items WHERE name = 'Carro reserva' AND kind = 3 AND nature = 1",
        "SELECT COUNT(*) AS n FROM charge_items WHERE name = 'Vidros' AND kind = 3 AND nature = 1",
        "SELECT COUNT(*) AS n FROM late_charge_rules WHERE name = 'Sem multa' AND fine = 0
         AND monthly_interest = 100 AND shortfall = 2",
        "SELECT COUNT(*) AS n FROM title_types WHERE name = 'Segunda via' AND launch_kind = 1 AND charge_item = 1
         AND late_charge_rule = 1",
        "SELECT COUNT(*) AS n FROM money_accounts WHERE name = 'Conta da folha' AND kind = 1 AND bank = 'Sicoob'
         AND agency = '3171-2' AND account_number = '12345-6' AND protection_group = 1",
        "SELECT COUNT(*) AS n FROM settlement_types WHERE name = 'Depósito' AND money_account = 2",
        "SELECT COUNT(*) AS n FROM bank_holidays WHERE name = 'Aniversário da cidade' AND day = '2027-01-25'",
        "SELECT COUNT(*) AS n FROM discounts WHERE name = 'Indicação' AND percentage = 1000 AND amount IS NULL
         AND nature = 3",
        "SELECT COUNT(*) AS n FROM discounts WHERE name = 'Funcionário' AND amount = 1500 AND plan = 1",
    ] {
        assert_eq!(count(&world, text).await, 1, "{text}");
    }
}

#[both_engines]
async fn what_is_in_use_stays_when_its_import_is_undone(world: World) {
    let me = by(&world.administrator);
    let accounts = "Nome;Tipo\nConta nova;Banco\n";
    let accounts = import_file(&world, &me, ImportKind::MoneyAccounts, accounts).await;
    let balance = "Conta;Saldo\nConta nova;10,00\n";
    let balance = import_file(&world, &me, ImportKind::OpeningBalances, balance).await;
    let found = problems(&world, &me, &balance).await;
    assert_eq!(counts(&balance), [1, 0, 0, 0], "{found:?}");
    let groups = import_file(&world, &me, ImportKind::ProtectionGroups, "Grupo;Ativo\nMotos;sim\n").await;
    let items = "Item;Tipo;Natureza\nTaxa extra;Adicional;III\n";
    let items = import_file(&world, &me, ImportKind::ChargeItems, items).await;
    let plans = "Plano;Tipo;Mensalidade;Grupo;Item de cobrança;Taxa de adesão\n\
         Moto;Veicular;50,00;Motos;Taxa extra;80,00\n";
    let plans = import_file(&world, &me, ImportKind::Plans, plans).await;
    let found = problems(&world, &me, &plans).await;
    assert_eq!(counts(&plans), [1, 0, 0, 0], "{found:?}");
    let stored =
        "SELECT COUNT(*) AS n FROM plans WHERE name = 'Moto' AND protection_group = 2 AND joining_fee = 8000";
    assert_eq!(count(&world, stored).await, 1);
    for (import, because) in
        [(&groups, "já tem planos"), (&items, "já tem planos"), (&accounts, "já tem lançamentos nos livros")]
    {
        let undone = undo(&world, &me, import).await;
        assert_eq!((undone.counts.removed, undone.counts.kept), (0, 1), "{because}");
        let kept = exchange::import::list_kept_rows(world.app(), &me, import.code, (0, 10)).await.unwrap();
        assert_eq!(kept[0].because, because);
    }
}

/// Accounts at two banks may have the same name.
#[both_engines]
async fn a_name_of_several_records_names_none_of_them(world: World) {
    let me = by(&world.administrator);
    let sheets: &[(&str, [i64; 4])] = &[
        (
            "Código;Nome;Tipo;Banco\n70;Conta corrente;Banco;Sicoob\n71;Conta corrente;Banco;Itaú\n",
            [2, 0, 0, 0],
        ),
        ("Nome;Tipo;Banco\nconta corrente;Banco;Bradesco\n", [0, 0, 0, 1]),
        ("Código;Nome;Tipo;Ativo\n70;Conta corrente;Banco;não\n", [0, 1, 0, 0]),
        ("Nome;Tipo;Banco\nconta corrente;Banco;Bradesco\n", [0, 1, 0, 0]),
        ("Código;Nome;Tipo;Ativo\n71;Conta corrente;Banco;não\n", [0, 1, 0, 0]),
        ("Nome;Tipo;Ativo\nConta corrente;Banco;sim\n", [0, 0, 0, 1]),
        ("Nome;Tipo;Banco\nConta corrente;Banco;Nubank\n", [1, 0, 0, 0]),
    ];
    for (text, expected) in sheets {
        let checked = check(&world, &me, ImportKind::MoneyAccounts, text).await;
        assert_eq!(counts(&checked), *expected, "{text}");
        let done = start(&world, &me, &checked).await;
        let found = problems(&world, &me, &done).await;
        assert_eq!(counts(&done), *expected, "{text} {found:?}");
        assert!(found.iter().all(|(.., problem)| problem.contains("pelo código")), "{found:?}");
    }
    for stored in [
        "SELECT COUNT(*) AS n FROM money_accounts WHERE code = 70 AND bank = 'Sicoob' AND NOT active",
        "SELECT COUNT(*) AS n FROM money_accounts WHERE code = 71 AND bank = 'Bradesco' AND NOT active",
        "SELECT COUNT(*) AS n FROM money_accounts WHERE bank = 'Nubank' AND active",
    ] {
        assert_eq!(count(&world, stored).await, 1, "{stored}");
    }
    // The only one that is out of use is meant where the sheet says whether it is in use.
    for (text, expected) in [
        ("Nome;Ativo\nCarnê;não\n", [1, 0, 0, 0]),
        ("Nome;Ativo\nCarnê;não\n", [0, 0, 1, 0]),
        ("Nome;Ativo\nCarnê;sim\n", [0, 1, 0, 0]),
    ] {
        let done = import_file(&world, &me, ImportKind::PaymentForms, text).await;
        assert_eq!(counts(&done), expected, "{text}");
    }
}

#[both_engines]
async fn due_days_follow_imported_holidays_and_their_undoing(world: World) {
    let me = by(&world.administrator);
    members(&world).await;
    let title = format!("CPF;Tipo;Valor;Vencimento\n{};Mensalidade;100,00;10/12/2026\n", cpf(1));
    assert_eq!(counts(&import_file(&world, &me, ImportKind::Titles, &title).await), [1, 0, 0, 0]);
    let on_time = "SELECT COUNT(*) AS n FROM titles WHERE effective_due_on = '2026-12-10'";
    let moved = "SELECT COUNT(*) AS n FROM titles WHERE effective_due_on = '2026-12-11'";
    let sheet = "Feriado;Data\nPadroeira;10/12/2026\n";
    let done = import_file(&world, &me, ImportKind::BankHolidays, sheet).await;
    assert_eq!((count(&world, on_time).await, count(&world, moved).await), (0, 1));
    let renamed = sheet.replace("Padroeira", "Padroeira da cidade");
    let renamed = import_file(&world, &me, ImportKind::BankHolidays, &renamed).await;
    assert_eq!(counts(&renamed), [0, 1, 0, 0], "a day has one holiday");
    assert_eq!(undo(&world, &me, &renamed).await.counts.restored, 1);
    assert_eq!(count(&world, moved).await, 1, "the day stayed a holiday");
    let other = import_file(&world, &me, ImportKind::BankHolidays, "Feriado;Data\nOutro;09/12/2026\n").await;
    assert_eq!(undo(&world, &me, &other).await.counts.removed, 1);
    assert_eq!(undo(&world, &me, &done).await.counts.kept, 1, "its name was changed, and back");
    let away = "Feriado;Data;Ativo\nPadroeira;10/12/2026;não\n";
    let away = import_file(&world, &me, ImportKind::BankHolidays, away).await;
    assert_eq!((count(&world, on_time).await, count(&world, moved).await), (1, 0));
    assert_eq!(undo(&world, &me, &away).await.counts.restored, 1);
    assert_eq!((count(&world, on_time).await, count(&world, moved).await), (0, 1), "in use again");
}

#[both_engines]
async fn registers_of_money_are_brought_by_administrators_alone(world: World) {
    let operator = ImportCaller { money_rights: MoneyRights::SEE_AND_SETTLE, ..by(&world.operator) };
    let kinds = SHEETS.iter().map(|(kind, ..)| *kind).chain([ImportKind::PlanPrices]);
    for kind in kinds {
        let refused = receive(&world, &operator, kind, "Nome;Ativo\nX;sim\n").await;
        assert!(matches!(refused, Err(app::Error::Forbidden)), "{kind:?}");
    }
    let me = by(&world.administrator);
    let import = import_file(&world, &me, ImportKind::PaymentForms, "Nome;Ativo\nCheque;sim\n").await;
    assert!(exchange::import::load_import(world.app(), &operator, import.code).await.is_err());
    let undone = exchange::import::undo_import(
        world.app(),
        &operator,
        import.code,
        app::idempotency::IdempotentWrite::without_key(),
    )
    .await;
    assert!(undone.is_err(), "of somebody who sees one branch");
}
