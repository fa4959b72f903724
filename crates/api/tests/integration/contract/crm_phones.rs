//! The telephones of a lead: what he is known and found by, and how they change.

use crate::calls::{Calls, DEALS, LEADS, MEMBERS, cpf, each, told_about, with};
use crate::contract::crm_deals::lead;
use serde_json::{Value, json};
use testkit::{World, both_engines};

const FIRST: &str = "(11)98765-0001";
const SECOND: &str = "(11)98765-0002";
const OFFICE: &str = "(11)3333-0003";

fn phones(numbers: &[&str]) -> Value {
    let all: Vec<Value> = numbers.iter().map(|number| json!({"numero": number})).collect();
    json!({"telefones": all})
}

/// The telephones of a person, and their kinds, as they are kept.
async fn kept(calls: &Calls, person: &Value) -> Vec<(String, domain::PhoneKind)> {
    let person = domain::PersonCode::new(i32::try_from(person.as_i64().unwrap()).unwrap());
    let all =
        storage::members::phones::list_phones(calls.world.db(), calls.world.here, person).await.unwrap();
    all.into_iter().map(|one| (one.number.to_string(), one.kind)).collect()
}

async fn numbers(calls: &Calls, person: &Value) -> Vec<String> {
    kept(calls, person).await.into_iter().map(|(number, _)| number).collect()
}

#[both_engines]
async fn an_incomplete_telephone_is_kept_and_leads_to_its_lead(world: World) {
    let calls = Calls::on(world).await;
    let ana = calls.saved(&calls.operator, LEADS, &json!({"nome": "Ana", "telefone": "98765-0001"})).await;
    assert_eq!(ana["telefoneCelular"], "98765-0001");
    for form in [
        json!({"nome": "ÁNA", "telefone": "987650001"}),
        with(json!({"nome": "Ana"}), phones(&["98765 0001"])),
    ] {
        let again = calls.saved(&calls.operator, LEADS, &form).await;
        assert_eq!(again["codLead"], ana["codLead"], "{form}");
    }
    assert_eq!(calls.count("leads").await, 1);
    // Whoever knows the area finds it, too.
    for text in ["98765-0001", FIRST] {
        assert_eq!(each(&calls.leads(&[("filtro", text)]).await, "nomePessoa"), ["Ana"], "{text}");
    }
    let other = calls.saved(&calls.operator, LEADS, &json!({"nome": "Eva", "telefone": "98765-0001"})).await;
    assert_ne!(other["codLead"], ana["codLead"], "another person in another city");
    for (name, lead) in [("Ana", &ana), ("Eva", &other)] {
        let form = json!({"nome": name, "telefone": "98765-0001"});
        assert_eq!(calls.saved(&calls.operator, LEADS, &form).await["codLead"], lead["codLead"], "{name}");
    }
    assert!(calls.leads(&[("filtro", SECOND)]).await.is_empty());
    let told = calls.refused(LEADS, &json!({"nome": "Bia", "telefone": "7650001"})).await;
    assert!(told_about(&told, "telefone"), "{told}");
}

/// Without its area code a number may be another person's in another city.
#[both_engines]
async fn the_ending_of_a_telephone_leads_to_the_only_lead_of_its_name(world: World) {
    let calls = Calls::on(world).await;
    let post = async |name: &str, number: &str| {
        calls.saved(&calls.operator, LEADS, &json!({"nome": name, "telefone": number})).await
    };
    let ana = post("Ana", FIRST).await;
    let audited = calls.count("audit").await;
    assert_eq!(post("Ana", "98765-0001").await, ana, "the complete number stays");
    let listed = with(json!({"nome": "Ana"}), phones(&["98765-0001"]));
    assert_eq!(calls.saved(&calls.operator, LEADS, &listed).await, ana);
    assert_eq!(numbers(&calls, &ana["codPessoa"]).await, [FIRST]);
    assert_eq!(calls.count("audit").await, audited, "nothing changed");
    let eva = post("Eva", "98765-0001").await;
    assert_ne!(eva["codLead"], ana["codLead"]);
    assert_eq!(post("Eva", "98765-0001").await["codLead"], eva["codLead"]);
    assert_eq!(post("ána", "98765-0001").await["codLead"], ana["codLead"]);
    // In two cities there are two.
    let here = post("Bia", "(11)91111-0000").await;
    let there = post("Bia", "(21)91111-0000").await;
    let third = post("Bia", "91111-0000").await;
    assert!(third["codLead"] != here["codLead"] && third["codLead"] != there["codLead"]);
    assert_eq!(post("Bia", "91111-0000").await["codLead"], third["codLead"]);
    assert_eq!(calls.count("leads").await, 5);
}

#[both_engines]
async fn a_lead_keeps_its_complete_telephone(world: World) {
    let calls = Calls::on(world).await;
    let lead = json!({"nome": "Ana", "documento": cpf(1)});
    let saved = calls.saved(&calls.operator, LEADS, &with(lead.clone(), phones(&[FIRST, OFFICE]))).await;
    let save = async |more: Value| {
        let saved = calls.saved(&calls.operator, LEADS, &with(lead.clone(), more)).await;
        (saved["telefoneCelular"].clone(), numbers(&calls, &saved["codPessoa"]).await)
    };
    let all = |numbers: &[&str]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
    for same in [json!({"telefone": "98765-0001"}), phones(&["98765-0001", "3333-0003"])] {
        assert_eq!(save(same.clone()).await, (json!(FIRST), all(&[FIRST, OFFICE])), "{same}");
    }
    let other = save(json!({"telefone": "98765-0009"})).await;
    assert_eq!(other, (json!("98765-0009"), all(&["98765-0009", OFFICE])), "another number replaces it");
    assert_eq!(save(json!({"telefone": SECOND})).await, (json!(SECOND), all(&[SECOND, OFFICE])));
    assert_eq!(saved["telefoneFixo"], OFFICE);
}

#[both_engines]
async fn a_lead_is_known_and_found_by_every_telephone(world: World) {
    let calls = Calls::on(world).await;
    let body = with(json!({"nome": "Ana"}), phones(&[FIRST, SECOND, OFFICE]));
    let saved = calls.saved(&calls.operator, LEADS, &body).await;
    for number in [FIRST, SECOND, OFFICE] {
        let found = calls.leads(&[("filtro", number)]).await;
        assert_eq!(each(&found, "codLead"), [saved["codLead"].clone()], "{number}");
    }
    calls.deal(json!({"codLead": saved["codLead"]})).await;
    assert_eq!(calls.deals(&[("filtro", SECOND)]).await.len(), 1);
    let again = calls.saved(&calls.operator, LEADS, &json!({"nome": "Ana Prado", "telefone": SECOND})).await;
    assert_eq!(again["codLead"], saved["codLead"]);
    let listed = with(json!({"nome": "Ana"}), phones(&["1144440000", SECOND]));
    assert_eq!(calls.saved(&calls.operator, LEADS, &listed).await["codLead"], saved["codLead"]);
    // Neither in another store nor in another association.
    let own = calls
        .saved(
            &calls.administrator,
            LEADS,
            &with(json!({"nome": "Eva", "documento": cpf(1)}), phones(&[OFFICE, "1155550000"])),
        )
        .await;
    assert_ne!(own["codLead"], saved["codLead"]);
    assert_eq!(calls.leads(&[("filtro", "1155550000")]).await, Vec::<Value>::new());
    let mine = calls.saved(&calls.operator, LEADS, &json!({"nome": "Eva", "telefone": "1155550000"})).await;
    assert_ne!(mine["codLead"], own["codLead"]);
    let there = calls.read(&calls.stranger, LEADS, &[("filtro", SECOND)]).await;
    assert_eq!(there, json!([]));
}

#[both_engines]
async fn the_telephones_of_a_member_lead_to_no_lead(world: World) {
    let calls = Calls::on(world).await;
    let member =
        json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "telefones": [{"numero": FIRST}, {"numero": SECOND}]});
    calls.saved(&calls.operator, MEMBERS, &member).await;
    let saved = calls
        .saved(&calls.operator, LEADS, &json!({"nome": "Ana", "documento": cpf(1), "telefone": OFFICE}))
        .await;
    assert_eq!(calls.leads(&[("filtro", SECOND)]).await, Vec::<Value>::new());
    assert_eq!(numbers(&calls, &saved["codPessoa"]).await, [FIRST, SECOND], "nor are they changed");
    // One with another document is somebody else: he takes with him what he told.
    let other = json!({"nome": "Ana", "telefone": OFFICE, "email": "a@x.example", "documento": null});
    calls.saved(&calls.operator, LEADS, &other).await;
    let other = calls
        .saved(&calls.operator, LEADS, &json!({"nome": "Ana", "email": "a@x.example", "documento": cpf(2)}))
        .await;
    assert_eq!(other["codLead"], saved["codLead"]);
    assert_ne!(other["codPessoa"], saved["codPessoa"]);
    assert_eq!(numbers(&calls, &other["codPessoa"]).await, [OFFICE]);
}

#[both_engines]
async fn telephones_change_as_they_are_told(world: World) {
    let calls = Calls::on(world).await;
    let lead = json!({"nome": "Ana", "documento": cpf(1)});
    let saved = calls.saved(&calls.operator, LEADS, &with(lead.clone(), phones(&[FIRST, OFFICE]))).await;
    let person = &saved["codPessoa"];
    let save = async |more: Value| {
        let saved = calls.saved(&calls.operator, LEADS, &with(lead.clone(), more)).await;
        (saved["telefoneCelular"].clone(), saved["telefoneFixo"].clone(), numbers(&calls, person).await)
    };
    let all = |numbers: &[&str]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
    let audited = calls.count("audit").await;
    assert_eq!(
        save(phones(&[FIRST, OFFICE, SECOND])).await,
        (json!(FIRST), json!(OFFICE), all(&[FIRST, OFFICE, SECOND]))
    );
    assert_eq!(calls.count("audit").await, audited + 1, "a further one alone is a change");
    assert_eq!(save(phones(&[FIRST, OFFICE, SECOND])).await.2, all(&[FIRST, OFFICE, SECOND]));
    assert_eq!(save(json!({})).await.2, all(&[FIRST, OFFICE, SECOND]));
    assert_eq!(calls.count("audit").await, audited + 1);
    let third = "(11)98765-0004";
    assert_eq!(
        save(json!({"telefone": third})).await,
        (json!(third), json!(OFFICE), all(&[third, OFFICE, SECOND]))
    );
    // One that he had comes first, and takes nobody's place.
    assert_eq!(
        save(json!({"telefone": SECOND})).await,
        (json!(SECOND), json!(OFFICE), all(&[SECOND, third, OFFICE]))
    );
    assert_eq!(save(json!({"telefones": null})).await, (Value::Null, Value::Null, all(&[])));
    let told =
        json!({"telefones": [{"numero": OFFICE, "tipo": "Celular"}, {"numero": FIRST, "tipo": "Celular"}]});
    assert_eq!(save(told).await.0, OFFICE);
    assert_eq!(save(json!({"telefone": FIRST})).await.0, FIRST);
    assert_eq!(save(json!({"telefone": OFFICE})).await, (json!(OFFICE), Value::Null, all(&[OFFICE, FIRST])));
    assert!(kept(&calls, person).await.iter().all(|(_, kind)| *kind == domain::PhoneKind::Mobile));
}

#[both_engines]
async fn what_an_unread_field_would_decide_is_not_told(world: World) {
    let calls = Calls::on(world).await;
    calls.saved(&calls.operator, LEADS, &lead(1)).await;
    for (path, body, only) in [
        (DEALS, json!({"codLead": "abc"}), "codLead"),
        (DEALS, json!({"codLead": "abc", "email": "nao informado"}), "codLead"),
        (DEALS, json!({"codLead": 1, "situacao": "perdido", "motivoPerda": "Caro"}), "situacao"),
        (DEALS, json!({"codLead": 1, "codFunil": "x", "codEtapa": 6}), "codFunil"),
        (DEALS, json!({"nome": "Ana", "email": "x"}), "email"),
        (LEADS, json!({"nome": "Ana", "telefones": [{"numero": "123"}]}), "telefones[0].numero"),
        (LEADS, json!({"nomePessoa": 7, "email": "a@x.example"}), "nomePessoa"),
    ] {
        let told = calls.refused(path, &body).await;
        assert!(told_about(&told, only), "{body}: {told}");
        assert_eq!(told.trim_end().lines().count(), 1, "{body}: {told}");
    }
    let told = calls.refused(DEALS, &json!({"titulo": "x", "valor": "y"})).await;
    for field in ["codLead", "nome", "telefone", "valor"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    let told = calls.refused(DEALS, &json!({"nome": "Ana"})).await;
    assert!(told_about(&told, "telefone") && !told_about(&told, "codLead"), "{told}");
}
