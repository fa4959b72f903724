//! Who may do what to registers, over the route table.

use crate::calls::{Calls, items};
use crate::gestao::registers::{all_at, at, example, member_with_vehicle, narrowing};
use registers::{REGISTERS, RecordVisibility};
use serde_json::json;
use testkit::{World, both_engines};

#[both_engines]
async fn programs_do_nothing_operators_read_and_administrators_write(world: World) {
    let calls = Calls::on(world).await;
    let of_registers: Vec<_> = api::list_operations()
        .iter()
        .filter(|one| {
            REGISTERS
                .iter()
                .any(|register| [register.words.all_at, register.words.one_at].contains(&one.path))
        })
        .collect();
    assert_eq!(of_registers.len(), 4 * REGISTERS.len());
    for operation in of_registers {
        let parts = operation.path.split('/').map(|part| if part.starts_with('{') { "31337" } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        let called = async |token: &str| {
            let bearer = format!("Bearer {token}");
            let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
            calls.server().call(operation.method.as_str(), &path, &headers, "").await
        };
        called(&calls.integration).await.refuses(403);
        let operator = called(&calls.operator).await;
        assert_eq!(
            operator.status == 403,
            operation.method != "GET",
            "{} {path}: {operator:?}",
            operation.method
        );
        assert_ne!(called(&calls.administrator).await.status, 403, "{} {path}", operation.method);
    }
}

/// An operator of one branch sees what belongs to the whole association, and of the rest what is of his branch.
#[both_engines]
async fn an_operator_sees_of_branches_only_his(world: World) {
    let calls = Calls::on(world).await;
    member_with_vehicle(&calls).await;
    for register in REGISTERS {
        calls.saved(&calls.administrator, &all_at(register), &example(register)).await;
        let seen = calls.get(&calls.operator, &at(register, &json!(register.example)), &[]).await;
        // The new branch is not his, the seller is of branch 1, and the vehicle is of branch 2.
        let is_his = !matches!(register.within, RecordVisibility::Branch(_));
        assert_eq!(seen.status, if is_his { 200 } else { 404 }, "{}: {seen:?}", register.path);
        let list = items(&calls.read(&calls.operator, &all_at(register), &narrowing(register)).await);
        let is_listed = list.iter().any(|one| one[register.code] == register.example);
        assert_eq!(is_listed, is_his, "{}", register.path);
    }
    // What is of a person or a vehicle of another branch is not there for him.
    let member = json!({"nomePessoa": "Outra Loja", "cpfCnpj": crate::calls::cpf(2), "codLoja": 1});
    let person = calls.saved(&calls.administrator, "/ext/associado", &member).await["codPessoa"].clone();
    let car = json!({"codPlano": 1, "cpfCnpj": crate::calls::cpf(2), "placa": "XYZ1A23"});
    let benefit =
        calls.saved(&calls.administrator, "/ext/beneficio/veicular", &car).await["codBeneficio"].clone();
    for (path, name, value) in
        [("cartaoCredito", "codPessoa", &person), ("instalacao", "codBeneficio", &benefit)]
    {
        let register = registers::find_register(path).unwrap();
        let mut body = crate::gestao::registers::another(register, 1);
        body[name] = value.clone();
        let code = calls.saved(&calls.administrator, &all_at(register), &body).await[register.code].clone();
        calls.get(&calls.operator, &at(register, &code), &[]).await.refuses(404);
        let of = value.to_string();
        assert!(
            items(&calls.read(&calls.operator, &all_at(register), &[(name, &of)]).await).is_empty(),
            "{path}"
        );
        assert_eq!(
            items(&calls.read(&calls.administrator, &all_at(register), &[(name, &of)]).await).len(),
            1
        );
    }
}
