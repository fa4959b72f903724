//! Suggests a field for each column, by earlier mappings and by its header.

use super::columns::list_import_fields;
use super::fields::{ImportField, find_import_field};
use domain::{ImportKind, fold_text};
use std::collections::BTreeMap;

/// A column name for comparison, without case, accents and punctuation: `Data de nasc.` → `datadenasc`
pub fn fold_header(header: &str) -> String {
    fold_text(header).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The field for each column: the last mapping chosen by a user, else the one its name suggests; empty for none. A
/// field is given to the first column that matches it.
pub fn suggest_fields(
    kind: ImportKind,
    headers: &[String],
    remembered: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut assigned: Vec<&str> = Vec::new();
    let mut fields = vec![String::new(); headers.len()];
    let by_memory =
        |key: &str| remembered.get(key).map(|field| find_import_field(kind, field).map(|one| one.name));
    for (at, header) in headers.iter().enumerate() {
        if let Some(Some(field)) = by_memory(&fold_header(header))
            && !assigned.contains(&field)
        {
            assigned.push(field);
            field.clone_into(&mut fields[at]);
        }
    }
    for (at, header) in headers.iter().enumerate() {
        let key = fold_header(header);
        if !fields[at].is_empty() || by_memory(&key).is_some() {
            continue;
        }
        let named = |column: &&ImportField| {
            let names = [column.name, column.label].into_iter().chain(column.synonyms.iter().copied());
            names.into_iter().any(|name| fold_header(name) == key)
        };
        let free = list_import_fields(kind).iter().filter(|column| !assigned.contains(&column.name));
        if let Some(column) = free.into_iter().find(named) {
            assigned.push(column.name);
            column.name.clone_into(&mut fields[at]);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import_sheet::{name_import_kind, parse_import_kind};

    fn headers(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn columns_are_known_by_the_names_that_associations_give_them() {
        let names =
            headers(&["CPF", "Nome completo", "Data de nasc.", "CELULAR", "E-mail", "Cidade", "UF", "Cor"]);
        let found = suggest_fields(ImportKind::Members, &names, &BTreeMap::new());
        let expected = [
            "cpfCnpj",
            "nomePessoa",
            "dataNascimento",
            "celular",
            "email",
            "endereco.cidade",
            "endereco.uf",
            "",
        ];
        assert_eq!(found, expected);
        let names = headers(&[
            "CPF do titular",
            "Placa",
            "Vencimento",
            "Plano",
            "Situação",
            "Ano/Modelo",
            "Valor FIPE",
        ]);
        let found = suggest_fields(ImportKind::Vehicles, &names, &BTreeMap::new());
        assert_eq!(found[..5], ["cpfCnpj", "placa", "diaVencimento", "codPlano", "situacao"]);
    }

    #[test]
    fn what_somebody_said_last_counts_more_than_a_name() {
        let remembered = BTreeMap::from([
            ("obs".to_owned(), "codigoIntegracao".to_owned()),
            ("nome".to_owned(), String::new()),
            ("velho".to_owned(), "campo.que.nao.ha".to_owned()),
        ]);
        let found = suggest_fields(
            ImportKind::Members,
            &headers(&["Obs.", "Nome", "Velho", "Associado"]),
            &remembered,
        );
        assert_eq!(found, ["codigoIntegracao", "", "", "nomePessoa"]);
    }

    #[test]
    fn a_field_goes_to_one_column_and_no_name_means_two_fields() {
        let found = suggest_fields(ImportKind::Members, &headers(&["CPF", "CPF/CNPJ"]), &BTreeMap::new());
        assert_eq!(found, ["cpfCnpj", ""]);
        for kind in ImportKind::ALL {
            let mut keys = BTreeMap::new();
            for column in list_import_fields(*kind) {
                let names = [column.name, column.label].into_iter().chain(column.synonyms.iter().copied());
                let folded: std::collections::BTreeSet<String> = names.map(fold_header).collect();
                for key in folded {
                    let other = keys.insert(key.clone(), column.name);
                    assert_eq!(other, None, "{kind:?}: {key} is {} too", column.name);
                }
            }
            assert_eq!(parse_import_kind(name_import_kind(*kind)), Some(*kind));
        }
    }
}
