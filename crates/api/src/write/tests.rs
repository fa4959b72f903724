//! Tests of write requests, on operations of their own.

use super::idempotency_key::REPLAYED_HEADER;
use super::request_body::{LARGEST_BODY, is_json_body};
use super::*;
use crate::extract::{AuthenticatedCaller, PathCode};
use crate::operation::{AllowedCallers, post, put};
use crate::{HttpOptions, ServerState};
use app::access;
use axum::Router;
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderMap, header};
use domain::BenefitCode;
use http_body_util::BodyExt;
use metrics_exporter_prometheus::PrometheusBuilder;
use testkit::{PASSWORD, World, both_engines};
use tower::ServiceExt;
use wire::read;
use wire::records::{CampoAdicionalInput, CancelamentoInput};

#[test]
fn only_json_or_nothing_is_a_type_for_a_body() {
    let taken =
        |kind: &str| is_json_body(&HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())]));
    for good in
        ["application/json", "application/json; charset=utf-8", "Text/JSON", "application/hal+json", ""]
    {
        assert!(taken(good), "{good}");
    }
    for bad in ["application/x-www-form-urlencoded", "text/plain", "application/jsonp", "json/x"] {
        assert!(!taken(bad), "{bad}");
    }
    assert!(is_json_body(&HeaderMap::new()));
}

/// Echoes what it read.
async fn cancel(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = async |(code, input): (BenefitCode, CancelamentoInput), _once| {
        let reason = input.reason.into_set().map(|reason| reason.as_str().to_owned());
        Ok(WriteOutcome::Fresh((code.get(), reason)))
    };
    write.answer(&state, &caller, read, act, Clone::clone).await
}

/// Answers the number of records.
async fn fill(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<BenefitCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = async |(code, fields): (BenefitCode, Vec<CampoAdicionalInput>), _once| {
        Ok(WriteOutcome::Fresh((code.get(), fields.len())))
    };
    write.answer(&state, &caller, read, act, Clone::clone).await
}

struct Calls {
    router: Router,
    token: String,
}

impl Calls {
    async fn on(world: &World) -> Calls {
        let app = world.app().clone();
        let address = std::net::IpAddr::from([192, 0, 2, 1]).into();
        let token =
            access::log_in_program(&app, &world.operator.email, PASSWORD, address).await.unwrap().token;
        let recorder = PrometheusBuilder::new().build_recorder();
        let state = ServerState::new(
            app,
            app::Vault::new(&[7; 32]).unwrap(),
            recorder.handle(),
            Arc::new(HttpOptions::default()),
        );
        let (anybody, nobody) = (AllowedCallers::ANY_ROLE, AllowedCallers::Roles(&[]));
        let table = [
            put("/coisa/{codCoisa}/cancelar", anybody, cancel),
            post("/coisa/{codCoisa}/campos", anybody, fill),
            put("/coisa/{codCoisa}/alheia", nobody, cancel),
        ];
        let router = table.into_iter().fold(Router::new(), |router, operation| {
            let (path, routed) = operation.build_route(&state);
            router.route(path, routed)
        });
        Calls { router: router.with_state(state), token }
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, bool) {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (status, replayed) = (answer.status().as_u16(), answer.headers().contains_key(REPLAYED_HEADER));
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(bytes.to_vec()).unwrap(), replayed)
    }

    /// Status and body of an authenticated call.
    async fn call(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let bearer = format!("Bearer {}", self.token);
        let (status, text, _) = self.send(method, path, &[("Authorization", &bearer)], body).await;
        (status, text)
    }
}

const BAD_CODE: &str = "codCoisa: deve ser um número inteiro, de -2147483648 a 2147483647.\n";

#[both_engines]
async fn a_body_that_may_be_absent_is_taken_in_every_form_of_nothing(world: World) {
    let calls = Calls::on(&world).await;
    for nothing in ["", " \n", "{}", "[]", r#"{"motivo": null}"#, r#"{"motivo": ""}"#] {
        let answer = calls.call("PUT", "/coisa/7/cancelar", nothing).await;
        assert_eq!(answer, (200, "[7,null]".to_owned()), "{nothing:?}");
    }
    let told = calls.call("PUT", "/coisa/7/cancelar", r#"{"motivo": "Pedido"}"#).await;
    assert_eq!(told, (200, r#"[7,"Pedido"]"#.to_owned()));
    for bad in ["null", "[1]", "7", "{"] {
        assert_eq!(calls.call("PUT", "/coisa/7/cancelar", bad).await.0, 400, "{bad}");
    }
    // Some programs send a form's content type with an empty body.
    let bearer = format!("Bearer {}", calls.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(calls.send("PUT", "/coisa/7/cancelar", &headers, "").await.0, 200);
}

#[both_engines]
async fn a_list_of_records_is_taken_and_told_by_its_places(world: World) {
    let calls = Calls::on(&world).await;
    let filled = calls.call("POST", "/coisa/7/campos", r#"[{"codCampo": 1}, {"nome": "Cor"}]"#).await;
    assert_eq!(filled, (200, "[7,2]".to_owned()));
    let (status, text) = calls.call("POST", "/coisa/7/campos", r#"[{}, {"codCampo": "x"}]"#).await;
    assert!(status == 400 && text.starts_with("[1].codCampo: "), "{text}");
}

#[both_engines]
async fn a_bad_code_is_told_after_credential_role_size_and_type_and_beside_the_body(world: World) {
    let calls = Calls::on(&world).await;
    let large = "x".repeat(LARGEST_BODY + 1);
    let path = "/coisa/x/cancelar";
    let bearer = format!("Bearer {}", calls.token);
    let form = [("Authorization", bearer.as_str()), ("Content-Type", "text/plain")];
    assert_eq!(calls.send("PUT", path, &[], &large).await.0, 401);
    assert_eq!(calls.call("PUT", "/coisa/x/alheia", &large).await.0, 403);
    assert_eq!(calls.call("PUT", path, &large).await.0, 413);
    assert_eq!(calls.send("PUT", path, &form, "x").await.0, 415);
    assert_eq!(calls.call("PUT", path, "").await, (400, BAD_CODE.to_owned()));
    let (status, text) = calls.call("PUT", path, r#"{"motivo": 7}"#).await;
    assert_eq!(status, 400);
    assert_eq!(text, format!("{BAD_CODE}motivo: deve ser um texto, entre aspas.\n"));
}

#[both_engines]
async fn the_key_counts_also_for_a_put_without_a_body(world: World) {
    let calls = Calls::on(&world).await;
    let bearer = format!("Bearer {}", calls.token);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "um")];
    let send = async |path: &str, body: &str| calls.send("PUT", path, &headers, body).await;
    let refused = (400, BAD_CODE.to_owned(), false);
    assert_eq!(send("/coisa/x/cancelar", "").await, refused);
    assert_eq!(send("/coisa/x/cancelar", "").await, (400, BAD_CODE.to_owned(), true));
    assert_eq!(send("/coisa/x/cancelar", "{}").await.0, 422, "another body");
    assert_eq!(send("/coisa/y/cancelar", "").await, refused, "another path");
}
