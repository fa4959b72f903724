//! Audit entries of an export: one before the first row is sent, with the user, the list and its filters, and one after
//! the last with the row count. Filters that may identify a person are recorded without their values.

use super::exportable_lists::ExportableList;
use app::session::Session;
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, Sheet};
use storage::WriteLane;
use storage::history::audit::{self, AuditEntry};

/// The operation name in the audit.
pub const OPERATION: AuditedOperation = AuditedOperation::ExportList;

/// Filters whose values identify no person.
const PLAIN: &[&str] = &[
    "situacaoBeneficio",
    "situacao",
    "codSituacao",
    "tipoSituacao",
    "codLoja",
    "codPlano",
    "codTipo",
    "codFunil",
    "codEtapa",
    "codReceptor",
    "codUsuario",
    "codUsuarioResponsavel",
    "codResponsavel",
    "codConsultor",
    "codRepresentante",
    "uf",
    "prioridade",
    "atrasado",
    "aberto",
    "ativo",
    "perfil",
    "estado",
    "entidade",
    "entrada",
    "saida",
    "de",
    "ate",
    "paradoHaDias",
    "dataCadastroInicial",
    "dataCadastroFinal",
    "dataAtualizacao",
    "dataAberturaInicial",
    "dataAberturaFinal",
    "tipo",
    "dataEmissaoInicial",
    "dataEmissaoFinal",
    "dataVencimentoInicial",
    "dataVencimentoFinal",
    "dataLiquidacaoInicial",
    "dataLiquidacaoFinal",
    "dataPagamentoInicial",
    "dataPagamentoFinal",
    "diasAtrasoMinimo",
    "diasAtrasoMaximo",
];

/// The filters by name, with their value where it identifies no person.
fn list_filters(pairs: &[(String, String)]) -> impl Iterator<Item = String> {
    let filters =
        pairs.iter().filter(|(name, text)| !text.is_empty() && !matches!(&**name, "formato" | "colunas"));
    filters.map(|(name, text)| match PLAIN.contains(&name.as_str()) {
        true => format!("{name}={}", text.chars().take(40).collect::<String>()),
        false => name.chars().take(40).collect(),
    })
}

#[boxed::future]
pub async fn audit_export_start(
    app: &App,
    caller: &Session,
    list: &ExportableList,
    format: Sheet,
    pairs: &[(String, String)],
) -> Result<(), Error> {
    let format = wire::set_names::sheet(format);
    let change =
        AuditedChange::from(AuditedAction::BeginExport).with_argument(list.name).with_argument(format);
    append_audit_entry(app, caller, list_filters(pairs).fold(change, AuditedChange::with_argument)).await
}

#[boxed::future]
pub async fn audit_export_end(
    app: &App,
    caller: &Session,
    list: &ExportableList,
    rows: u64,
    is_complete: bool,
) -> Result<(), Error> {
    let action = if is_complete { AuditedAction::FinishExport } else { AuditedAction::StopExport };
    let change = AuditedChange::from(action).with_argument(list.name).with_argument(rows);
    append_audit_entry(app, caller, change).await
}

async fn append_audit_entry(app: &App, caller: &Session, change: AuditedChange) -> Result<(), Error> {
    let tenant = caller.scope.tenant();
    let (at, user) = (app.now(), Some(caller.user));
    let entry = AuditEntry { tenant, at, user, operation: OPERATION, person: None, change };
    app.db
        .write(WriteLane::foreground(tenant), entry, |tx, entry| {
            Box::pin(audit::append_audit_entry(tx, entry))
        })
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_name_somebody_is_told_by_its_name_alone() {
        let pairs = [("nome", "Maria"), ("codLoja", "2"), ("cpf", ""), ("formato", "csv")];
        let pairs: Vec<_> = pairs.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        assert_eq!(list_filters(&pairs).collect::<Vec<_>>(), ["nome", "codLoja=2"]);
    }
}
