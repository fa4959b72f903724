//! Reads the registers. They are small, so this is done at every start.

use super::error::MirrorError;
use super::options::MirrorOptions;
use super::runner::MirrorRunner;
use crate::client::{SourceAnswer, SourceClient, SourceError};
use crate::lenient::{read_code, read_items, read_text};
use crate::lists::{self, mark_complete_list};
use domain::{BenefitKind, BranchCode, DisplayName};
use exchange::mirror_store::{self, MirrorSource, MirroredRegisterRecord, RegisterCodeList};
use serde_json::Value as Json;

/// After this many consecutive unused codes there are no more suppliers.
const MOST_UNUSED_CODES: i32 = 25;
/// An upper bound of supplier codes.
const MOST_SUPPLIERS: i32 = 100_000;

/// The data needed to create the tenant.
#[boxed::future]
pub async fn read_source(
    client: &SourceClient,
    options: &MirrorOptions,
    access: &Json,
) -> Result<MirrorSource, MirrorError> {
    let mut branches =
        lists::read_branches(&fetch_required_list(client, "/ext/administracao/loja", "as lojas").await?);
    if branches.is_empty() {
        branches = lists::read_branches(&access["permissaoLoja"]);
    }
    if branches.is_empty() {
        return Err(MirrorError::Missing("as lojas", "o usuário não acessa nenhuma".to_owned()));
    }
    let path = "/ext/beneficio/situacaoBeneficio";
    let mut records = lists::read_situations(&fetch_required_list(client, path, "as situações").await?);
    match client.get_list("/ext/crm/funil").await {
        Ok(SourceAnswer::Json { body, .. }) => records.extend(lists::read_funnels(&body)),
        Ok(_) | Err(SourceError::Single(_)) => {}
        Err(end) => return Err(end.into()),
    }
    let source_name = read_text(&access["nomeClienteSistema"]).unwrap_or_else(|| "Espelho".to_owned());
    Ok(MirrorSource {
        address: options.from.clone(),
        login: options.login.clone(),
        base: read_code(&access["codClienteSistema"]).unwrap_or(0),
        name: options
            .name
            .clone()
            .unwrap_or_else(|| source_name.chars().take(DisplayName::LONGEST).collect()),
        time_zone: options.time_zone.clone(),
        branches,
        lists: records,
        into: options.into,
        is_full: options.is_full,
    })
}

async fn fetch_required_list(
    client: &SourceClient,
    path: &str,
    what: &'static str,
) -> Result<Json, MirrorError> {
    match client.get_list(path).await? {
        SourceAnswer::Json { body, .. } => Ok(body),
        SourceAnswer::Absent => Err(MirrorError::Missing(what, format!("GET {path} não existe"))),
        SourceAnswer::Refused(status, text) => {
            Err(MirrorError::Missing(what, format!("GET {path} respondeu {status}: {text}")))
        }
    }
}

impl MirrorRunner<'_> {
    pub(super) async fn read_registers(&mut self, access: &Json) -> Result<(), MirrorError> {
        self.report_progress("cadastros", 0, None);
        let mut notes = Vec::new();
        let (mut records, mut listed): (Vec<MirroredRegisterRecord>, Vec<RegisterCodeList>) =
            (Vec::new(), Vec::new());
        if let Some(json) = self.fetch_list("/ext/administracao/loja").await? {
            let list_records = lists::read_branches(&json);
            self.branches = list_records.iter().map(|(code, _)| BranchCode::new(*code)).collect();
            records.extend(lists::build_branch_records(&list_records));
        }
        if let Some(json) = self.fetch_list("/ext/beneficio/situacaoBeneficio").await? {
            let list_records = lists::read_situations(&json);
            listed.extend(mark_complete_list("situacao", &list_records, read_items(&json).len()));
            records.extend(list_records);
        }
        if access["plano"].is_array() {
            let list_records = lists::read_plans(access, &self.registers, &mut notes);
            listed.extend(mark_complete_list("plano", &list_records, read_items(&access["plano"]).len()));
            records.extend(list_records);
        }
        if let Some(json) = self.fetch_list("/ext/administracao/vendedor").await? {
            let list_records = lists::read_sellers(&json, &mut notes);
            listed.extend(mark_complete_list("vendedor", &list_records, read_items(&json).len()));
            records.extend(list_records);
        }
        if let Some(json) = self.fetch_list("/ext/beneficio/tipoVeiculo").await? {
            let list_records = lists::read_vehicle_types(&json);
            listed.extend(mark_complete_list("tipoVeiculo", &list_records, read_items(&json).len()));
            records.extend(list_records);
        }
        if let Some(json) = self.fetch_list("/ext/beneficio/vencimento").await? {
            let list_records = lists::read_due_days(&json);
            listed.extend(mark_complete_list("vencimento", &list_records, read_items(&json).len()));
            records.extend(list_records);
        }
        let (mut fields, mut total) = (Some(Vec::new()), 0);
        for kind in BenefitKind::ALL {
            match self.fetch_list(&format!("/ext/administracao/campos/{}", kind.number())).await? {
                Some(json) => {
                    total += read_items(&json).len();
                    fields.iter_mut().for_each(|all| all.extend(lists::read_additional_fields(*kind, &json)));
                }
                None => fields = None,
            }
        }
        if let Some(list_records) = fields {
            listed.extend(mark_complete_list("campoAdicional", &list_records, total));
            records.extend(list_records);
        }
        if let Some(json) = self.fetch_list("/ext/crm/funil").await? {
            let list_records = lists::read_funnels(&json);
            let stages = read_items(&json).iter().map(|funnel| read_items(&funnel["etapas"]).len()).sum();
            let complete_lists = [
                mark_complete_list("funil", &list_records, read_items(&json).len()),
                mark_complete_list("etapa", &list_records, stages),
            ];
            listed.extend(complete_lists.into_iter().flatten().filter(|one| !one.codes.is_empty()));
            records.extend(list_records);
        }
        let suppliers = self.read_suppliers(&mut notes).await?;
        self.suppliers = suppliers.iter().filter_map(|one| one.code).collect();
        records.extend(suppliers);
        self.written += mirror_store::write_registers(self.app, &self.mirror, records, listed).await?;
        mirror_store::write_notes(self.app, &self.mirror, notes).await?;
        self.registers = mirror_store::load_current_registers(self.app, self.mirror.tenant).await?;
        Ok(())
    }

    /// Suppliers can only be fetched by code: from 1 up to the first long gap.
    async fn read_suppliers(
        &mut self,
        notes: &mut Vec<mirror_store::NewMirrorNote>,
    ) -> Result<Vec<MirroredRegisterRecord>, MirrorError> {
        let (mut all, mut missing) = (Vec::new(), 0);
        for code in 1..=MOST_SUPPLIERS {
            match self.client.get(&format!("/ext/administracao/fornecedor/{code}")).await {
                Ok(SourceAnswer::Json { body, .. }) => {
                    let found =
                        read_items(&body).into_iter().filter_map(|json| lists::read_supplier(json, notes));
                    let supplier = found.into_iter().find(|one| one.code == Some(code));
                    missing = if supplier.is_some() { 0 } else { missing + 1 };
                    all.extend(supplier);
                }
                Ok(SourceAnswer::Absent) => missing += 1,
                Ok(SourceAnswer::Refused(status, text)) => {
                    self.unread.push(format!("GET /ext/administracao/fornecedor/{code}: {status} {text}"));
                    break;
                }
                Err(SourceError::Single(reason)) => {
                    self.unread.push(format!("GET /ext/administracao/fornecedor/{code}: {reason}"));
                    missing += 1;
                }
                Err(end) => return Err(end.into()),
            }
            if missing >= MOST_UNUSED_CODES {
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
