//! `/console/cadastros`: lists and forms of every register, generated from its description (crate `registers`). All
//! users of the tenant read them, administrators write them.

mod fields;
mod list;
mod overview;
mod record;

use crate::http::refusal::Refusal;
use crate::page_route::{PageRoute, routes};
use crate::widgets::form_problems::capitalize_sentence;
use ::registers::{FieldContent, FieldSpec, FieldType, Register};
use app::register_snapshot::load_registers;
use app::session::Session;
use app::{App, Error};
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

pub fn list_register_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/cadastros"                           SignedIn      overview::show_register_overview;
        get  "/console/cadastros/{registro}"                SignedIn      list::show_register_list;
        get  "/console/cadastros/{registro}/novo"           Administrator record::show_new_record_form;
        post "/console/cadastros/{registro}/novo"           Administrator record::create_record;
        get  "/console/cadastros/{registro}/{codigo}"       SignedIn      record::show_record_page;
        post "/console/cadastros/{registro}/{codigo}"       Administrator record::change_record;
        post "/console/cadastros/{registro}/{codigo}/ativo" Administrator record::set_record_active;
    }
}

/// The register that the path names.
struct RegisterParam(&'static Register);

impl<S: Send + Sync> FromRequestParts<S> for RegisterParam {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<RegisterParam, Refusal> {
        let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
        let named = path.iter().find(|(name, _)| *name == "registro");
        named.and_then(|(_, path)| registers::find_register(path)).map(RegisterParam).ok_or(Refusal::NotThere)
    }
}

/// The fields of a register that a page may show. Those that refer to a protection group are left out while the
/// association has a single one: then there is nothing to choose, and the stored or default value stays.
struct ShownFields {
    shows_groups: bool,
}

impl ShownFields {
    async fn load(app: &App, caller: &Session) -> Result<ShownFields, Error> {
        let registers = load_registers(app, caller.scope.tenant()).await?;
        Ok(ShownFields { shows_groups: registers.money.has_several_groups() })
    }

    fn has_field(&self, field: &FieldSpec) -> bool {
        self.shows_groups || field.kind != FieldType::Reference("grupoProtecao")
    }
}

/// `Novo plano`, `Nova loja`
pub fn format_new_title(register: &Register) -> String {
    let new = if register.words.the_one.starts_with("a ") { "Nova" } else { "Novo" };
    format!("{new} {}", register.words.one)
}

/// `Planos`
fn format_plural_title(register: &Register) -> String {
    capitalize_sentence(register.words.many)
}

/// The field that names a record.
fn find_name_field(register: &Register) -> Option<(usize, &'static FieldSpec)> {
    let is_name = |field: &FieldSpec| matches!(field.kind, FieldType::Text { .. } | FieldType::Serial { .. });
    register.fields.iter().enumerate().find(|(_, field)| is_name(field))
}

/// Display name of a record: `Proteção Bronze`, `Dia 10`, `Instalação 12`.
fn format_record_title(register: &Register, code: i32, values: &[FieldContent]) -> String {
    let text = find_name_field(register).and_then(|(at, _)| match values.get(at) {
        Some(FieldContent::Text(text)) => Some(text.clone()),
        _ => None,
    });
    let what = if register.counter.is_none() { register.code } else { register.words.one };
    text.unwrap_or_else(|| format!("{} {code}", capitalize_sentence(what)))
}

/// Class with the badge's colour (`widgets::assets::serve_badge_colours`), for registers that have colours.
fn find_badge_class(register: &Register, code: i32) -> Option<String> {
    match register.path {
        "situacao" => Some(format!("s{code}")),
        "etapa" => Some(format!("e{code}")),
        _ => None,
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] = &[list::CASES, overview::CASES, record::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_records_are_called_as_people_call_them() {
        let find = |path| registers::find_register(path).unwrap();
        assert_eq!(
            (format_new_title(find("loja")).as_str(), format_new_title(find("plano")).as_str()),
            ("Nova loja", "Novo plano")
        );
        assert_eq!(format_plural_title(find("vencimento")), "Dias de vencimento");
        assert_eq!(format_record_title(find("vencimento"), 10, &[]), "Dia 10");
        assert_eq!(
            format_record_title(find("loja"), 1, &[FieldContent::Text("Matriz".to_owned())]),
            "Matriz"
        );
        assert_eq!(format_record_title(find("instalacao"), 12, &[]), "Instalação 12");
    }
}
