//! An example of each kind of sheet: every column that it may have, and one line of somebody who does not exist.

use super::errors::attachment;
use crate::page::Refusal;
use crate::visitor::Guest;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::response::Response;
use domain::ImportKind;
use wire::sheet::{Cell, Column, columns, kind_from, kind_name};

/// The kind that the path names.
pub struct Which(ImportKind);

impl<S: Send + Sync> FromRequestParts<S> for Which {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Which, Refusal> {
        let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
        let found = path.iter().find_map(|(_, value)| kind_from(value.strip_suffix(".csv")?));
        found.map(Which).ok_or(Refusal::NotThere)
    }
}

/// `GET /console/importar/exemplos/{tipo}.csv`
pub async fn file(_: Guest, Which(kind): Which) -> Response {
    attachment(&format!("exemplo-{}.csv", kind_name(kind)), Body::from(sheet(kind)))
}

/// With the mark by which a sheet knows UTF-8, parted as sheets in Brazil part it.
fn sheet(kind: ImportKind) -> String {
    let line = |cell: &dyn Fn(&Column) -> &'static str| {
        let cells: Vec<&str> = columns(kind).iter().map(cell).collect();
        cells.join(";")
    };
    format!("\u{FEFF}{}\r\n{}\r\n", line(&|one| one.label), line(&|one| example(kind, one)))
}

/// What is right in any association; codes, and what each registers for itself, are left empty.
fn example(kind: ImportKind, column: &Column) -> &'static str {
    match (kind, column.name) {
        (ImportKind::Dependents, "cpf") => "153.509.460-56",
        (ImportKind::Dependents, "nome") => "Pedro Exemplo da Silva",
        (ImportKind::Dependents, "placa") => "ABC1D23",
        (ImportKind::Plans, "nome") => "Plano de exemplo",
        (ImportKind::Sellers, "nome") => "Carlos Exemplo de Souza",
        (ImportKind::Plans, "valor") => "99,90",
        (_, "valorVeiculo" | "valorProtegido") => "45.000,00",
        (_, "nomePessoa" | "nome") => "Maria Exemplo da Silva",
        (_, "email") => "maria@exemplo.com.br",
        (_, "placa") => "ABC1D23",
        (_, "marca") => "Fiat",
        (_, "modelo") => "Argo 1.0",
        (_, "cor") => "Prata",
        (_, "anoFabricacao") => "2022",
        (_, "anoModelo") => "2023",
        (_, "diaVencimento") => "10",
        (_, "endereco.logradouro") => "Rua das Acácias",
        (_, "endereco.numero") => "100",
        (_, "endereco.bairro") => "Centro",
        (_, "endereco.cidade" | "cidade") => "Belo Horizonte",
        (_, "mensagem") => "Quer saber o preço da proteção do carro",
        (_, "origem") => "Site",
        (_, "dataNascimento") => "25/03/1988",
        (_, "dataAdesao") => "01/02/2024",
        _ => of_cell(column.cell),
    }
}

fn of_cell(cell: Cell) -> &'static str {
    match cell {
        Cell::Document => "529.982.247-25",
        Cell::Phone => "(31)99999-0000",
        Cell::Sex => "Feminino",
        Cell::Kinship => "Filho",
        Cell::Cep => "30110-000",
        Cell::Uf => "MG",
        Cell::Flag => "Sim",
        Cell::BenefitKind => "VEICULAR",
        Cell::SellerKind => "Consultor",
        Cell::Money => "1.500,00",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use wire::sheet::suggested;

    #[test]
    fn an_example_is_understood_without_choosing_anything() {
        for kind in ImportKind::ALL {
            let text = sheet(*kind);
            let mut lines = text.trim_start_matches('\u{FEFF}').lines();
            let headers: Vec<String> = lines.next().unwrap().split(';').map(str::to_owned).collect();
            let cells = lines.next().unwrap().split(';').count();
            let fields: Vec<&str> = columns(*kind).iter().map(|one| one.name).collect();
            assert_eq!(suggested(*kind, &headers, &BTreeMap::new()), fields, "{kind:?}");
            assert_eq!(cells, fields.len(), "{kind:?}");
            for one in columns(*kind).iter().filter(|one| one.required) {
                assert!(!example(*kind, one).is_empty(), "{kind:?}: {}", one.label);
            }
        }
    }
}
