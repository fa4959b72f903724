//! What the audit keeps of an export: before its first row leaves, who has which list, by which filters; and behind the
//! last, how many rows. Filters that may name somebody are told by their names alone.

use super::List;
use crate::access::Session;
use crate::{App, Error};
use domain::Sheet;
use storage::Lane;
use storage::audit::{self, Entry};

/// What the audit calls it.
pub const OPERATION: &str = "GET /gestao/exportacao";

/// Filters whose values say nothing of anybody.
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
];

fn filters(pairs: &[(String, String)]) -> String {
    let given =
        pairs.iter().filter(|(name, text)| !text.is_empty() && !matches!(&**name, "formato" | "colunas"));
    let told: Vec<String> = given
        .map(|(name, text)| match PLAIN.contains(&name.as_str()) {
            true => format!("{name}={}", text.chars().take(40).collect::<String>()),
            false => name.chars().take(40).collect(),
        })
        .collect();
    if told.is_empty() { "sem filtros".to_owned() } else { format!("com os filtros {}", told.join(", ")) }
}

#[boxed::future]
pub async fn begun(
    app: &App,
    caller: &Session,
    list: &List,
    format: Sheet,
    pairs: &[(String, String)],
) -> Result<(), Error> {
    let format = wire::names::sheet(format);
    append(app, caller, format!("exportou a lista {} em {format}, {}", list.name, filters(pairs))).await
}

#[boxed::future]
pub async fn ended(app: &App, caller: &Session, list: &List, rows: u64, whole: bool) -> Result<(), Error> {
    let how = if whole { "terminou" } else { "parou" };
    append(app, caller, format!("{how} de exportar a lista {}, com {rows} linhas", list.name)).await
}

async fn append(app: &App, caller: &Session, detail: String) -> Result<(), Error> {
    let tenant = caller.scope.tenant();
    let (user, detail) = (Some(caller.user), Some(detail));
    let entry = Entry { tenant, at: app.now(), user, operation: OPERATION, person: None, detail };
    app.db.write(Lane::of(tenant), entry, |tx, entry| Box::pin(audit::append(tx, entry))).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_name_somebody_is_told_by_its_name_alone() {
        let pairs = [("nome", "Maria"), ("codLoja", "2"), ("cpf", ""), ("formato", "csv")];
        let pairs: Vec<_> = pairs.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        assert_eq!(filters(&pairs), "com os filtros nome, codLoja=2");
        assert_eq!(filters(&[]), "sem filtros");
    }
}
