//! `/console/cadastros`: every register, its lists and forms made from its description (crate `registers`). All who work in
//! the association read them, administrators write them.

mod fields;
mod list;
mod overview;
mod record;

use crate::page::Refusal;
use app::App;
use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use dispatch::{get, post};
use registers::{FieldSpec, Kind, Register, Value};

pub fn routes() -> Router<App> {
    Router::new()
        .route("/console/cadastros", get(overview::page))
        .route("/console/cadastros/{registro}", get(list::page))
        .route("/console/cadastros/{registro}/novo", get(record::new).merge(post(record::create)))
        .route("/console/cadastros/{registro}/{codigo}", get(record::one).merge(post(record::change)))
        .route("/console/cadastros/{registro}/{codigo}/ativo", post(record::set_active))
}

/// The register that the path names.
struct Which(&'static Register);

impl<S: Send + Sync> FromRequestParts<S> for Which {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Which, Refusal> {
        let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
        let named = path.iter().find(|(name, _)| *name == "registro");
        named.and_then(|(_, path)| registers::find(path)).map(Which).ok_or(Refusal::NotThere)
    }
}

/// `Novo plano`, `Nova loja`
pub fn new_one(register: &Register) -> String {
    let new = if register.words.the_one.starts_with("a ") { "Nova" } else { "Novo" };
    format!("{new} {}", register.words.one)
}

/// `Planos`
fn all_of(register: &Register) -> String {
    crate::records::sentence(register.words.many)
}

/// The field that a record is called by.
fn named_by(register: &Register) -> Option<(usize, &'static FieldSpec)> {
    let is_name = |field: &FieldSpec| matches!(field.kind, Kind::Text { .. } | Kind::Serial { .. });
    register.fields.iter().enumerate().find(|(_, field)| is_name(field))
}

/// What a record is called: `Proteção Bronze`, `Dia 10`, `Instalação 12`.
fn title(register: &Register, code: i32, values: &[Value]) -> String {
    let text = named_by(register).and_then(|(at, _)| match values.get(at) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    });
    let what = if register.counter.is_none() { register.code } else { register.words.one };
    text.unwrap_or_else(|| format!("{} {code}", crate::records::sentence(what)))
}

/// What its badge is coloured by (`assets::colours`), where a register has colours.
fn badge_class(register: &Register, code: i32) -> Option<String> {
    match register.path {
        "situacao" => Some(format!("s{code}")),
        "etapa" => Some(format!("e{code}")),
        _ => None,
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::Cases] = &[list::CASES, overview::CASES, record::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_records_are_called_as_people_call_them() {
        let of = |path| registers::find(path).unwrap();
        assert_eq!(
            (new_one(of("loja")).as_str(), new_one(of("plano")).as_str()),
            ("Nova loja", "Novo plano")
        );
        assert_eq!(all_of(of("vencimento")), "Dias de vencimento");
        assert_eq!(title(of("vencimento"), 10, &[]), "Dia 10");
        assert_eq!(title(of("loja"), 1, &[Value::Text("Matriz".to_owned())]), "Matriz");
        assert_eq!(title(of("instalacao"), 12, &[]), "Instalação 12");
    }
}
