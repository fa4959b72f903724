//! The trigger part of the `OpenAPI` document: what this server sends, and what a receiver answers.

use domain::Entity;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ComponentsBuilder, ObjectBuilder, Ref, Type};
use utoipa::openapi::{Required, ResponseBuilder};
use wire::trigger::describe_trigger_body;

pub const NAME: &str = "Gatilhos";
pub const ABOUT: &str = "O que este servidor envia aos receptores que a associação cadastrou, a cada mudança de situação: \
    um `POST` no endereço do receptor, seguido do caminho da entidade. Cada gatilho chega ao menos uma vez, os de um mesmo \
    registro em ordem e um por vez.";

const SENT: &str = "O que o receptor recebe no seu endereço, em `PATH`, a cada mudança de situação. Responda de 200 a 204 em até \
    15 segundos: qualquer outra resposta, também um redirecionamento, conta como falha, e o gatilho é enviado de novo por três \
    dias, com o mesmo `webhook-id`. Um 429 ou 503 com `Retry-After` é obedecido; um 410 pausa o receptor.";

/// The triggers, each under the path it is sent to.
pub fn describe_webhooks() -> Paths {
    let all = Entity::ALL.into_iter().fold(PathsBuilder::new(), |paths, entity| {
        paths.path(wire::entity_path(entity), PathItem::new(HttpMethod::Post, describe_trigger(entity)))
    });
    all.build()
}

/// Adds the schemas of the trigger bodies.
pub fn add_trigger_records(components: ComponentsBuilder) -> ComponentsBuilder {
    let all = Entity::ALL.into_iter().flat_map(|entity| describe_trigger_body(entity).schemas);
    all.fold(components, |components, (name, schema)| components.schema(name, schema))
}

fn describe_trigger(entity: Entity) -> OperationBuilder {
    let path = wire::entity_path(entity);
    let body =
        ContentBuilder::new().schema(Some(Ref::from_schema_name(describe_trigger_body(entity).name))).build();
    let body = RequestBodyBuilder::new().content("application/json", body).required(Some(Required::True));
    let operation = OperationBuilder::new()
        .tag(NAME)
        .summary(Some(format!("Mudança de situação: {path}")))
        .description(Some(SENT.replace("PATH", &format!("/{path}"))))
        .operation_id(Some(format!("gatilho_{path}")))
        .request_body(Some(body.build()));
    let operation = describe_webhook_headers().into_iter().fold(operation, OperationBuilder::parameter);
    ["200", "201", "202", "203", "204"].into_iter().fold(operation, |operation, status| {
        let accepted = "O receptor aceitou o gatilho. O corpo, se houver, é ignorado.";
        operation.response(status, ResponseBuilder::new().description(accepted).build())
    })
}

/// The headers of Standard Webhooks.
fn describe_webhook_headers() -> [Parameter; 3] {
    [
        (
            "webhook-id",
            Type::String,
            "O nome deste gatilho, o mesmo em todas as tentativas: guarde os que já tratou.",
            "msg_1_918_3f2a9c01b7de".into(),
        ),
        (
            "webhook-timestamp",
            Type::Integer,
            "Quando esta tentativa foi feita, em segundos desde 1970; recuse o que for muito distante do seu relógio.",
            1_794_663_125.into(),
        ),
        (
            "webhook-signature",
            Type::String,
            "Uma ou mais assinaturas `v1,…` de `id.timestamp.corpo`, separadas por um espaço: HMAC-SHA256 em base64, com a chave \
             que segue `whsec_` no segredo do receptor (Standard Webhooks 1.0).",
            "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=".into(),
        ),
    ]
    .map(|(name, kind, text, example): (_, _, _, serde_json::Value)| {
        let schema = ObjectBuilder::new().schema_type(kind).examples([example]);
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(text))
            .schema(Some(schema))
            .build()
    })
}
