//! Members whom something is worked on for, and how what is worked on is called for.

use crate::calls::{Calls, cpf, with};
use domain::TenantId;
use serde_json::{Value, json};
use storage::server::versions;
use storage::{Error, QueryWeight, WriteLane, sql};
use testkit::{Reply, World};

/// Codes of registers that both associations have, for other things.
pub const INSPECTION_TYPE: i32 = 71;
pub const INACTIVE_INSPECTION_TYPE: i32 = 72;
pub const TICKET_TYPE: i32 = 81;
pub const INACTIVE_TICKET_TYPE: i32 = 82;
pub const SPECIALTY: i32 = 91;
pub const SECOND_SPECIALTY: i32 = 92;
pub const CLINIC: i32 = 93;
pub const SECOND_CLINIC: i32 = 94;
pub const DOCTOR: i32 = 95;
pub const DOCTOR_WHO_LEFT: i32 = 96;

/// The member of the operator's branch, his car, and somebody of another branch with a car of his own.
pub const MEMBER: i32 = 1;
pub const SECOND_MEMBER: i32 = 2;
pub const FAR_MEMBER: i32 = 3;
pub const CAR: i32 = 1;
pub const FAR_CAR: i32 = 2;
pub const HEALTH: i32 = 3;

/// Where each of the four begins, how far it is under way, and where it ends well and badly.
pub struct Kind {
    pub path: &'static str,
    pub code: &'static str,
    pub entity: &'static str,
    /// What is sent to open one, besides the member.
    pub needs: fn() -> Value,
    pub situations: [(&'static str, i32); 4],
    /// A field that all of its records may change, and what it is changed to.
    pub field: (&'static str, &'static str),
}

fn claim() -> Value {
    json!({"codTipoEvento": 1})
}

fn inspection() -> Value {
    json!({"codTipoVistoria": INSPECTION_TYPE})
}

fn ticket() -> Value {
    json!({"codTipoHelpDesk": TICKET_TYPE})
}

fn appointment() -> Value {
    json!({})
}

pub const KINDS: [Kind; 4] = [
    Kind {
        path: "/gestao/evento",
        code: "codEvento",
        entity: "Evento",
        needs: claim,
        situations: [("ABERTO", 7), ("EM ANÁLISE", 8), ("CONCLUÍDO", 11), ("CANCELADO", 12)],
        field: ("descricao", "Colisão leve."),
    },
    Kind {
        path: "/gestao/vistoria",
        code: "codVistoria",
        entity: "Vistoria",
        needs: inspection,
        situations: [("SOLICITADA", 13), ("EM ANDAMENTO", 14), ("APROVADA", 15), ("CANCELADA", 17)],
        field: ("vistoriador", "Ana Prado"),
    },
    Kind {
        path: "/gestao/helpDesk",
        code: "codHelpDesk",
        entity: "Help Desk",
        needs: ticket,
        situations: [("ABERTO", 18), ("EM ATENDIMENTO", 19), ("RESOLVIDO", 21), ("CANCELADO", 22)],
        field: ("descricao", "Segunda via."),
    },
    Kind {
        path: "/gestao/consulta",
        code: "codConsulta",
        entity: "Consulta",
        needs: appointment,
        situations: [("AGENDADA", 23), ("CONFIRMADA", 24), ("REALIZADA", 25), ("CANCELADA", 27)],
        field: ("observacao", "Levar exames."),
    },
];

impl Kind {
    pub fn of(&self, code: impl ToString, what: &str) -> String {
        format!("{}/{}{what}", self.path, code.to_string())
    }

    /// One of the member, opened by the operator.
    pub async fn open(&self, calls: &Calls, more: Value) -> Value {
        calls.saved(&calls.operator, self.path, &self.body(more)).await
    }

    pub fn body(&self, more: Value) -> Value {
        with(with(json!({"codPessoa": MEMBER}), (self.needs)()), more)
    }

    pub async fn one(&self, calls: &Calls, code: impl ToString) -> Value {
        calls.read(&calls.operator, &self.of(code, ""), &[]).await
    }

    pub async fn move_to(
        &self,
        calls: &Calls,
        code: impl ToString,
        situation: &str,
        reason: Option<&str>,
    ) -> Reply {
        let body = json!({"situacao": situation, "motivo": reason});
        calls.put(&calls.operator, &self.of(code, "/situacao"), &body).await
    }
}

/// The associations with the registers that only these tests need, and their members.
pub async fn scene(world: World) -> Calls {
    register(&world, world.here, "").await;
    register(&world, world.there, " Ali").await;
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let far = json!({"nomePessoa": "Pessoa Longe", "cpfCnpj": cpf(3), "codLoja": 1});
    calls.saved(&calls.administrator, "/ext/associado", &far).await;
    let more = json!({"marca": "FIAT", "modelo": "ARGO 1.0", "cor": "Prata"});
    calls.car(1, "ABC1D23", more).await;
    let far = json!({"cpfCnpj": cpf(3), "codPlano": 1, "placa": "XYZ9A87"});
    calls.saved(&calls.administrator, "/ext/beneficio/veicular", &far).await;
    calls.health(2, json!({})).await;
    let there = json!({"nomePessoa": "Alguém Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, "/ext/associado", &there).await;
    calls
}

async fn register(world: &World, tenant: TenantId, ending: &'static str) {
    let unit = world.db().write(WriteLane::foreground(tenant), (tenant, ending), |tx, (tenant, ending)| {
        Box::pin(async move {
            let rest = "1, 1, 1";
            for text in [
                format!(
                    "inspection_types (tenant, code, name, checklist, active, version, created_at, updated_at) VALUES
                     ({tenant}, 71, 'Entrada{ending}', 'Pneus{ending}\nVidros', TRUE, {rest}),
                     ({tenant}, 72, 'Antiga{ending}', NULL, FALSE, {rest})"
                ),
                format!(
                    "ticket_types (tenant, code, name, priority, active, version, created_at, updated_at) VALUES
                     ({tenant}, 81, 'Dúvida de boleto{ending}', 3, TRUE, {rest}),
                     ({tenant}, 82, 'Antigo{ending}', 1, FALSE, {rest})"
                ),
                format!(
                    "specialties (tenant, code, name, active, version, created_at, updated_at) VALUES
                     ({tenant}, 91, 'Cardiologia{ending}', TRUE, {rest}), ({tenant}, 92, 'Pediatria{ending}', TRUE, {rest})"
                ),
                format!(
                    "clinics (tenant, code, name, street_kind, street, street_number, district, city, state, cep, active,
                         version, created_at, updated_at) VALUES
                     ({tenant}, 93, 'Vida Plena{ending}', 'Avenida', 'Paulista', '1578', 'Bela Vista', 'São Paulo', 'SP',
                         '01310100', TRUE, {rest}),
                     ({tenant}, 94, 'Boa Saúde{ending}', 'Rua', 'Augusta', '10', NULL, 'Santos', 'SP', NULL, TRUE, {rest})"
                ),
                format!(
                    "doctors (tenant, code, name, specialty, clinic, active, version, created_at, updated_at) VALUES
                     ({tenant}, 95, 'Dra. Eva Lima{ending}', 91, 93, TRUE, {rest}),
                     ({tenant}, 96, 'Dr. Foi{ending}', 91, 93, FALSE, {rest})"
                ),
            ] {
                tx.execute(sql("INSERT INTO").append_text(&text)).await?;
            }
            versions::raise_registers_version(tx, *tenant).await.map(drop)
        })
    });
    let written: Result<(), Error> = unit.await;
    written.unwrap();
}

/// Something that an administrator does to the registers, in words of the database.
pub async fn set_register(calls: &Calls, text: &str) {
    let tenant = calls.world.here;
    let unit = calls.world.db().write(
        WriteLane::foreground(tenant),
        (tenant, text.to_owned()),
        |tx, (tenant, text)| {
            Box::pin(async move {
                tx.execute(sql("").append_text(text)).await?;
                versions::raise_registers_version(tx, *tenant).await.map(drop)
            })
        },
    );
    let written: Result<(), Error> = unit.await;
    written.unwrap();
}

/// What is to be delivered, in the order of the changes.
pub async fn outbox(calls: &Calls) -> Vec<(String, i32)> {
    let text = sql(
        "SELECT h.body, o.receiver FROM outbox o JOIN history h ON h.tenant = o.tenant AND h.code = o.history_code
         WHERE o.tenant = $1 ORDER BY o.history_code, o.receiver",
    );
    let rows = calls.world.db().query(QueryWeight::Search, text.arg(calls.world.here)).await.unwrap();
    rows.iter().map(|row| (row.get("body").unwrap(), row.get("receiver").unwrap())).collect()
}

/// The changes that the feed tells of one entity.
pub async fn feed(calls: &Calls, token: &str, entity: &str) -> Vec<Value> {
    let page = calls.read(token, "/gestao/historico", &[("entidade", entity)]).await;
    crate::calls::items(&page)
}

/// Everybody enters anew, where so much time has passed that the tokens no longer count.
pub async fn enter_again(calls: &mut Calls) {
    calls.administrator = calls.server().token(&calls.world.administrator.email).await;
    calls.operator = calls.server().token(&calls.world.operator.email).await;
    calls.stranger = calls.server().token(&calls.world.stranger.email).await;
}
