//! `GET /ext/beneficio/{codBeneficio}/equipamentos`.

use crate::calls::{Calls, MEMBERS, VEHICLES, array, car, cpf, each, told_about, with};
use crate::contract::audit::{all, people};
use domain::{BenefitCode, Date, InstallationCode, Moment, SupplierCode, TenantId, TrackerInstallation};
use serde_json::json;
use storage::benefits::installations;
use storage::{Error, WriteLane};
use testkit::{World, both_engines};

fn equipment(benefit: impl std::fmt::Display) -> String {
    format!("/ext/beneficio/{benefit}/equipamentos")
}

/// Of which no more is known than the model.
fn bare(code: i32, model: Option<&str>) -> TrackerInstallation {
    TrackerInstallation {
        code: InstallationCode::new(code),
        tracker: None,
        serial_number: None,
        imei: None,
        model: model.map(str::to_owned),
        maker: None,
        supplier: None,
        place: None,
        installed_on: None,
        removed_on: None,
        active: true,
    }
}

fn tracker(code: i32) -> TrackerInstallation {
    let known = |text: &str| Some(text.to_owned());
    TrackerInstallation {
        serial_number: known("SR-004251"),
        imei: known("356938035643809"),
        maker: known("Sul Sinal"),
        supplier: Some(SupplierCode::new(1)),
        place: known("Sob o painel"),
        installed_on: Date::from_iso("2026-01-05"),
        removed_on: Date::from_iso("2026-11-14"),
        active: false,
        ..bare(code, Some("Rastreador 4G"))
    }
}

async fn install(calls: &Calls, tenant: TenantId, benefit: i32, all: Vec<TrackerInstallation>) {
    let written = calls.world.db().write(
        WriteLane::foreground(tenant),
        (tenant, benefit, all),
        |tx, (tenant, benefit, all)| {
            let (benefit, then) = (BenefitCode::new(*benefit), Moment::from_millis(0));
            let rows =
                installations::insert_installations(*tenant, all.iter().map(|one| (benefit, then, one)));
            Box::pin(async move { tx.execute_batch(rows).await })
        },
    );
    written.await.map_err(|error: Error| error.to_string()).unwrap();
}

#[both_engines]
async fn the_equipment_of_a_vehicle_comes_by_model_with_its_suppliers_name(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({})).await;
    calls.health(1, json!({})).await;
    let all = vec![tracker(1), bare(2, Some("Bloqueador")), bare(3, None), bare(4, Some("BLOQUEADOR"))];
    install(&calls, calls.world.here, 1, all).await;
    let told = calls.get(&calls.operator, &equipment(1), &[]).await;
    let told_all = array(&told.json());
    assert_eq!(each(&told_all, "codInstalacao"), [3, 2, 4, 1], "without a name first, then by name and code");
    assert!(
        told.body.ends_with(&format!("{}]", include_str!("golden/equipamento.json").trim_end())),
        "{told:?}"
    );
    assert!(
        told.body.starts_with(&format!("[{}", include_str!("golden/equipamento_vazio.json").trim_end())),
        "{told:?}"
    );
    assert_eq!(calls.read(&calls.operator, &equipment(2), &[]).await, json!([]), "a benefit without any");
}

#[both_engines]
async fn the_equipment_of_a_benefit_out_of_reach_is_not_found(world: World) {
    let calls = Calls::on(world).await;
    for number in 1..=3 {
        let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(number), "codLoja": number});
        calls.saved(&calls.administrator, MEMBERS, &person).await;
        let plate = format!("ABC1D2{number}");
        calls.saved(&calls.administrator, VEHICLES, &car(number, &plate, json!({}))).await;
        install(&calls, calls.world.here, number as i32, vec![tracker(number as i32)]).await;
    }
    calls.saved(&calls.stranger, MEMBERS, &json!({"nomePessoa": "Fulano Ali", "cpfCnpj": cpf(1)})).await;
    let there = with(car(1, "ABC1D21", json!({})), json!({"codPlano": 2}));
    calls.saved(&calls.stranger, VEHICLES, &there).await;
    install(&calls, calls.world.there, 1, vec![tracker(7)]).await;
    for (token, seen) in
        [(&calls.administrator, &[1, 2, 3][..]), (&calls.operator, &[2]), (&calls.integration, &[2, 3])]
    {
        for benefit in 1..=3 {
            let reply = calls.get(token, &equipment(benefit), &[]).await;
            if seen.contains(&benefit) {
                assert_eq!(each(&array(&reply.json()), "codInstalacao"), [benefit]);
            } else {
                assert!(told_about(reply.refuses(404), "codBeneficio"), "{reply:?}");
                let unknown = calls.get(token, &equipment(99), &[]).await;
                assert_eq!(reply.body.replace(&benefit.to_string(), "N"), unknown.body.replace("99", "N"));
            }
        }
    }
    let own = calls.read(&calls.stranger, &equipment(1), &[]).await;
    assert_eq!(
        (&own[0]["codInstalacao"], &own[0]["nomeFornecedor"]),
        (&json!(7), &json!("Oficina Ali Ltda"))
    );
    calls.get(&calls.stranger, &equipment(2), &[]).await.refuses(404);
    for bad in ["x", "1.5", "2147483648"] {
        let refused = calls.get(&calls.operator, &equipment(bad), &[]).await;
        assert!(told_about(refused.refuses(400), "codBeneficio"), "{refused:?}");
    }
}

#[both_engines]
async fn a_look_at_equipment_is_audited_with_the_holder(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    calls.car(2, "ABC1D23", json!({})).await;
    calls.read(&calls.integration, &equipment(1), &[]).await;
    let looks: Vec<_> = all(&calls, &[]).await.into_iter().filter(|one| one["tipo"] == "leitura").collect();
    assert_eq!(each(&looks, "operacao"), ["GET /ext/beneficio/{codBeneficio}/equipamentos"]);
    assert_eq!(people(&looks[0]), [2]);
}
