//! The `OpenAPI` schemas of the trigger bodies, built from the records that are sent.

use super::appointment::GatilhoConsultaObjetoTO;
use super::benefit::GatilhoBeneficioObjetoTO;
use super::claim::GatilhoEventoObjetoTO;
use super::inspection::GatilhoVistoriaObjetoTO;
use super::quote_in_brackets;
use super::ticket::GatilhoHelpDeskObjetoTO;
use super::title::GatilhoTituloObjetoTO;
use crate::set_names;
use domain::Entity;
use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Ref, RefBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

/// The schema name of a trigger's body, and every schema it refers to.
pub struct BodySchemas {
    pub name: String,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

pub fn describe_trigger_body(entity: Entity) -> BodySchemas {
    match entity {
        Entity::Benefit => {
            describe_envelope::<GatilhoBeneficioObjetoTO<'static>>("GatilhoBeneficioTO", entity)
        }
        Entity::Claim => describe_envelope::<GatilhoEventoObjetoTO<'static>>("GatilhoEventoTO", entity),
        Entity::Inspection => {
            describe_envelope::<GatilhoVistoriaObjetoTO<'static>>("GatilhoVistoriaTO", entity)
        }
        Entity::Ticket => describe_envelope::<GatilhoHelpDeskObjetoTO<'static>>("GatilhoHelpDeskTO", entity),
        Entity::Appointment => {
            describe_envelope::<GatilhoConsultaObjetoTO<'static>>("GatilhoConsultaTO", entity)
        }
        Entity::Title => describe_envelope::<GatilhoTituloObjetoTO<'static>>("GatilhoTituloTO", entity),
    }
}

fn describe_envelope<O: ToSchema + PartialSchema>(name: &str, entity: Entity) -> BodySchemas {
    let object = O::name().into_owned();
    let field = |kind: Type, text: &str, example: Value| {
        ObjectBuilder::new().schema_type(kind).description(Some(text)).examples([example])
    };
    let code = field(
        Type::Integer,
        "O código da mudança no histórico: cresce sem lacunas, e por ele se confere com `GET /gestao/historico`.",
        json!(918),
    );
    let at = field(
        Type::String,
        "Quando a situação mudou, no fuso horário da base.",
        json!("2026-11-14T10:32:05-03:00"),
    );
    let quoted = quote_in_brackets(set_names::entity(entity));
    let which = field(
        Type::String,
        "A entidade, entre colchetes e aspas, sempre a mesma neste caminho.",
        json!(quoted),
    );
    let changed: RefBuilder = Ref::builder().ref_location_from_schema_name(&object).description(Some(
        "O registro como ficou logo depois da mudança, por mais tarde que o gatilho chegue.",
    ));
    let envelope = ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some("Uma mudança de situação. Nenhuma chave falta: o que não há vem `null`."))
        .property("codHistorico", code.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32))))
        .property("dataHistorico", at.format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))))
        .property("entidade", which.enum_values(Some([quoted])))
        .property("objeto", changed)
        .required("codHistorico")
        .required("dataHistorico")
        .required("entidade")
        .required("objeto");
    let schemas = vec![(name.to_owned(), envelope.build().into()), (object, O::schema())];
    BodySchemas { name: name.to_owned(), schemas }
}
