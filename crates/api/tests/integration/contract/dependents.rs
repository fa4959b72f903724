//! `POST /ext/beneficio/dependente` and `GET /ext/beneficio/{codBeneficio}/dependentes`.

use crate::calls::{
    AUDIT, CLUB_PLAN, Calls, DEPENDENTS, HEALTH_PLAN, INACTIVE_PLAN, PLAN_THERE, array, cpf, dependent, each,
    items, of, told_about, with,
};
use domain::TenantId;
use serde_json::{Value, json};
use std::time::Duration;
use storage::server::versions;
use storage::{WriteLane, sql};
use testkit::{World, both_engines};

pub async fn listed(calls: &Calls, benefit: &Value) -> Vec<Value> {
    array(&calls.read(&calls.operator, &of(benefit, "dependentes"), &[]).await)
}

/// Somebody with a health benefit.
pub async fn one(world: World) -> (Calls, Value) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let benefit = calls.health(1, json!({})).await;
    (calls, benefit)
}

fn whole() -> Value {
    json!({"nome": "  João   Souza ", "cpf": cpf(50), "dataNascimento": "2015-08-02", "parentesco": "FILHO",
        "sexo": "Masculino", "planos": [3, "2", 3], "identidade": "12.345.678-9", "telefone": "+55 11 98765-4321",
        "email": "joao@exemplo.com.br", "numeroCartaoDesconto": "1234567890123"})
}

#[both_engines]
async fn a_dependent_is_created_with_a_card_of_his_own(world: World) {
    let (calls, benefit) = one(world).await;
    let first = calls.dependent(&benefit, json!({})).await;
    let second =
        calls.dependent(&benefit, json!({"numeroCartaoDesconto": null, "codDependente": null})).await;
    assert_eq!(each(&[first.clone(), second.clone()], "codDependente"), [json!(1), json!(2)]);
    let cards = each(&[benefit, first, second], "numeroCartaoDesconto");
    assert!(cards[0] != cards[1] && cards[1] != cards[2] && cards[0] != cards[2], "{cards:?}");
    let groups: Vec<usize> = cards[1].as_str().unwrap().split(' ').map(str::len).collect();
    assert_eq!(groups, [4, 2, 1, 3, 3]);
}

#[both_engines]
async fn what_was_sent_of_a_dependent_comes_back_whole(world: World) {
    let (calls, benefit) = one(world).await;
    calls.dependent(&benefit, whole()).await;
    let wanted = json!([{"codDependente": 1, "codBeneficio": 1, "nome": "João   Souza", "cpf": cpf(50),
        "dataNascimento": "02/08/2015", "parentesco": "FILHO", "sexo": "Masculino", "identidade": "12.345.678-9",
        "telefone": "(11)98765-4321", "email": "joao@exemplo.com.br", "numeroCartaoDesconto": "1234 56 7 890 123",
        "planos": [{"codPlano": 3, "nome": "Clube de Descontos", "valor": 19.9},
            {"codPlano": 2, "nome": "Saúde Família", "valor": 299}],
        "ativo": true, "dataCadastro": "14/11/2026"}]);
    assert_eq!(json!(listed(&calls, &benefit).await), wanted);
    calls.dependent(&benefit, json!({"ativo": false, "parentesco": "PET_FELINO", "nome": "Mingau"})).await;
    let all = listed(&calls, &benefit).await;
    assert_eq!(each(&all, "nome"), ["João   Souza", "Mingau"]);
    assert_eq!(each(&all, "ativo"), [json!(true), json!(false)]);
    for field in ["cpf", "dataNascimento", "sexo", "identidade", "telefone", "email"] {
        assert_eq!(all[1].get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(all[1]["planos"], json!([]));
}

#[both_engines]
async fn a_benefit_of_any_type_has_dependents(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let mut benefits = vec![calls.car(1, "ABC1D23", json!({})).await];
    for plan in [2, 3, 4, 5] {
        benefits.push(calls.health(1, json!({"codPlano": plan})).await);
    }
    for benefit in &benefits {
        calls.dependent(benefit, json!({"cpf": cpf(50)})).await;
        assert_eq!(listed(&calls, benefit).await.len(), 1);
    }
}

#[both_engines]
async fn a_dependent_is_overwritten_whole_but_for_what_stays(world: World) {
    let (calls, benefit) = one(world).await;
    let first = calls.dependent(&benefit, with(whole(), json!({"ativo": false}))).await;
    let own = json!({"codDependente": 1, "nome": "João de Souza", "parentesco": "ENTEADO"});
    assert_eq!(calls.dependent(&benefit, own.clone()).await["codDependente"], first["codDependente"]);
    let now = listed(&calls, &benefit).await.remove(0);
    assert_eq!((&now["nome"], &now["parentesco"]), (&json!("João de Souza"), &json!("ENTEADO")));
    for gone in ["cpf", "dataNascimento", "sexo", "identidade", "telefone"] {
        assert_eq!(now[gone], Value::Null, "{gone}");
    }
    assert_eq!((&now["email"], &now["ativo"]), (&json!("joao@exemplo.com.br"), &json!(false)));
    assert_eq!(now["numeroCartaoDesconto"], "1234 56 7 890 123");
    assert_eq!(each(now["planos"].as_array().unwrap(), "codPlano"), [json!(3), json!(2)]);
    // Empty is as if not given, and null clears, but for what has to be one or the other.
    let empty = json!({"email": "", "numeroCartaoDesconto": "", "ativo": null});
    calls.dependent(&benefit, with(own.clone(), empty)).await;
    assert_eq!(listed(&calls, &benefit).await, std::slice::from_ref(&now));
    let null = json!({"email": null, "numeroCartaoDesconto": null, "planos": null, "ativo": true});
    let saved = calls.dependent(&benefit, with(own.clone(), null)).await;
    assert_eq!(saved["numeroCartaoDesconto"], Value::Null);
    let now = listed(&calls, &benefit).await.remove(0);
    assert_eq!((&now["email"], &now["planos"], &now["ativo"]), (&Value::Null, &json!([]), &json!(true)));
    calls.dependent(&benefit, with(own, json!({"planos": []}))).await;
    assert_eq!(listed(&calls, &benefit).await, [now], "one without a card is given none");
    assert_eq!(calls.count("dependents").await, 1);
}

#[both_engines]
async fn everything_that_is_given_is_accepted_back(world: World) {
    let (calls, benefit) = one(world).await;
    calls.dependent(&benefit, whole()).await;
    calls.dependent(&benefit, json!({"nome": "Rex", "parentesco": "PET_CANINO", "ativo": false})).await;
    let (before, entries) = (listed(&calls, &benefit).await, calls.count("audit").await);
    for given in &before {
        let answer = calls.saved(&calls.operator, DEPENDENTS, given).await;
        assert_eq!(answer["codDependente"], given["codDependente"]);
    }
    let found = array(&calls.read(&calls.operator, DEPENDENTS, &[("nome", "jo")]).await);
    calls.saved(&calls.operator, DEPENDENTS, &found[0]).await;
    assert_eq!(listed(&calls, &benefit).await, before);
    assert_eq!(calls.count("audit").await, entries, "nothing was changed");
    // Into another benefit of the same holder, as a dependent of that.
    let other = calls.health(1, json!({})).await;
    let copied = json!({"codBeneficio": other["codBeneficio"], "codDependente": null});
    calls.saved(&calls.operator, DEPENDENTS, &with(before[0].clone(), copied)).await;
    let copy = with(listed(&calls, &other).await.remove(0), json!({"codBeneficio": 1, "codDependente": 1}));
    assert_eq!(copy, before[0]);
}

#[both_engines]
async fn kinship_is_the_fixed_set_and_others_are_refused_with_the_list(world: World) {
    let (calls, benefit) = one(world).await;
    let kinships = "CONJUGE PAI FILHO IRMAO AVO TIO SOBRINHO PRIMO NETO SOGRO OUTRO PET_CANINO PET_FELINO PET_OUTROS \
        CUNHADO GENRO ENTEADO PADRASTO";
    for kinship in kinships.split_whitespace() {
        calls.dependent(&benefit, json!({"parentesco": kinship})).await;
    }
    let mut had: Vec<Value> = each(&listed(&calls, &benefit).await, "parentesco");
    had.sort_by_key(Value::to_string);
    let mut wanted: Vec<Value> = kinships.split_whitespace().map(|one| json!(one)).collect();
    wanted.sort_by_key(Value::to_string);
    assert_eq!(had, wanted);
    for wrong in [json!("filho"), json!("FILHA"), json!("MAE"), json!(1), json!("CÔNJUGE")] {
        let told = calls.refused(DEPENDENTS, &dependent(&benefit, json!({"parentesco": wrong}))).await;
        assert!(told_about(&told, "parentesco"), "{told}");
        assert!(wrong.is_number() || kinships.split_whitespace().all(|one| told.contains(one)), "{told}");
    }
}

#[both_engines]
async fn all_problems_of_a_dependent_come_at_once(world: World) {
    let (calls, benefit) = one(world).await;
    let told = calls.refused(DEPENDENTS, &json!({})).await;
    for field in ["codBeneficio", "nome", "parentesco"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    // A company's document is no CPF.
    for wrong in ["529.982.247-24", "11.222.333/0001-81", "111.111.111-11", "abc"] {
        let told = calls.refused(DEPENDENTS, &dependent(&benefit, json!({"cpf": wrong}))).await;
        assert!(told_about(&told, "cpf"), "{wrong}: {told}");
    }
    let body = json!({"codBeneficio": 99, "nome": "A", "parentesco": "FILHO", "cpf": "1", "sexo": "X", "email": "x",
        "telefone": "1", "dataNascimento": "31/02/2015", "numeroCartaoDesconto": "12", "ativo": "talvez",
        "planos": [99, {"codPlano": 98}, {"nome": "x"}]});
    let told = calls.refused(DEPENDENTS, &body).await;
    let fields = ["cpf", "sexo", "email", "telefone", "dataNascimento", "numeroCartaoDesconto", "ativo"];
    for field in fields.into_iter().chain(["planos[2].codPlano", "codBeneficio"]) {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    let body =
        json!({"codBeneficio": 99, "nome": "A", "parentesco": "FILHO", "planos": [99, {"codPlano": 98}, 2]});
    let told = calls.refused(DEPENDENTS, &body).await;
    for field in ["codBeneficio", "planos[0]", "planos[1]"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    assert_eq!(calls.count("dependents").await, 0);
}

/// Takes a plan out of use, as the administrator would.
async fn retire(calls: &Calls, plan: i32) {
    let asked = (calls.world.here, plan);
    let unit = calls.world.db().write(
        WriteLane::foreground(asked.0),
        asked,
        |tx, (here, plan): &(TenantId, i32)| {
            Box::pin(async move {
                let retire = sql("UPDATE plans SET active = FALSE WHERE tenant = $1 AND code = $2");
                tx.execute(retire.arg(*here).arg(*plan)).await?;
                versions::raise_registers_version(tx, *here).await.map(drop)
            })
        },
    );
    unit.await.map_err(|error: storage::Error| error).unwrap();
}

#[both_engines]
async fn plans_must_be_active_or_his_already(world: World) {
    let (calls, benefit) = one(world).await;
    for plan in [INACTIVE_PLAN, PLAN_THERE, 99] {
        let body = dependent(&benefit, json!({"planos": [HEALTH_PLAN, plan]}));
        let told = calls.refused(DEPENDENTS, &body).await;
        assert!(told_about(&told, "planos[1]") && !told.contains("planos[0]"), "{plan}: {told}");
    }
    calls.dependent(&benefit, json!({"planos": [CLUB_PLAN]})).await;
    retire(&calls, CLUB_PLAN).await;
    let own = json!({"codDependente": 1, "planos": [{"codPlano": CLUB_PLAN}, HEALTH_PLAN]});
    calls.dependent(&benefit, own).await;
    let plans = listed(&calls, &benefit).await.remove(0)["planos"].clone();
    assert_eq!(each(plans.as_array().unwrap(), "codPlano"), [json!(CLUB_PLAN), json!(HEALTH_PLAN)]);
    calls.refused(DEPENDENTS, &dependent(&benefit, json!({"planos": [CLUB_PLAN]}))).await;
}

#[both_engines]
async fn a_cancelled_benefit_takes_no_dependent_and_still_shows_those_it_has(world: World) {
    let (calls, benefit) = one(world).await;
    calls.dependent(&benefit, json!({})).await;
    calls.cancel(&calls.operator, &benefit["codBeneficio"], "").await;
    for more in [json!({}), json!({"codDependente": 1, "nome": "Outro"})] {
        let refused = calls.post(&calls.operator, DEPENDENTS, &dependent(&benefit, more)).await;
        assert!(told_about(refused.refuses(409), "codBeneficio"), "{refused:?}");
    }
    assert_eq!(each(&listed(&calls, &benefit).await, "nome"), ["João Souza"]);
    let found = array(&calls.read(&calls.operator, DEPENDENTS, &[("nome", "souza")]).await);
    assert_eq!(each(&found, "situacao"), ["CANCELADO"]);
}

#[both_engines]
async fn a_dependent_moves_the_day_of_the_last_change_of_his_benefit(world: World) {
    let (calls, benefit) = one(world).await;
    let day = async |calls: &Calls| each(&calls.rows(&[("nome", "pessoa 1")]).await, "dataAtualizacao");
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    calls.dependent(&benefit, json!({})).await;
    assert_eq!(day(&calls).await, ["15/11/2026"]);
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    let same = json!({"codDependente": 1});
    calls.dependent(&benefit, same.clone()).await;
    assert_eq!(day(&calls).await, ["15/11/2026"], "nothing was changed");
    calls.dependent(&benefit, with(same, json!({"nome": "Outro"}))).await;
    assert_eq!(day(&calls).await, ["16/11/2026"]);
    let one = listed(&calls, &benefit).await.remove(0);
    assert_eq!(one["dataCadastro"], "15/11/2026");
    assert_eq!(calls.history(&calls.operator).await.len(), 1, "no situation changed");
}

#[both_engines]
async fn what_is_done_to_a_dependent_is_audited_with_his_holder(world: World) {
    let (calls, benefit) = one(world).await;
    calls.dependent(&benefit, json!({})).await;
    calls.dependent(&benefit, json!({"codDependente": 1})).await;
    calls.read(&calls.operator, DEPENDENTS, &[("nome", "joao")]).await;
    listed(&calls, &benefit).await;
    calls.read(&calls.operator, &of(&benefit, "itens"), &[]).await;
    calls.read(&calls.operator, DEPENDENTS, &[("nome", "ninguem")]).await;
    for app in calls.world.processes() {
        app::audit::access_log::flush_access_log(app).await.unwrap();
    }
    let entries = items(&calls.read(&calls.administrator, AUDIT, &[("codPessoa", "1")]).await);
    let mut told: Vec<String> = entries
        .iter()
        .map(|one| format!("{} {}", one["tipo"].as_str().unwrap(), one["operacao"].as_str().unwrap()))
        .collect();
    told.sort();
    told.dedup();
    assert_eq!(
        told,
        [
            "alteracao POST /ext/associado",
            "alteracao POST /ext/beneficio",
            "alteracao POST /ext/beneficio/dependente",
            "leitura GET /ext/beneficio/dependente",
            "leitura GET /ext/beneficio/{codBeneficio}/dependentes",
            "leitura GET /ext/beneficio/{codBeneficio}/itens",
            "leitura POST /ext/beneficio/dependente",
        ]
    );
}

#[both_engines]
async fn one_key_makes_one_dependent(world: World) {
    let (calls, benefit) = one(world).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "dependente-1"),
    ];
    let body = dependent(&benefit, json!({})).to_string();
    let first = calls.server().call("POST", DEPENDENTS, &headers, &body).await;
    let again = calls.server().call("POST", DEPENDENTS, &headers, &body).await;
    assert_eq!((first.status, &first.body), (200, &again.body));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(listed(&calls, &benefit).await.len(), 1);
}
