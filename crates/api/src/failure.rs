//! Every refusal, as `text/plain` in Portuguese. The body is the sentence; what is inside goes to the log.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    NoSuchPath,
    MethodNotAllowed,
    /// The database cannot be reached.
    Unavailable,
    /// The server was asked to stop.
    Stopping,
}

impl Failure {
    pub const ALL: [Failure; 4] =
        [Failure::NoSuchPath, Failure::MethodNotAllowed, Failure::Unavailable, Failure::Stopping];

    pub fn status(self) -> StatusCode {
        match self {
            Failure::NoSuchPath => StatusCode::NOT_FOUND,
            Failure::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Failure::Unavailable | Failure::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Failure::NoSuchPath => "Este endereço não existe neste servidor.",
            Failure::MethodNotAllowed => {
                "Este endereço não aceita este método; veja no cabeçalho Allow os que ele aceita."
            }
            Failure::Unavailable => "O banco de dados não responde no momento; tente de novo em instantes.",
            Failure::Stopping => "O servidor está sendo desligado; tente de novo em instantes.",
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        (self.status(), [(header::CONTENT_TYPE, plain)], format!("{}\n", self.text())).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_is_a_refusal_in_plain_text() {
        for failure in Failure::ALL {
            let response = failure.into_response();
            assert!(
                response.status().is_client_error() || response.status().is_server_error(),
                "{failure:?}"
            );
            assert_eq!(response.headers()[header::CONTENT_TYPE], "text/plain; charset=utf-8", "{failure:?}");
        }
    }
}
