//! The months that titles of the source charge: no charging run here charges them again.

use super::source_lists::{build_page, build_row, credits_path};
use super::{TITLES, find_holder, post, put, read, receive};
use crate::source::{Odd, Source, asked, run};
use crate::{count, served};
use domain::TenantId;
use mirror::{MirrorOptions, MirrorRunReport};
use serde_json::json;
use storage::{WriteLane, sql};
use testkit::{Server, World, books, both_engines};

const DECEMBER: &str = "SELECT COUNT(*) AS count FROM charged_months WHERE tenant = $1 AND month = '2026-12'";

#[both_engines]
async fn a_title_that_was_settled_before_it_was_seen_charges_its_month(world: World) {
    let source = Source::demo(&world, 10).await;
    let (person, benefit) = find_holder(&source).await;
    let (server, token) = (&source.server, &source.token);
    let report = run(&world, &asked(&source.address())).await.unwrap();
    let (mirrored, here) = served(&world, &report).await;
    let tenant = report.mirror.tenant;
    let before = count(&world, DECEMBER, tenant).await;
    let monthly = json!({"codBeneficio": benefit, "codPessoa": person, "codTipoTitulo": 1, "valor": 150.55,
        "vencimento": "2026-12-10"});
    let title = post(server, token, TITLES, monthly).await["codTitulo"].as_i64().unwrap();
    receive(server, token, title, 150.55).await;
    let report = run(&world, &asked(&source.address())).await.unwrap();
    assert_eq!(report.written, 1, "{report:?}");
    assert_eq!(count(&world, DECEMBER, tenant).await, before + 1);
    let shown = read(&mirrored, &here, &format!("{TITLES}/{title}")).await;
    assert_eq!((&shown["situacao"], &shown["valor"]), (&json!("LIQUIDADO"), &json!(150.55)));
    let cash = "SELECT COUNT(*) AS count FROM ledger_accounts WHERE tenant = $1 AND kind = 2";
    assert_eq!(count(&world, cash, tenant).await, 0, "no money came here");
    books::check(world.db(), tenant, "settled before").await;
    assert_eq!(run(&world, &asked(&source.address())).await.unwrap().written, 0);
}

#[both_engines]
async fn a_type_that_no_charging_rule_uses_is_told_until_one_does(world: World) {
    let odd = Odd::start().await;
    let fields = json!({"sequencialBeneficio": [10], "nomeTipoTitulo": "Contribuição"});
    odd.says(&credits_path(0), &build_page(&[build_row(900, fields)], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let (told, tenant) = (report.render(), report.mirror.tenant);
    assert!(told.contains("do tipo que a regra de cobrança usa (Mensalidade)"), "{told}");
    assert_eq!(count(&world, DECEMBER, tenant).await, 0);

    let (mirrored, here) = served(&world, &report).await;
    let title = read(&mirrored, &here, &format!("{TITLES}/900")).await;
    assert_eq!(title["nomeTipoTitulo"], "Contribuição");
    let mut rule = read(&mirrored, &here, "/gestao/regraCobranca/1").await;
    rule["codTipoTitulo"] = title["codTipoTitulo"].clone();
    put(&mirrored, &here, "/gestao/regraCobranca/1", rule).await;
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert!(report.unmatched_charging_types.is_empty(), "{report:?}");
    assert_eq!(count(&world, DECEMBER, tenant).await, 1);
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().written, 0);
}

#[both_engines]
async fn a_title_without_a_type_gets_one_of_its_own_and_charges_no_month(world: World) {
    let odd = Odd::start().await;
    let credit = build_row(900, json!({"sequencialBeneficio": [10], "codTipoTitulo": 1}));
    odd.says(&credits_path(0), &build_page(&[credit], 1));
    let debit = build_row(901, json!({"tipo": "Débito"}));
    let debits = format!("{TITLES}?tipo=D%C3%A9bito&situacao=ABERTO&inicio=0");
    odd.says(&debits, &build_page(&[debit], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let (mirrored, here) = served(&world, &report).await;
    for (title, name) in [(900, "Espelhado"), (901, "Espelhado a pagar")] {
        let shown = read(&mirrored, &here, &format!("{TITLES}/{title}")).await;
        assert_eq!(shown["nomeTipoTitulo"], name);
    }
    assert_eq!(count(&world, DECEMBER, report.mirror.tenant).await, 0);
}

/// From now on the rule here charges by titles of the type of one.
async fn adopt_type_of(world: &World, report: &MirrorRunReport, title: i32) -> (Server, String) {
    let (mirrored, here) = served(world, report).await;
    let title = read(&mirrored, &here, &format!("{TITLES}/{title}")).await;
    let mut rule = read(&mirrored, &here, "/gestao/regraCobranca/1").await;
    rule["codTipoTitulo"] = title["codTipoTitulo"].clone();
    put(&mirrored, &here, "/gestao/regraCobranca/1", rule).await;
    (mirrored, here)
}

#[both_engines]
async fn a_title_that_names_no_benefit_charges_its_month_once_a_rule_uses_its_type(world: World) {
    let odd = Odd::start().await;
    let row = build_row(900, json!({"nomeTipoTitulo": "Contribuição"}));
    odd.says(&credits_path(0), &build_page(&[row], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    assert_eq!(report.unmatched_charging_types, ["Mensalidade"]);
    assert_eq!(count(&world, DECEMBER, tenant).await, 0);

    adopt_type_of(&world, &report, 900).await;
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert!(report.unmatched_charging_types.is_empty(), "{report:?}");
    assert_eq!((report.written, count(&world, DECEMBER, tenant).await), (1, 1), "{report:?}");
    assert_eq!(run(&world, &asked(&odd.address)).await.unwrap().written, 0);
}

/// Not when it comes, nor later; one that names none is for all of its person.
#[both_engines]
async fn a_title_whose_benefits_are_all_unknown_charges_no_month(world: World) {
    let odd = Odd::start().await;
    let of_unknown = |code: i32| {
        build_row(code, json!({"nomeTipoTitulo": "Contribuição", "sequencialBeneficio": [70, 71]}))
    };
    odd.says(&credits_path(0), &build_page(&[of_unknown(900)], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let (told, tenant) = (report.render(), report.mirror.tenant);
    assert!(told.contains("titulo 900, beneficios: nenhum dos benefícios existe aqui"), "{told}");

    adopt_type_of(&world, &report, 900).await;
    odd.says(&credits_path(0), &build_page(&[of_unknown(900), of_unknown(901)], 2));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!((report.written, count(&world, DECEMBER, tenant).await), (1, 0), "{report:?}");
    assert!(report.render().contains("2 × titulo"), "{report:?}");

    let of_all = build_row(902, json!({"nomeTipoTitulo": "Contribuição"}));
    odd.says(&credits_path(0), &build_page(&[of_unknown(900), of_unknown(901), of_all], 3));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!((report.written, count(&world, DECEMBER, tenant).await), (1, 1), "{report:?}");
    books::check(world.db(), tenant, "unknown benefits").await;
}

/// Writes rows of an association directly.
async fn alter(world: &World, text: &'static str, tenant: TenantId) {
    let altered = world.db().write(WriteLane::foreground(tenant), tenant, move |tx, tenant| {
        Box::pin(async move { tx.execute(sql(text).arg(*tenant)).await })
    });
    let altered: Result<u64, storage::Error> = altered.await;
    assert_eq!(altered.unwrap(), 1, "{text}");
}

/// As an earlier release left it: the title claimed its month for all benefits of its person.
#[both_engines]
async fn a_title_of_unknown_benefits_releases_the_month_that_it_claimed_for_all(world: World) {
    let odd = Odd::start().await;
    let names = |benefits: &[i32]| {
        let fields = json!({"nomeTipoTitulo": "Contribuição", "sequencialBeneficio": benefits});
        odd.says(&credits_path(0), &build_page(&[build_row(900, fields)], 1));
    };
    names(&[70, 71]);
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    adopt_type_of(&world, &report, 900).await;
    let unmarked = "UPDATE imported_titles SET has_only_unknown_benefits = FALSE WHERE tenant = $1";
    alter(&world, unmarked, tenant).await;
    let claimed = "INSERT INTO charged_months (tenant, benefit, month, title, run, is_booklet)
         VALUES ($1, 1, '2026-12', 900, -1, FALSE)";
    alter(&world, claimed, tenant).await;
    for (benefits, months) in [(&[70, 71][..], 0), (&[70, 71][..], 0), (&[][..], 1)] {
        names(benefits);
        let report = run(&world, &asked(&odd.address)).await.unwrap();
        assert_eq!(count(&world, DECEMBER, tenant).await, months, "{benefits:?}: {report:?}");
        books::check(world.db(), tenant, "benefits are named").await;
    }
}

#[both_engines]
async fn a_title_that_was_paid_here_charges_the_month_of_a_benefit_that_comes_later(world: World) {
    let odd = Odd::start().await;
    let fields = json!({"nomeTipoTitulo": "Contribuição", "sequencialBeneficio": [70]});
    odd.says(&credits_path(0), &build_page(&[build_row(900, fields)], 1));
    let report = run(&world, &asked(&odd.address)).await.unwrap();
    let tenant = report.mirror.tenant;
    let (mirrored, here) = adopt_type_of(&world, &report, 900).await;
    receive(&mirrored, &here, 900, 100.0).await;
    run(&world, &asked(&odd.address)).await.unwrap();
    assert_eq!(count(&world, DECEMBER, tenant).await, 0);
    let members = json!({"quantidade": 2, "proximaPagina": false, "itens": [
        {"codPessoa": 1, "codBeneficio": 1, "sequencial": 10, "nomePessoa": "Ana", "cpfCnpj": "52998224725", "codLoja": 4,
         "situacao": "VIGENTE", "tipoBeneficio": "Veicular"},
        {"codPessoa": 1, "codBeneficio": 9, "sequencial": 70, "nomePessoa": "Ana", "cpfCnpj": "52998224725", "codLoja": 4,
         "situacao": "VIGENTE", "tipoBeneficio": "Veicular", "placa": "XYZ1D23"}]});
    odd.says("/ext/associado?situacaoBeneficio=Todos&pagina=1", &members.to_string());
    let whole = MirrorOptions { is_full: true, ..asked(&odd.address) };
    for _ in 0..2 {
        run(&world, &whole).await.unwrap();
        let of_later = "SELECT COUNT(*) AS count FROM charged_months WHERE tenant = $1 AND benefit = 9";
        assert_eq!(count(&world, of_later, tenant).await, 1);
        assert_eq!(count(&world, DECEMBER, tenant).await, 1, "and no other");
        books::check(world.db(), tenant, "paid here").await;
    }
}
