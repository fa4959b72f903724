//! The registers: read at every beginning, for they are few.

use super::{Asked, Failed, Run};
use crate::client::{Answer, Client, Trouble};
use crate::lenient::{code, items, text};
use crate::lists::{self, whole};
use app::mirroring::{self, Listed, Source, Wanted};
use domain::{BenefitKind, BranchCode, Name};
use serde_json::Value as Json;

/// So many codes in a row that are nobody's, and there are no more suppliers.
const GAP: i32 = 25;
/// No association has more.
const MOST_SUPPLIERS: i32 = 100_000;

/// What a base is founded with.
#[boxed::future]
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
    match client.get_list("/ext/crm/funil").await {
        Ok(Answer::Json { body, .. }) => wanted.extend(lists::funnels(&body)),
        Ok(_) | Err(Trouble::One(_)) => {}
        Err(end) => return Err(end.into()),
    }
    let theirs = text(&access["nomeClienteSistema"]).unwrap_or_else(|| "Espelho".to_owned());
    Ok(Source {
        address: asked.from.clone(),
        login: asked.login.clone(),
        base: code(&access["codClienteSistema"]).unwrap_or(0),
        name: asked.name.clone().unwrap_or_else(|| theirs.chars().take(Name::LONGEST).collect()),
        time_zone: asked.time_zone.clone(),
        branches,
        lists: wanted,
        into: asked.into,
        whole: asked.whole,
    })
}

async fn needed(client: &Client, path: &str, what: &'static str) -> Result<Json, Failed> {
    match client.get_list(path).await? {
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
            let own = lists::branches(&json);
            self.branches = own.iter().map(|(code, _)| BranchCode::new(*code)).collect();
            wanted.extend(lists::wanted_branches(&own));
        }
        if let Some(json) = self.list("/ext/beneficio/situacaoBeneficio").await? {
            let own = lists::situations(&json);
            listed.extend(whole("situacao", &own, items(&json).len()));
            wanted.extend(own);
        }
        if access["plano"].is_array() {
            let own = lists::plans(access, &self.registers, &mut notes);
            listed.extend(whole("plano", &own, items(&access["plano"]).len()));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/administracao/vendedor").await? {
            let own = lists::sellers(&json, &mut notes);
            listed.extend(whole("vendedor", &own, items(&json).len()));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/beneficio/tipoVeiculo").await? {
            let own = lists::vehicle_types(&json);
            listed.extend(whole("tipoVeiculo", &own, items(&json).len()));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/beneficio/vencimento").await? {
            let own = lists::due_days(&json);
            listed.extend(whole("vencimento", &own, items(&json).len()));
            wanted.extend(own);
        }
        let (mut fields, mut told) = (Some(Vec::new()), 0);
        for kind in BenefitKind::ALL {
            match self.list(&format!("/ext/administracao/campos/{}", kind.number())).await? {
                Some(json) => {
                    told += items(&json).len();
                    fields.iter_mut().for_each(|all| all.extend(lists::fields(*kind, &json)));
                }
                None => fields = None,
            }
        }
        if let Some(own) = fields {
            listed.extend(whole("campoAdicional", &own, told));
            wanted.extend(own);
        }
        if let Some(json) = self.list("/ext/crm/funil").await? {
            let own = lists::funnels(&json);
            let stages = items(&json).iter().map(|funnel| items(&funnel["etapas"]).len()).sum();
            let both = [whole("funil", &own, items(&json).len()), whole("etapa", &own, stages)];
            listed.extend(both.into_iter().flatten().filter(|one| !one.codes.is_empty()));
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
        for code in 1..=MOST_SUPPLIERS {
            match self.client.get(&format!("/ext/administracao/fornecedor/{code}")).await {
                Ok(Answer::Json { body, .. }) => {
                    let found = items(&body).into_iter().filter_map(|json| lists::supplier(json, notes));
                    let own = found.into_iter().find(|one| one.code == Some(code));
                    missing = if own.is_some() { 0 } else { missing + 1 };
                    all.extend(own);
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
            if code == MOST_SUPPLIERS {
                self.unread
                    .push(format!("GET /ext/administracao/fornecedor: lidos só os códigos até {code}"));
            }
        }
        Ok(all)
    }
}
