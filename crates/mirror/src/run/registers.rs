//! The registers: read at every beginning, for they are few.

use super::{Asked, Failed, Run};
use crate::client::{Answer, Client, Trouble};
use crate::lenient::{code, text};
use crate::lists::{self, whole};
use app::mirroring::{self, Listed, Source, Wanted};
use domain::BenefitKind;
use serde_json::Value as Json;

/// So many codes in a row that are nobody's, and there are no more suppliers.
const GAP: i32 = 25;

/// What a base is founded with.
pub async fn source(client: &Client, asked: &Asked, access: &Json) -> Result<Source, Failed> {
    let mut branches = lists::branches(&needed(client, "/ext/administracao/loja", "as lojas").await?);
    if branches.is_empty() {
        branches = lists::branches(&access["permissaoLoja"]);
    }
    if branches.is_empty() {
        return Err(Failed::Missing("as lojas", "o usuário não acessa nenhuma".to_owned()));
    }
    let path = "/ext/beneficio/situacaoBeneficio";
    let mut wanted = lists::situations(&needed(client, path, "as situações").await?);
    if let Ok(Answer::Json { body, .. }) = client.get("/ext/crm/funil").await {
        wanted.extend(lists::funnels(&body));
    }
    let theirs = text(&access["nomeClienteSistema"]).unwrap_or_else(|| "Espelho".to_owned());
    Ok(Source {
        address: asked.from.clone(),
        login: asked.login.clone(),
        base: code(&access["codClienteSistema"]).unwrap_or(0),
        name: asked.name.clone().unwrap_or(theirs),
        time_zone: asked.time_zone.clone(),
        branches,
        lists: wanted,
        into: asked.into,
        whole: asked.whole,
    })
}

async fn needed(client: &Client, path: &str, what: &'static str) -> Result<Json, Failed> {
    match client.get(path).await? {
        Answer::Json { body, .. } => Ok(body),
        Answer::Absent => Err(Failed::Missing(what, format!("GET {path} não existe"))),
        Answer::Refused(status, text) => {
            Err(Failed::Missing(what, format!("GET {path} respondeu {status}: {text}")))
        }
    }
}

impl Run<'_> {
    pub(super) async fn read_registers(&mut self, access: &Json) -> Result<(), Failed> {
        self.told("cadastros", 0, None);
        let mut notes = Vec::new();
        let (mut wanted, mut listed): (Vec<Wanted>, Vec<Listed>) = (Vec::new(), Vec::new());
        if let Some(json) = self.list("/ext/administracao/loja").await? {
            wanted.extend(lists::wanted_branches(&lists::branches(&json)));
        }
        if let Some(json) = self.list("/ext/beneficio/situacaoBeneficio").await? {
            let own = lists::situations(&json);
            listed.push(whole("situacao", &own));
            wanted.extend(own);
        }
        if access["plano"].is_array() {
            let own = lists::plans(access, &self.registers, &mut notes);
            listed.push(whole("plano", &own));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/administracao/vendedor").await? {
            let own = lists::sellers(&json, &mut notes);
            listed.push(whole("vendedor", &own));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/beneficio/tipoVeiculo").await? {
            let own = lists::vehicle_types(&json);
            listed.push(whole("tipoVeiculo", &own));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/beneficio/vencimento").await? {
            let own = lists::due_days(&json);
            listed.push(whole("vencimento", &own));
            wanted.extend(own);
        }
        let mut fields = Some(Vec::new());
        for kind in BenefitKind::ALL {
            match self.list(&format!("/ext/administracao/campos/{}", kind.number())).await? {
                Some(json) => fields.iter_mut().for_each(|all| all.extend(lists::fields(*kind, &json))),
                None => fields = None,
            }
        }
        if let Some(own) = fields {
            listed.push(whole("campoAdicional", &own));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/crm/funil").await? {
            let own = lists::funnels(&json);
            listed.extend(
                ["funil", "etapa"]
                    .map(|path| whole(path, &own))
                    .into_iter()
                    .filter(|one| !one.codes.is_empty()),
            );
            wanted.extend(own);
        }
        let suppliers = self.read_suppliers(&mut notes).await?;
        self.suppliers = suppliers.iter().filter_map(|one| one.code).collect();
        wanted.extend(suppliers);
        self.written += mirroring::write_lists(self.app, &self.mirror, wanted, listed).await?;
        mirroring::note(self.app, &self.mirror, notes).await?;
        self.registers = mirroring::registers(self.app, self.mirror.tenant).await?;
        Ok(())
    }

    /// Suppliers are told by their codes alone: those from 1 on, to the first long gap.
    async fn read_suppliers(&mut self, notes: &mut Vec<mirroring::Note>) -> Result<Vec<Wanted>, Failed> {
        let (mut all, mut missing) = (Vec::new(), 0);
        for code in 1.. {
            match self.client.get(&format!("/ext/administracao/fornecedor/{code}")).await {
                Ok(Answer::Json { body, .. }) => {
                    missing = 0;
                    all.extend(lists::supplier(&body, notes));
                }
                Ok(Answer::Absent) => missing += 1,
                Ok(Answer::Refused(status, text)) => {
                    self.unread.push(format!("GET /ext/administracao/fornecedor/{code}: {status} {text}"));
                    break;
                }
                Err(Trouble::One(reason)) => {
                    self.unread.push(format!("GET /ext/administracao/fornecedor/{code}: {reason}"));
                    missing += 1;
                }
                Err(end) => return Err(end.into()),
            }
            if missing >= GAP {
                break;
            }
        }
        Ok(all)
    }
}
