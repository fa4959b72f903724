//! Money without a title at the counter: received as credit, paid back, taken back. What was answered is what the books
//! must hold.

use super::accountants::{Asker, cents, reais};
use super::{HERE, asked};
use domain::finance::LedgerAccountKind;
use serde_json::{Value, json};
use storage::{Db, sql};

const CREDIT: &str = "/gestao/financeiro/credito";
/// What becomes credit each time, in cents, and how much of it is paid back.
const RECEIVED: i64 = 5_550;
const REFUNDED: i64 = 1_550;

/// Money that became credit or, below 0, was paid back, as it was answered last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredCredit {
    code: i64,
    /// In cents.
    amount: i64,
    is_reversed: bool,
}

impl AnsweredCredit {
    fn read(credit: &Value) -> AnsweredCredit {
        let amount = cents(&credit["valor"]);
        AnsweredCredit {
            code: credit["codCredito"].as_i64().unwrap(),
            amount: if credit["tipo"] == "DEVOLVIDO" { -amount } else { amount },
            is_reversed: !credit["dataEstorno"].is_null(),
        }
    }
}

/// A cancelled title is paid twice all the same: the second time must be confirmed, and was wrong. Some of the money is
/// paid back, at the second attempt.
pub async fn receive_and_refund(asker: &mut Asker, person: i64, cancelled: i64) -> [AnsweredCredit; 4] {
    let receive = format!("POST {CREDIT}");
    let mut money = json!({
        "codPessoa": person, "valor": reais(RECEIVED), "codTipoLiquidacao": 1, "codTitulo": cancelled
    });
    let received = asker.ask(&receive, &money).await;
    let refused = asker.ask_for(409, &receive, &money).await;
    assert!(refused.contains("confirmarRepetido"), "{refused}");
    money["confirmarRepetido"] = json!(true);
    let again = asker.ask(&receive, &money).await;
    let again = reverse(asker, &again).await;
    let returned = refund(asker, person, REFUNDED + 1).await;
    let returned = reverse(asker, &returned).await;
    let refunded = refund(asker, person, REFUNDED).await;
    [received, again, returned, refunded].map(|credit| AnsweredCredit::read(&credit))
}

async fn refund(asker: &mut Asker, person: i64, cents: i64) -> Value {
    let money = json!({"codPessoa": person, "valor": reais(cents), "codTipoLiquidacao": 1});
    asker.ask(&format!("POST {CREDIT}/devolver"), &money).await
}

async fn reverse(asker: &mut Asker, credit: &Value) -> Value {
    let path = format!("{CREDIT}/{}/estornar", credit["codCredito"]);
    let reversed = asker.ask(&format!("PUT {path}"), &json!({"motivo": "não chegou"})).await;
    assert_eq!(reversed["codCredito"], credit["codCredito"], "{reversed}");
    reversed
}

/// The credit of a person in cents, and the number of its movements.
pub async fn read_credit(asker: &Asker, person: i64) -> (i64, i64) {
    let shown = asker.read(&format!("{CREDIT}?codPessoa={person}")).await;
    (cents(&shown["disponivel"]), shown["quantidade"].as_i64().unwrap())
}

/// What all that was answered amounts to, in cents.
pub fn sum_in_force(credits: &[AnsweredCredit]) -> i64 {
    credits.iter().filter(|one| !one.is_reversed).map(|one| one.amount).sum()
}

/// The books hold what was answered and nothing else, each once. `others` entries left credit of titles or used it.
pub async fn check(db: &Db, person: i64, credits: &[AnsweredCredit], others: i64) {
    let stored = "SELECT c.code, c.amount, CASE WHEN r.receipt IS NULL THEN 0 ELSE 1 END AS is_reversed
         FROM credit_receipts c
         LEFT JOIN credit_receipt_reversals r ON r.tenant = c.tenant AND r.receipt = c.code
         WHERE c.tenant = $1 AND c.person = $2 ORDER BY c.code";
    let rows = asked(db, sql(stored).arg(HERE).arg(person)).await;
    let found: Vec<AnsweredCredit> = rows
        .iter()
        .map(|row| AnsweredCredit {
            code: row.get("code").unwrap(),
            amount: row.get("amount").unwrap(),
            is_reversed: row.get::<i64>("is_reversed").unwrap() == 1,
        })
        .collect();
    assert_eq!(found, credits, "credits of person {person}");
    let booked = "SELECT COUNT(*) AS n FROM ledger_lines l
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
         WHERE l.tenant = $1 AND a.kind = $2 AND a.reference = $3";
    let statement = sql(booked).arg(HERE).arg(LedgerAccountKind::MemberCredit).arg(person);
    let booked: i64 = asked(db, statement).await[0].get("n").unwrap();
    let reversals = credits.iter().filter(|one| one.is_reversed).count();
    let wanted = i64::try_from(credits.len() + reversals).unwrap() + others;
    assert_eq!(booked, wanted, "bookings of the credit of person {person}");
}
