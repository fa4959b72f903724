//! The `OpenAPI` document, built from the route table and the records.

use crate::extract::list_path_codes;
use crate::operation::{AllowedCallers, ApiOperation, DocsSection};
use crate::routes::list_operations;
use crate::webhooks;
use axum::http::Method;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ComponentsBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::server::ServerBuilder;
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder, Required, Response, ResponseBuilder};
use wire::read::{BoundedInt, DocumentedField, JsonInput};

/// The version of the API, not of the program.
pub const VERSION: &str = "1.84";

const ABOUT: &str = "Integração com a associação: associados, benefícios, eventos e vendas.\n\n\
    Entre em `POST /ext/autenticacao` com usuário e senha e envie o token recebido em `Authorization: Bearer` nas outras \
    operações. Toda recusa vem em `text/plain`, em português, com um problema por linha. Em `POST` e `PUT`, o cabeçalho \
    `Idempotency-Key` permite repetir um pedido sem fazê-lo duas vezes.";

pub fn build_document() -> OpenApi {
    describe_operations(list_operations())
}

fn describe_operations(operations: &[ApiOperation]) -> OpenApi {
    let mut components = ComponentsBuilder::new()
        .security_scheme("basic", build_security_scheme(HttpAuthScheme::Basic, "Usuário (e-mail) e senha."))
        .security_scheme(
            "bearer",
            build_security_scheme(
                HttpAuthScheme::Bearer,
                "O token de `POST /ext/autenticacao`, por 12 horas.",
            ),
        );
    let records =
        operations.iter().flat_map(|one| [one.body.as_ref().map(|body| &body.record), one.answer.as_ref()]);
    for named in records.flatten() {
        for (name, schema) in &named.schemas {
            components = components.schema(name, schema.clone());
        }
    }
    let components = webhooks::add_trigger_records(components);
    let mut paths = PathsBuilder::new();
    for one in operations {
        let mut item = PathItem::default();
        add_operation(&mut item, one);
        paths = paths.path(one.path, item);
    }
    let sections = DocsSection::ALL
        .map(|one| (one.name(), one.text()))
        .into_iter()
        .chain([(webhooks::NAME, webhooks::ABOUT)]);
    let tags: Vec<_> =
        sections.map(|(name, text)| TagBuilder::new().name(name).description(Some(text)).build()).collect();
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title("Amparo").version(VERSION).description(Some(ABOUT)))
        .servers(Some([ServerBuilder::new().url("./").description(Some("Este servidor")).build()]))
        .tags(Some(tags))
        .components(Some(components.build()))
        .paths(paths)
        .webhooks(Some(webhooks::describe_webhooks()))
        .build()
}

fn build_security_scheme(scheme: HttpAuthScheme, text: &str) -> SecurityScheme {
    SecurityScheme::Http(HttpBuilder::new().scheme(scheme).description(Some(text)).build())
}

fn add_operation(item: &mut PathItem, one: &ApiOperation) {
    let method = match one.method {
        Method::POST => HttpMethod::Post,
        Method::PUT => HttpMethod::Put,
        Method::DELETE => HttpMethod::Delete,
        _ => HttpMethod::Get,
    };
    let mut described = PathItem::new(method, describe_operation(one));
    item.merge_operations(std::mem::take(&mut described));
}

fn describe_operation(one: &ApiOperation) -> utoipa::openapi::path::Operation {
    let mut operation = OperationBuilder::new()
        .tag(one.section.name())
        .summary(Some(one.summary))
        .description(Some(one.text))
        .operation_id(Some(build_operation_id(one)));
    operation = match one.access {
        // The specification declares no security here; a token that is sent anyway selects the tenant.
        AllowedCallers::Open => operation,
        AllowedCallers::Login => operation.security(require_scheme("basic")),
        AllowedCallers::AnyToken | AllowedCallers::Roles(_) => operation.security(require_scheme("bearer")),
    };
    for parameter in
        list_path_codes(one.path).map(describe_path_code).chain(one.query.iter().map(describe_query_field))
    {
        operation = operation.parameter(parameter);
    }
    if let Some(body) = &one.body {
        let content = ContentBuilder::new().schema(Some(body.record.reference.clone())).build();
        let required = if body.required { Required::True } else { Required::False };
        let body = RequestBodyBuilder::new().content("application/json", content).required(Some(required));
        operation = operation.request_body(Some(body.build())).parameter(describe_idempotency_header());
    }
    if !one.takes_file.is_empty() {
        let content = || ContentBuilder::new().schema(Some(build_binary_schema())).build();
        let mut body = RequestBodyBuilder::new().description(Some("Os bytes do arquivo, como são."));
        for kind in one.takes_file {
            body = body.content(*kind, content());
        }
        operation = operation
            .request_body(Some(body.required(Some(Required::True)).build()))
            .parameter(describe_idempotency_header());
    }
    if has_second_factor_header(one) {
        operation = operation.parameter(describe_second_factor_header());
    }
    let mut ok = ResponseBuilder::new().description("Feito.");
    if let Some(answer) = &one.answer {
        ok = ok.content(
            "application/json",
            ContentBuilder::new().schema(Some(answer.reference.clone())).build(),
        );
    }
    for kind in one.answers_file {
        ok = ok.content(*kind, ContentBuilder::new().schema(Some(build_binary_schema())).build());
    }
    operation = operation.response("200", ok.build());
    for (status, text) in list_refusals(one) {
        operation = operation.response(status, build_refusal_response(text));
    }
    operation.build()
}

/// A file without further description.
fn build_binary_schema() -> utoipa::openapi::schema::Object {
    let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
    ObjectBuilder::new().schema_type(Type::String).format(Some(binary)).build()
}

fn require_scheme(scheme: &str) -> SecurityRequirement {
    SecurityRequirement::new(scheme, Vec::<String>::new())
}

/// `post_ext_autenticacao`; must never change.
fn build_operation_id(one: &ApiOperation) -> String {
    let path: Vec<&str> =
        one.path.split('/').map(|part| part.trim_matches(['{', '}'])).filter(|p| !p.is_empty()).collect();
    format!("{}_{}", one.method.as_str().to_lowercase(), path.join("_"))
}

fn list_refusals(one: &ApiOperation) -> Vec<(&'static str, &'static str)> {
    let mut refusals = Vec::new();
    let has_code = list_path_codes(one.path).next().is_some();
    if has_code || !one.query.is_empty() || one.body.is_some() {
        refusals.push(("400", "O que foi enviado não serve: um problema por linha."));
    }
    refusals.push(("401", "O acesso falta, não vale ou já venceu."));
    match one.access {
        AllowedCallers::Roles(_) if one.path.starts_with("/gestao/") => {
            refusals.push((
                "403",
                "O perfil do usuário, ou um token obtido sem o segundo fator, não permite esta operação.",
            ));
        }
        AllowedCallers::Roles(_) => refusals.push(("403", "O perfil do usuário não permite esta operação.")),
        AllowedCallers::Login if has_second_factor_header(one) => {
            refusals.push(("403", "O usuário tem o segundo fator, e o código não veio."));
        }
        AllowedCallers::Open | AllowedCallers::Login | AllowedCallers::AnyToken => {}
    }
    if one.path == "/gestao/historico" {
        refusals.push(("409", "A base voltou a um estado anterior; o texto diz como continuar."));
    }
    if one.path == "/ext/financeiro/titulo/{codTitulo}/boleto" && one.body.is_none() {
        refusals.push(("409", "O título não está aberto."));
    }
    if has_code {
        refusals.push(("404", "O código no endereço não existe, ou está fora das lojas do usuário."));
    }
    if one.body.is_some() {
        refusals.extend([
            ("409", "O pedido não combina com o estado atual."),
            ("413", "O corpo passa de 1 MiB."),
            ("415", "O corpo não é JSON."),
            ("422", "A chave de Idempotency-Key já foi usada com outro corpo."),
        ]);
    }
    if !one.takes_file.is_empty() {
        refusals.extend([
            ("409", "O registro já tem o máximo de arquivos, ou a base o máximo de espaço."),
            ("413", "O arquivo passa do tamanho máximo."),
            ("422", "A chave de Idempotency-Key já foi usada com outro corpo."),
        ]);
    }
    if one.access == AllowedCallers::Login || one.access == AllowedCallers::Open && one.body.is_some() {
        refusals.push(("429", "Tentativas demais; espere o tempo de Retry-After."));
    }
    refusals.extend([
        ("500", "Um defeito do servidor; o texto traz o código do pedido."),
        ("503", "O banco de dados não responde no momento."),
    ]);
    refusals
}

fn build_refusal_response(text: &str) -> Response {
    let plain = ObjectBuilder::new().schema_type(Type::String).build();
    let id =
        HeaderBuilder::new().schema(Some(plain.clone())).description(Some("O código do pedido.")).build();
    ResponseBuilder::new()
        .description(text)
        .content("text/plain", ContentBuilder::new().schema(Some(plain)).build())
        .header("X-Request-Id", id)
        .build()
}

/// A code in the path. One of them is a kind of benefit and not the code of a record.
fn describe_path_code(name: &str) -> Parameter {
    let (text, schema) = match name {
        "codigo" => (
            "O tipo de benefício: 0 Veicular, 1 Saúde, 2 Diversos, 3 Consórcio ou 4 Assistência 24H.",
            <BoundedInt<0, 4> as JsonInput>::schema(),
        ),
        _ => ("O código do registro de que a operação trata.", <i32 as JsonInput>::schema()),
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(text))
        .schema(Some(schema))
        .example(Some(1.into()))
        .build()
}

/// A query parameter.
fn describe_query_field(field: &DocumentedField) -> Parameter {
    ParameterBuilder::new()
        .name(field.name)
        .parameter_in(ParameterIn::Query)
        .required(if field.required { Required::True } else { Required::False })
        .description(Some(&field.text))
        .schema(Some(field.schema.clone()))
        .example(Some(field.example.clone()))
        .build()
}

/// Whether the operation accepts a second factor beside the password.
fn has_second_factor_header(one: &ApiOperation) -> bool {
    matches!(one.access, AllowedCallers::Login) && one.path.starts_with("/gestao/")
}

fn describe_second_factor_header() -> Parameter {
    ParameterBuilder::new()
        .name("X-Codigo")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("Um código do aplicativo, ou de recuperação; só de quem tem o segundo fator."))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(255))))
        .build()
}

fn describe_idempotency_header() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "Uma chave que só este pedido tem. Repetido com a mesma chave em até 24 horas, ele recebe a primeira resposta, \
             sem ser feito de novo.",
        ))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(255))))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{get, post, put};
    use serde_json::{Value, json};
    use wire::records::{CancelamentoInput, PesquisaBeneficioQuery, UsuarioInput, UsuarioTO};

    fn described() -> Value {
        let nothing = async || "";
        serde_json::to_value(describe_operations(&[
            get("/ext/coisa", AllowedCallers::ANY_ROLE, nothing).with_query::<PesquisaBeneficioQuery>(),
            put("/ext/coisa/{codCoisa}/cancelar", AllowedCallers::ANY_ROLE, nothing)
                .with_optional_body::<CancelamentoInput>()
                .with_answer::<UsuarioTO>(),
            post("/ext/coisa/{codCoisa}/parte/{codParte}", AllowedCallers::ANY_ROLE, nothing)
                .with_body::<UsuarioInput>(),
        ]))
        .unwrap()
    }

    fn statuses(operation: &Value) -> Vec<&str> {
        operation["responses"].as_object().unwrap().keys().map(String::as_str).collect()
    }

    fn parameters(operation: &Value) -> Vec<(&str, &str, bool)> {
        let all = operation["parameters"].as_array().unwrap().iter();
        all.map(|one| {
            let (place, name, required) =
                (one["in"].as_str(), one["name"].as_str(), one["required"].as_bool());
            (place.unwrap(), name.unwrap(), required.unwrap())
        })
        .collect()
    }

    #[test]
    fn a_query_is_told_field_by_field() {
        let document = described();
        let operation = &document["paths"]["/ext/coisa"]["get"];
        let names =
            ["cpf", "cnpj", "placa", "chassi", "sequencial", "numeroCartaoDesconto", "situacaoBeneficio"];
        for (parameter, name) in parameters(operation).into_iter().zip(names) {
            assert_eq!(parameter, ("query", name, false));
        }
        assert_eq!(
            operation["parameters"][4],
            json!({"name": "sequencial", "in": "query", "description": "Número sequencial do benefício.",
                "required": false, "example": 12,
                "schema": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 2_147_483_647}})
        );
        assert_eq!(statuses(operation), ["200", "400", "401", "403", "500", "503"]);
        assert!(operation["requestBody"].is_null());
    }

    #[test]
    fn a_body_that_may_be_left_out_is_told_as_such() {
        let document = described();
        let operation = &document["paths"]["/ext/coisa/{codCoisa}/cancelar"]["put"];
        assert_eq!(operation["operationId"], "put_ext_coisa_codCoisa_cancelar");
        assert_eq!(parameters(operation), [("path", "codCoisa", true), ("header", "Idempotency-Key", false)]);
        assert_eq!(operation["parameters"][0]["schema"], json!({"type": "integer", "format": "int32"}));
        assert_eq!(
            operation["requestBody"],
            json!({"required": false, "content": {"application/json":
                {"schema": {"$ref": "#/components/schemas/CancelamentoInputTO"}}}})
        );
        let schemas = document["components"]["schemas"].as_object().unwrap();
        assert!(schemas.contains_key("CancelamentoInputTO") && schemas.contains_key("UsuarioTO"));
        let all = ["200", "400", "401", "403", "404", "409", "413", "415", "422", "500", "503"];
        assert_eq!(statuses(operation), all);
    }

    #[test]
    fn every_code_of_a_path_is_told() {
        let document = described();
        let operation = &document["paths"]["/ext/coisa/{codCoisa}/parte/{codParte}"]["post"];
        let key = ("header", "Idempotency-Key", false);
        assert_eq!(parameters(operation), [("path", "codCoisa", true), ("path", "codParte", true), key]);
        assert_eq!(operation["requestBody"]["required"], true);
    }
}
