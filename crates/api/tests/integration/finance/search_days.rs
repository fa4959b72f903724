//! The pairs of days of `GET /ext/financeiro/titulo`, and its order.

use crate::calls::each;
use crate::finance::scene::{TITLES, managed, scene};
use serde_json::{Value, json};
use testkit::{World, both_engines};

#[both_engines]
async fn each_pair_of_days_counts_both_its_ends(world: World) {
    let calls = scene(world).await;
    for (issued, due, paid) in [
        ("2026-09-01", "2026-10-10", "2026-10-05"),
        ("2026-09-30", "2026-10-20", "2026-11-01"),
        ("2026-10-01", "2026-10-09", "2026-11-14"),
    ] {
        let one = calls.issue(json!({"dataEmissao": issued, "vencimento": due})).await;
        let paid = json!({"valorPago": 1, "codTipoLiquidacao": 1, "dataPagamento": paid});
        calls.saved(&calls.operator, &managed(&one, "/receber"), &paid).await;
    }
    // Codes 2 to 4, by due day: 4, 2, 3.
    let cases: [(&str, &str, &str, &[i32]); 12] = [
        ("dataEmissao", "01/09/2026", "30/09/2026", &[2, 3]),
        ("dataEmissao", "02/09/2026", "", &[4, 3]),
        ("dataEmissao", "", "01/09/2026", &[2]),
        ("dataVencimento", "09/10/2026", "10/10/2026", &[4, 2]),
        ("dataVencimento", "10/10/2026", "", &[2, 3]),
        ("dataVencimento", "", "19/10/2026", &[4, 2]),
        ("dataVencimento", "21/10/2026", "31/10/2026", &[]),
        ("dataLiquidacao", "05/10/2026", "01/11/2026", &[2, 3]),
        ("dataLiquidacao", "02/11/2026", "", &[4]),
        ("dataLiquidacao", "", "31/10/2026", &[2]),
        ("dataLiquidacao", "14/11/2026", "14/11/2026", &[4]),
        ("dataLiquidacao", "14/11/2026", "13/11/2026", &[]),
    ];
    for keyed in [false, true] {
        for (what, from, to, wanted) in cases {
            let names = [format!("{what}Inicial"), format!("{what}Final")];
            let mut query: Vec<(&str, &str)> = vec![(&names[0], from), (&names[1], to)];
            query.retain(|(_, value)| !value.is_empty());
            if keyed {
                query.push(("codPessoa", "1"));
            }
            let found = each(&calls.titles(&query).await, "codTitulo");
            assert_eq!(found, wanted.iter().map(|code| json!(code)).collect::<Vec<_>>(), "{query:?}");
        }
    }
    // All pairs together.
    let all = [
        ("dataEmissaoInicial", "01/09/2026"),
        ("dataEmissaoFinal", "30/09/2026"),
        ("dataVencimentoInicial", "10/10/2026"),
        ("dataVencimentoFinal", "20/10/2026"),
        ("dataLiquidacaoInicial", "06/10/2026"),
        ("dataLiquidacaoFinal", "01/11/2026"),
    ];
    assert_eq!(each(&calls.titles(&all).await, "codTitulo"), [json!(3)]);
}

#[both_engines]
async fn an_impossible_day_is_the_last_of_its_month(world: World) {
    let calls = scene(world).await;
    for due in ["2026-02-28", "2026-03-01", "2026-04-30", "2026-05-01"] {
        calls.issue(json!({"dataEmissao": "2026-01-02", "vencimento": due})).await;
    }
    let found = async |from: &str, to: &str| {
        let query = [("dataVencimentoInicial", from), ("dataVencimentoFinal", to)];
        each(&calls.titles(&query).await, "dataVencimento")
    };
    for last in ["28/02/2026", "29/02/2026", "30/02/2026", "31/02/2026"] {
        assert_eq!(found("01/02/2026", last).await, ["28/02/2026"], "{last}");
        assert_eq!(found(last, last).await, ["28/02/2026"], "{last}");
    }
    assert_eq!(found("01/04/2026", "31/04/2026").await, ["30/04/2026"]);
    assert_eq!(found("31/04/2026", "01/05/2026").await, ["30/04/2026", "01/05/2026"]);
    assert_eq!(found("30/02/2028", "30/02/2029").await, Vec::<Value>::new());
    for what in ["dataEmissao", "dataVencimento", "dataLiquidacao"] {
        for end in ["Inicial", "Final"] {
            let name = format!("{what}{end}");
            let answer =
                calls.get(&calls.operator, TITLES, &[("tipo", "Crédito"), (&name, "30/02/2026")]).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            for bad in ["32/01/2026", "00/01/2026", "10/13/2026", "ontem"] {
                let refused = calls.get(&calls.operator, TITLES, &[("tipo", "Crédito"), (&name, bad)]).await;
                assert!(refused.refuses(400).starts_with(&format!("{name}: ")), "{refused:?}");
            }
        }
    }
}

#[both_engines]
async fn titles_come_by_due_day_and_then_by_code(world: World) {
    let calls = scene(world).await;
    for due in ["2027-01-10", "2026-12-10", "2027-01-10", "2026-11-30", "2026-12-10"] {
        calls.issue(json!({"vencimento": due})).await;
    }
    let settled = calls.issue(json!({"vencimento": "2026-12-01"})).await;
    calls.settle(&settled, 101.20).await;
    assert_eq!(each(&calls.titles(&[]).await, "codTitulo"), [5, 7, 3, 6, 2, 4]);
    // A title whose due day moved is found by the new one.
    let moved = json!({"vencimento": "2026-11-20", "motivo": "pedido"});
    let reply = calls.put(&calls.operator, "/gestao/financeiro/titulo/4/vencimento", &moved).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(each(&calls.titles(&[]).await, "codTitulo"), [4, 5, 7, 3, 6, 2]);
}
