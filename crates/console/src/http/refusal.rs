//! Why a request is not served: each reason with its status, title and sentence.

use super::security_headers::SECURITY_HEADERS;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{DatabaseFault, RepeatLimit};
use std::time::Instant;

/// Errors that are answered with a sentence instead of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Sent by a page of another site.
    ForeignSite,
    NotAForm,
    /// The console is not for program users.
    ForPeople,
    Forbidden,
    NotThere,
    TooLarge,
    Unreadable,
    TooOften,
    Unavailable,
    /// The database refuses to work until an operator repairs it.
    DatabaseFault(DatabaseFault),
    /// Workbooks being written or read.
    TooManyExports,
    TooManyWorkbooks,
    /// The file storage is unavailable.
    FilesAway,
    Broken,
}

impl Refusal {
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::ForeignSite | Refusal::ForPeople | Refusal::Forbidden => StatusCode::FORBIDDEN,
            Refusal::NotAForm => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::NotThere => StatusCode::NOT_FOUND,
            Refusal::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::Unreadable => StatusCode::BAD_REQUEST,
            Refusal::TooOften => StatusCode::TOO_MANY_REQUESTS,
            Refusal::Unavailable
            | Refusal::DatabaseFault(_)
            | Refusal::FilesAway
            | Refusal::TooManyExports
            | Refusal::TooManyWorkbooks => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Short text for the top of a page.
    pub fn title(self) -> &'static str {
        match self {
            Refusal::ForeignSite => "Este formulário veio de outro site",
            Refusal::NotAForm | Refusal::Unreadable => "O formulário não pôde ser lido",
            Refusal::ForPeople => "Este usuário é de um programa",
            Refusal::Forbidden => "Esta página é do administrador",
            Refusal::NotThere => "Não encontramos esta página",
            Refusal::TooLarge => "O formulário é grande demais",
            Refusal::TooOften | Refusal::TooManyExports | Refusal::TooManyWorkbooks => {
                "Um instante, por favor"
            }
            Refusal::Unavailable | Refusal::FilesAway => "Voltamos em instantes",
            Refusal::DatabaseFault(_) => "O servidor precisa de cuidados",
            Refusal::Broken => "Algo deu errado",
        }
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Refusal::ForeignSite => {
                "Este formulário veio de outro site; abra a página neste servidor e envie de novo."
            }
            Refusal::NotAForm => "Este endereço recebe apenas formulários de páginas.",
            Refusal::ForPeople => {
                "Este usuário é de um programa (perfil integração) e não usa o console; entre com o seu próprio usuário."
            }
            Refusal::Forbidden => {
                "O seu perfil não permite ver esta página; fale com o administrador da associação."
            }
            Refusal::NotThere => "Não há nada aqui, ou não está nas lojas que você pode ver.",
            Refusal::TooLarge => "O formulário é grande demais.",
            Refusal::Unreadable => "O formulário chegou incompleto; envie de novo.",
            Refusal::TooOften => "Houve pedidos demais deste endereço; tente de novo daqui a um minuto.",
            Refusal::Unavailable => "O banco de dados não responde no momento; tente de novo em instantes.",
            Refusal::DatabaseFault(fault) => wire::database_fault::describe_database_fault(fault),
            Refusal::TooManyExports => {
                "Há exportações demais em XLSX ao mesmo tempo; tente de novo em instantes, ou exporte em CSV."
            }
            Refusal::TooManyWorkbooks => {
                "Há planilhas demais sendo lidas ao mesmo tempo; tente de novo em instantes, ou envie em CSV."
            }
            Refusal::FilesAway => {
                "Os arquivos não podem ser lidos nem gravados no momento; tente de novo em instantes."
            }
            Refusal::Broken => "Algo deu errado por dentro; tente de novo em instantes.",
        }
    }
}

/// A plain sentence; `widgets/refusal_page.rs` recognizes it by the extension and turns it into a page for browsers.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let plain = [(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))];
        let mut response =
            (self.status(), SECURITY_HEADERS, plain, format!("{}\n", self.sentence())).into_response();
        if self == Refusal::TooOften {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Each lasts, and every request runs into it.
static LASTING_FAILURES_LOGGED: RepeatLimit = RepeatLimit::new();

impl From<app::Error> for Refusal {
    fn from(error: app::Error) -> Refusal {
        match error {
            app::Error::NotFound { .. } | app::Error::NoRecord(_) => return Refusal::NotThere,
            app::Error::Forbidden => return Refusal::Forbidden,
            app::Error::TooManyFailures(_) | app::Error::TooManyRequests(_) => return Refusal::TooOften,
            app::Error::NoPlace(app::HeavyWork::WorkbookExport) => return Refusal::TooManyExports,
            app::Error::NoPlace(app::HeavyWork::WorkbookReading) => return Refusal::TooManyWorkbooks,
            app::Error::Files(_) | app::Error::AuditBacklogFull => {
                if let Some(left_out) = LASTING_FAILURES_LOGGED.take_turn(Instant::now()) {
                    tracing::warn!(%error, left_out, "pages could not be answered");
                }
            }
            _ => app::warn_unless_outage!(error, "a page could not be answered"),
        }
        if let Some(fault) = error.database_fault() {
            return Refusal::DatabaseFault(fault);
        }
        match error {
            app::Error::Files(_) => Refusal::FilesAway,
            error if error.is_transient() => Refusal::Unavailable,
            _ => Refusal::Broken,
        }
    }
}
