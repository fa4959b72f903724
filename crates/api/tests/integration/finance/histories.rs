//! Random histories of two associations: after each step the books are right, what is closed has not changed, and both
//! engines hold the same rows.

use crate::calls::{Calls, array};
use crate::finance::scene::{CLOSE, MANAGED, REOPEN, SETTLE, TITLES, members};
use domain::{Clock, Date, RandomSource, TenantId, TimeZone};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use storage::{QueryWeight, sql};
use testkit::{Engine, Reply, SeededChance, World, books, both_engines, dump_table};

const STEPS: usize = 60;

/// Who owes for what, here and there; the third is of the second group.
const HOLDERS: [&[(i32, i32)]; 2] = [&[(1, 1), (1, 2), (2, 3), (3, 4)], &[(1, 1), (1, 2), (2, 3)]];

const TABLES: [&str; 15] = [
    "titles",
    "title_lines",
    "title_benefits",
    "settlements",
    "settlement_reversals",
    "credit_receipts",
    "credit_receipt_reversals",
    "ledger_accounts",
    "ledger_entries",
    "ledger_lines",
    "ledger_checkpoints",
    "period_changes",
    "field_changes",
    "pending_charges",
    "history",
];

struct History {
    calls: Calls,
    chance: SeededChance,
    /// An administrator here and one there.
    tokens: [String; 2],
    titles: [u64; 2],
    settlements: [u64; 2],
    credits: [u64; 2],
    /// The first open day, and what was booked before it when it was closed.
    closed: [Option<(String, Vec<String>)>; 2],
    steps: usize,
    /// What was done, and how often it was taken.
    taken: BTreeMap<&'static str, usize>,
    told: Vec<String>,
}

impl History {
    async fn begin(world: World, seed: u64) -> History {
        let calls = members(world).await;
        let tokens = [calls.administrator.clone(), calls.server().token("admin@ali.example").await];
        // The first association gives a discount to those who pay early.
        let rule = json!({"versao": 1, "descontoPontualidade": 7.5, "diasDesconto": 2});
        let changed = calls.put(&tokens[0], "/gestao/regraEncargos/1", &rule).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        History {
            calls,
            chance: SeededChance::new(seed),
            tokens,
            titles: [0; 2],
            settlements: [0; 2],
            credits: [0; 2],
            closed: [None, None],
            steps: 0,
            taken: BTreeMap::new(),
            told: Vec::new(),
        }
    }

    fn below(&self, end: u64) -> u64 {
        let mut bytes = [0; 8];
        self.chance.fill(&mut bytes);
        u64::from_le_bytes(bytes) % end
    }

    fn days(&self, end: u64) -> i64 {
        i64::try_from(self.below(end)).unwrap()
    }

    fn today(&self) -> Date {
        self.calls.world.clock.now().date_in(&TimeZone::parse(TimeZone::DEFAULT).unwrap())
    }

    fn tenant(&self, side: usize) -> TenantId {
        [self.calls.world.here, self.calls.world.there][side]
    }

    /// Sends it with a key, sometimes twice: the second time nothing happens any more.
    async fn send(&self, side: usize, method: &str, path: &str, body: &Value) -> Reply {
        let (bearer, key) = (format!("Bearer {}", self.tokens[side]), format!("passo {}", self.steps));
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Idempotency-Key", key.as_str()),
        ];
        let first = self.calls.server().call(method, path, &headers, &body.to_string()).await;
        if self.below(4) == 0 {
            let again = self.calls.server().call(method, path, &headers, &body.to_string()).await;
            assert_eq!((again.status, &again.body), (first.status, &first.body), "{method} {path} {body}");
        }
        first
    }

    async fn step(&mut self) {
        self.steps += 1;
        let side = usize::from(self.below(2) == 1);
        let chosen = if self.titles[side] == 0 { 0 } else { self.below(28) };
        let title = 1 + self.below(self.titles[side].max(1));
        let (name, reply) = match chosen {
            0..=5 => ("issue", self.issue(side).await),
            6..=11 => ("settle", self.settle(side, title).await),
            12 | 13 => ("reverse", self.reverse(side).await),
            14 => {
                let reason = json!({"motivo": "prova de cancelamento"});
                ("cancel", self.send(side, "PUT", &format!("{MANAGED}/{title}/cancelar"), &reason).await)
            }
            15 => ("move", self.change_due_day(side, title).await),
            16 => ("close", self.close(side).await),
            17 => ("reopen", self.reopen(side).await),
            18 => {
                let reason = json!({"motivo": "conferido"});
                ("release", self.send(side, "PUT", &format!("{MANAGED}/{title}/liberar"), &reason).await)
            }
            19 => ("pend", self.add_pending_charge(side).await),
            20..=22 => {
                let path = format!("{MANAGED}/{title}/usarCredito");
                let reply = self.send(side, "POST", &path, &json!({})).await;
                self.settlements[side] += u64::from(reply.status == 200);
                ("credit", reply)
            }
            23 | 24 => ("receive credit", self.receive_credit(side, title).await),
            25 => ("refund", self.refund_credit(side).await),
            26 => ("reverse credit", self.reverse_credit(side).await),
            _ => return self.pass_days().await,
        };
        assert!([200, 400, 409, 404].contains(&reply.status), "{name}: {reply:?}");
        *self.taken.entry(name).or_default() += usize::from(reply.status == 200);
        self.told.push(format!("{} {side} {name} {} {}", self.steps, reply.status, reply.body));
        self.check(name).await;
    }

    async fn issue(&mut self, side: usize) -> Reply {
        let holders = HOLDERS[side];
        let (person, benefit) = holders[usize::try_from(self.below(holders.len() as u64)).unwrap()];
        let issued = self.today().plus_days(-self.days(80)).unwrap();
        let due = issued.plus_days(self.days(60)).unwrap();
        let body = json!({"codPessoa": person, "codTipoTitulo": 1 + self.below(7),
            "valor": amount(4 + self.below(40_000)), "dataEmissao": issued.to_br(), "vencimento": due.to_br()});
        let is_single = self.below(3) > 0;
        let (path, more) = if is_single {
            (TITLES, json!({"codBeneficio": benefit}))
        } else {
            let waits = self.below(2) == 1;
            (
                MANAGED,
                json!({"codBeneficios": [benefit], "parcelas": 1 + self.below(4), "aguardarLiberacao": waits}),
            )
        };
        let reply = self.send(side, "POST", path, &crate::calls::with(body, more)).await;
        if reply.status == 200 {
            self.titles[side] += if is_single { 1 } else { array(&reply.json()).len() as u64 };
        }
        reply
    }

    async fn settle(&mut self, side: usize, title: u64) -> Reply {
        let path = format!("{MANAGED}/{title}");
        let now = self.calls.read(&self.tokens[side], &path, &[]).await;
        let [open, due] = ["valorAberto", "valorDevido"].map(|name| cents(&now[name]));
        let paid = match self.below(4) {
            0 => 1 + self.below(open.max(1)),
            1 => open.max(1),
            2 => due.max(1),
            _ => due + 1 + self.below(5_000),
        };
        let body = json!({"valorPago": amount(paid), "codTipoLiquidacao": 1 + self.below(5)});
        let reply = if self.below(3) == 0 {
            let body = crate::calls::with(body, json!({"codTitulo": title}));
            self.send(side, "POST", SETTLE, &body).await
        } else {
            let day = self.today().plus_days(-self.days(30)).unwrap().to_br();
            let body = crate::calls::with(body, json!({"dataPagamento": day}));
            self.send(side, "POST", &format!("{path}/receber"), &body).await
        };
        self.settlements[side] += u64::from(reply.status == 200);
        reply
    }

    async fn add_pending_charge(&self, side: usize) -> Reply {
        let (person, benefit) = HOLDERS[side][0];
        let body = json!({"codPessoa": person, "codBeneficio": benefit, "codItemCobranca": 5,
            "valor": amount(1 + self.below(9_000))});
        self.send(side, "POST", "/gestao/financeiro/lancamento", &body).await
    }

    async fn reverse(&self, side: usize) -> Reply {
        let settlement = 1 + self.below(self.settlements[side].max(1));
        let path = format!("/gestao/financeiro/liquidacao/{settlement}/estornar");
        self.send(side, "PUT", &path, &json!({"motivo": "cheque devolvido"})).await
    }

    async fn receive_credit(&mut self, side: usize, title: u64) -> Reply {
        let holders = HOLDERS[side];
        let (person, benefit) = holders[usize::try_from(self.below(holders.len() as u64)).unwrap()];
        let day = self.today().plus_days(-self.days(40)).unwrap().to_br();
        // In the person's own branch, or in one of the first two; in the group of the benefit.
        let branch = [Value::Null, json!(1), json!(2)][self.steps % 3].clone();
        let group = if benefit == 3 { 2 } else { 1 };
        let body = json!({"codPessoa": person, "valor": amount(1 + self.below(20_000)),
            "codTipoLiquidacao": 1 + self.below(5), "dataPagamento": day, "codLoja": branch, "codGrupo": group});
        let more = if self.below(3) == 0 { json!({"codTitulo": title}) } else { json!({}) };
        let body = crate::calls::with(body, more);
        let reply = self.send(side, "POST", "/gestao/financeiro/credito", &body).await;
        self.credits[side] += u64::from(reply.status == 200);
        reply
    }

    async fn refund_credit(&mut self, side: usize) -> Reply {
        let (person, _) = HOLDERS[side][0];
        let branch = [Value::Null, json!(1), json!(2)][self.steps % 3].clone();
        let body = json!({"codPessoa": person, "valor": amount(1 + self.below(9_000)), "codTipoLiquidacao": 1,
            "codLoja": branch});
        let before = self.branch_credits(side, person).await;
        let reply = self.send(side, "POST", "/gestao/financeiro/credito/devolver", &body).await;
        self.credits[side] += u64::from(reply.status == 200);
        if reply.status == 200 {
            let refund = reply.json();
            let place = (refund["codLoja"].as_i64().unwrap(), refund["codGrupo"].as_i64().unwrap());
            let came = before.get(&place).map_or(0, |credit| credit.0);
            let of_group = before.iter().filter(|(other, _)| other.1 == place.1);
            let left: i64 = of_group.map(|(_, credit)| credit.1).sum();
            let amount = i64::try_from(cents(&refund["valor"])).unwrap();
            assert!(amount <= came.min(left), "{refund} of {before:?}");
        }
        reply
    }

    /// The credit of a person by branch and group: what came to it and did not go back, and the same less what it paid.
    async fn branch_credits(&self, side: usize, person: i32) -> BTreeMap<(i64, i64), (i64, i64)> {
        let receipts =
            sql("SELECT c.branch AS branch, c.protection_group AS grp, c.amount AS came, c.amount AS amount
             FROM credit_receipts c WHERE c.tenant = $1 AND c.person = $2 AND NOT EXISTS (
                 SELECT 1 FROM credit_receipt_reversals r WHERE r.tenant = c.tenant AND r.receipt = c.code)");
        let payments = sql("SELECT t.branch AS branch, t.protection_group AS grp, s.credit AS came,
                 CASE WHEN s.money_account IS NULL THEN -s.total ELSE s.credit END AS amount
             FROM titles t JOIN settlements s ON s.tenant = t.tenant AND s.title = t.code
             WHERE t.tenant = $1 AND t.person = $2 AND NOT EXISTS (
                 SELECT 1 FROM settlement_reversals r WHERE r.tenant = s.tenant AND r.settlement = s.code)");
        let mut credits: BTreeMap<(i64, i64), (i64, i64)> = BTreeMap::new();
        for query in [receipts, payments] {
            let query = query.arg(self.tenant(side)).arg(i64::from(person));
            for row in self.calls.world.db().query(QueryWeight::Search, query).await.unwrap() {
                let place: (i64, i64) = (row.get("branch").unwrap(), row.get("grp").unwrap());
                let [came, amount]: [i64; 2] = ["came", "amount"].map(|name| row.get(name).unwrap());
                let credit = credits.entry(place).or_default();
                *credit = (credit.0 + came, credit.1 + amount);
            }
        }
        credits
    }

    async fn reverse_credit(&self, side: usize) -> Reply {
        let credit = 1 + self.below(self.credits[side].max(1));
        let path = format!("/gestao/financeiro/credito/{credit}/estornar");
        self.send(side, "PUT", &path, &json!({"motivo": "engano"})).await
    }

    async fn change_due_day(&self, side: usize, title: u64) -> Reply {
        let day = self.today().plus_days(self.days(90) - 45).unwrap().to_br();
        let body = json!({"vencimento": day, "motivo": "pedido"});
        self.send(side, "PUT", &format!("{MANAGED}/{title}/vencimento"), &body).await
    }

    async fn close(&mut self, side: usize) -> Reply {
        let day = self.today().plus_days(-31 * self.days(4)).unwrap();
        let body = json!({"mes": format!("{:02}/{}", day.month(), day.year())});
        let reply = self.send(side, "POST", CLOSE, &body).await;
        self.keep(side, &reply).await;
        reply
    }

    async fn reopen(&mut self, side: usize) -> Reply {
        let reply = self.send(side, "POST", REOPEN, &json!({"motivo": "faltou uma nota"})).await;
        self.keep(side, &reply).await;
        reply
    }

    /// Remembers what is booked in the months that are closed now.
    async fn keep(&mut self, side: usize, reply: &Reply) {
        if reply.status != 200 {
            return;
        }
        self.closed[side] = match reply.json()["fechadoAte"].as_str() {
            None => None,
            Some(month) => {
                // No day of the month comes after this text, and every day of the next one does.
                let end = format!("{}-{}-99", &month[3..], &month[..2]);
                let entries = books::entries_before(self.calls.world.db(), self.tenant(side), &end).await;
                Some((end, entries))
            }
        };
    }

    async fn pass_days(&mut self) {
        self.calls.pass_days(1 + self.below(15)).await;
        let there = self.calls.server().token("admin@ali.example").await;
        self.tokens = [self.calls.administrator.clone(), there];
    }

    async fn check(&self, name: &str) {
        for side in [0, 1] {
            let (db, tenant) = (self.calls.world.db(), self.tenant(side));
            let step = format!("step {} ({name}), tenant {tenant}", self.steps);
            books::check(db, tenant, &step).await;
            if let Some((end, kept)) = &self.closed[side] {
                let now = books::entries_before(db, tenant, end).await;
                assert_eq!(&now, kept, "{step}: a closed month changed");
            }
        }
    }
}

/// A number of the wire for an amount of cents.
fn amount(cents: u64) -> Value {
    serde_json::from_str(&format!("{}.{:02}", cents / 100, cents % 100)).unwrap()
}

fn cents(amount: &Value) -> u64 {
    let text = amount.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{part:0<2}").parse().unwrap()
}

async fn run(world: World, seed: u64) -> History {
    let mut history = History::begin(world, seed).await;
    for _ in 0..STEPS {
        history.step().await;
    }
    history
}

#[both_engines]
async fn the_books_are_right_after_any_history_of_the_first_seed(world: World) {
    run(world, 1).await;
}

#[both_engines]
async fn the_books_are_right_after_any_history_of_the_second_seed(world: World) {
    run(world, 2).await;
}

#[both_engines]
async fn the_books_are_right_after_any_history_of_the_third_seed(world: World) {
    let history = run(world, 3).await;
    for name in ["issue", "settle"] {
        assert!(history.taken.get(name).is_some_and(|times| *times > 2), "{:?}", history.taken);
    }
}

#[testkit::postgres_test]
async fn both_engines_tell_the_same_history_and_hold_the_same_rows() {
    let one = run(World::hostile(Engine::Sqlite).await, 4).await;
    let other = run(World::hostile(Engine::Postgres).await, 4).await;
    for (one, other) in one.told.iter().zip(&other.told) {
        assert_eq!(one, other);
    }
    for table in TABLES {
        let [one, other] = [one.calls.world.db(), other.calls.world.db()];
        assert_eq!(dump_table(one, table).await, dump_table(other, table).await, "{table}");
    }
}
