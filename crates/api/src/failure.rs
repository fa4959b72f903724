//! Every refusal, as `text/plain` in Portuguese. The body is one sentence; internal details go to the log.

use app::HeavyWork;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{DatabaseFault, FileProblem, ImportProblem, Rejection, RepeatLimit};
use std::time::{Duration, Instant};
use wire::read::InputProblems;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestFailure {
    NoSuchPath,
    MethodNotAllowed,
    /// The user and password, or the token, are not valid.
    Credential(CredentialChallenge),
    /// The role does not allow the operation.
    Forbidden,
    /// The token was issued for the password alone, but its user has a second factor.
    CodeNotGiven,
    /// The tenant requires a second factor, which the caller does not have.
    FactorDemanded,
    TooLarge,
    FileTooLarge(String),
    MediaType,
    /// The `Host` header is missing, repeated or malformed.
    BadHost,
    /// The body did not arrive in time.
    Slow,
    /// The input is invalid: one problem per line.
    Input(Vec<String>),
    /// The code in the path names nothing visible to the caller.
    NotFound(String),
    /// It conflicts with the current state: one problem per line.
    Conflict(Vec<String>),
    /// The idempotency key was used before with another body.
    KeyReused,
    /// The first request with this idempotency key is still running.
    StillRunning,
    TooManyFailures(Duration),
    /// Too many validations without a credential.
    TooManyLookups(Duration),
    /// Too many sign-ins are waiting for password checks.
    Busy,
    /// The server is already reading or writing its maximum number of workbooks.
    NoPlace(HeavyWork),
    /// The user exceeded the request rate limit.
    TooManyRequests(Duration),
    /// The server has no tenant yet.
    NoTenant,
    /// No account of the association can receive a Pix.
    NoPixKey,
    /// The database cannot be reached, or does not answer in time.
    Unavailable,
    /// The database refuses to work until the operator fixes it.
    DatabaseFault(DatabaseFault),
    /// The file store is not available.
    FilesUnavailable,
    /// The database's answer was lost, so it is unknown whether the write was stored.
    Unknown,
    /// The server is shutting down.
    Stopping,
    /// An internal error. The body gives the request id, the log the details.
    Internal,
}

/// The authentication scheme to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialChallenge {
    Basic,
    Bearer,
}

/// Marks an answer whose body must contain the request id.
#[derive(Clone)]
pub(crate) struct RequestIdMarker;

/// Each of these lasts, and every request runs into it.
static REFUSALS_LOGGED: RepeatLimit = RepeatLimit::new();
static FILE_FAILURES_LOGGED: RepeatLimit = RepeatLimit::new();

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

impl RequestFailure {
    pub fn status(&self) -> StatusCode {
        match self {
            RequestFailure::NoSuchPath | RequestFailure::NotFound(_) => StatusCode::NOT_FOUND,
            RequestFailure::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            RequestFailure::Credential(_) => StatusCode::UNAUTHORIZED,
            RequestFailure::Forbidden | RequestFailure::CodeNotGiven | RequestFailure::FactorDemanded => {
                StatusCode::FORBIDDEN
            }
            RequestFailure::TooLarge | RequestFailure::FileTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            RequestFailure::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            RequestFailure::Slow => StatusCode::REQUEST_TIMEOUT,
            RequestFailure::Input(_) | RequestFailure::BadHost => StatusCode::BAD_REQUEST,
            RequestFailure::Conflict(_) | RequestFailure::StillRunning => StatusCode::CONFLICT,
            RequestFailure::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            RequestFailure::TooManyFailures(_)
            | RequestFailure::TooManyLookups(_)
            | RequestFailure::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            RequestFailure::Busy
            | RequestFailure::NoPlace(_)
            | RequestFailure::NoTenant
            | RequestFailure::NoPixKey
            | RequestFailure::Unavailable
            | RequestFailure::DatabaseFault(_)
            | RequestFailure::FilesUnavailable
            | RequestFailure::Unknown
            | RequestFailure::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            RequestFailure::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn text(&self) -> String {
        let sentence = match self {
            RequestFailure::NoSuchPath => "Este endereço não existe neste servidor.",
            RequestFailure::MethodNotAllowed => {
                "Este endereço não aceita este método; veja no cabeçalho Allow os que ele aceita."
            }
            RequestFailure::Credential(CredentialChallenge::Basic) => {
                "Usuário ou senha não conferem; confira os dois e tente de novo."
            }
            RequestFailure::Credential(CredentialChallenge::Bearer) => {
                "O acesso falta, não vale ou já venceu; entre de novo em /ext/autenticacao e envie o token em Authorization: Bearer."
            }
            RequestFailure::Forbidden => {
                "O seu perfil não permite esta operação; peça-a a um administrador da sua base."
            }
            RequestFailure::CodeNotGiven => {
                "A sua conta tem o segundo fator, e este token foi obtido só com a senha: ele serve para /ext. Para /gestao, entre em POST /gestao/sessao com a senha e, no cabeçalho X-Codigo, um código."
            }
            RequestFailure::FactorDemanded => {
                "A sua associação exige o segundo fator do seu perfil, e você ainda não o ligou: até lá este token serve para /ext. Ligue-o no console, em Minha conta."
            }
            RequestFailure::TooLarge => "O corpo do pedido é grande demais; envie no máximo 1 MiB.",
            RequestFailure::MediaType => {
                "O corpo do pedido deve ser JSON, sem compressão; envie o cabeçalho Content-Type: application/json."
            }
            RequestFailure::BadHost => {
                "O pedido deve trazer um cabeçalho Host, e um só, com o nome do servidor."
            }
            RequestFailure::Slow => "O corpo do pedido não chegou a tempo; envie de novo.",
            RequestFailure::Input(lines) | RequestFailure::Conflict(lines) => return lines.join("\n"),
            RequestFailure::NotFound(line) | RequestFailure::FileTooLarge(line) => return line.clone(),
            RequestFailure::KeyReused => {
                "Idempotency-Key: esta chave já foi usada com outro conteúdo; use uma chave nova para cada pedido."
            }
            RequestFailure::StillRunning => {
                "Idempotency-Key: o primeiro pedido com esta chave ainda está em andamento; tente de novo em instantes."
            }
            RequestFailure::TooManyFailures(wait) => {
                let wait = format_minutes(*wait);
                return format!("Houve tentativas demais com dados errados; tente de novo em {wait}.");
            }
            RequestFailure::TooManyLookups(wait) => {
                let wait = format_minutes(*wait);
                return format!(
                    "Houve consultas demais; tente de novo em {wait}. Quem consulta sem credencial pode entrar em /ext/autenticacao e enviar o token."
                );
            }
            RequestFailure::Busy => "Há entradas demais ao mesmo tempo; tente de novo em instantes.",
            RequestFailure::NoPlace(HeavyWork::WorkbookExport) => {
                "Há exportações demais em XLSX ao mesmo tempo; tente de novo em instantes, ou exporte em CSV."
            }
            RequestFailure::NoPlace(HeavyWork::WorkbookReading) => {
                "Há planilhas demais sendo lidas ao mesmo tempo; tente de novo em instantes, ou envie em CSV."
            }
            RequestFailure::TooManyRequests(_) => {
                "Este usuário faz pedidos demais; espere os segundos do cabeçalho Retry-After e continue mais devagar."
            }
            RequestFailure::NoTenant => {
                "Este servidor ainda não tem uma associação cadastrada para este endereço."
            }
            RequestFailure::NoPixKey => {
                "O Pix não está disponível: nenhuma conta que recebe por este título tem uma chave Pix; cadastre-a em Contas financeiras."
            }
            RequestFailure::Unavailable => {
                "O banco de dados não responde no momento; tente de novo em instantes."
            }
            RequestFailure::DatabaseFault(fault) => wire::database_fault::describe_database_fault(*fault),
            RequestFailure::FilesUnavailable => {
                "Os arquivos não podem ser lidos nem gravados no momento; tente de novo em instantes."
            }
            RequestFailure::Unknown => {
                "A ligação com o banco de dados caiu na hora de gravar: resultado desconhecido; confira antes de repetir."
            }
            RequestFailure::Stopping => "O servidor está encerrando; tente de novo em instantes.",
            RequestFailure::Internal => "Algo deu errado do nosso lado.",
        };
        sentence.to_owned()
    }

    /// Whether the operation itself refused, so that the answer is stored with the idempotency key.
    pub(crate) fn is_operation_refusal(&self) -> bool {
        matches!(self, RequestFailure::Input(_) | RequestFailure::NotFound(_) | RequestFailure::Conflict(_))
    }

    pub(crate) fn retry_after(&self) -> Option<u64> {
        match self {
            RequestFailure::TooManyFailures(wait)
            | RequestFailure::TooManyLookups(wait)
            | RequestFailure::TooManyRequests(wait) => Some(wait.as_millis().div_ceil(1000).max(1) as u64),
            RequestFailure::StillRunning => Some(1),
            // Somebody has to register the key first.
            RequestFailure::NoPixKey => Some(3600),
            RequestFailure::Busy
            | RequestFailure::NoPlace(_)
            | RequestFailure::Unavailable
            | RequestFailure::FilesUnavailable
            | RequestFailure::Stopping => Some(5),
            _ => None,
        }
    }
}

/// `2 minutos`
pub(crate) fn format_minutes(wait: Duration) -> String {
    let minutes = wait.as_secs().div_ceil(60).max(1);
    let unit = if minutes == 1 { "minuto" } else { "minutos" };
    format!("{minutes} {unit}")
}

impl IntoResponse for RequestFailure {
    fn into_response(self) -> Response {
        let mut response = (self.status(), format!("{}\n", self.text())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, PLAIN);
        if let Some(seconds) = self.retry_after() {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if let RequestFailure::Credential(challenge) = &self {
            let challenge = match challenge {
                CredentialChallenge::Basic => "Basic realm=\"Amparo\", charset=\"UTF-8\"",
                CredentialChallenge::Bearer => "Bearer realm=\"Amparo\"",
            };
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if self == RequestFailure::Internal {
            response.extensions_mut().insert(RequestIdMarker);
        }
        response
    }
}

fn is_too_large(rejection: &Rejection) -> bool {
    matches!(
        rejection,
        Rejection::File(FileProblem::TooLarge { .. }) | Rejection::Import(ImportProblem::TooLarge(_))
    )
}

impl From<InputProblems> for RequestFailure {
    fn from(problems: InputProblems) -> RequestFailure {
        RequestFailure::Input(problems.into_lines())
    }
}

impl From<app::Error> for RequestFailure {
    fn from(error: app::Error) -> RequestFailure {
        use app::StorageError as Storage;
        match error {
            app::Error::Refused(rejections) if rejections.iter().any(is_too_large) => {
                RequestFailure::FileTooLarge(wire::refusal::render_rejections(&rejections))
            }
            app::Error::Refused(rejections) => {
                let lines = rejections.iter().map(wire::refusal::render_rejection).collect();
                // Input problems are reported before conflicts with the state.
                match rejections.iter().all(Rejection::is_conflict) {
                    true => RequestFailure::Conflict(lines),
                    false => RequestFailure::Input(lines),
                }
            }
            app::Error::Credential => RequestFailure::Credential(CredentialChallenge::Bearer),
            app::Error::Forbidden => RequestFailure::Forbidden,
            app::Error::CodeNotGiven => RequestFailure::CodeNotGiven,
            app::Error::FactorDemanded => RequestFailure::FactorDemanded,
            app::Error::TooManyFailures(wait) => RequestFailure::TooManyFailures(wait),
            app::Error::TooManyLookups(wait) => RequestFailure::TooManyLookups(wait),
            app::Error::Busy => RequestFailure::Busy,
            app::Error::NoPlace(work) => RequestFailure::NoPlace(work),
            app::Error::TooManyRequests(wait) => RequestFailure::TooManyRequests(wait),
            app::Error::NoTenant => RequestFailure::NoTenant,
            app::Error::NoPixKey => RequestFailure::NoPixKey,
            app::Error::KeyReused => RequestFailure::KeyReused,
            app::Error::NotFound { field, code } => {
                RequestFailure::NotFound(wire::refusal::render_rejection(&Rejection::UnknownCode {
                    field,
                    code,
                }))
            }
            app::Error::NoRecord(rejection) => {
                RequestFailure::NotFound(wire::refusal::render_rejection(&rejection))
            }
            // Registers that change faster than a decision completes, or an audit that cannot be written: the caller
            // retries later.
            error @ (app::Error::StaleRegisters | app::Error::LeaseLost | app::Error::AuditBacklogFull) => {
                if let Some(left_out) = REFUSALS_LOGGED.take_turn(Instant::now()) {
                    tracing::warn!(%error, left_out, "requests are refused for now");
                }
                RequestFailure::Unavailable
            }
            error @ app::Error::Files(_) => {
                if let Some(left_out) = FILE_FAILURES_LOGGED.take_turn(Instant::now()) {
                    tracing::error!(%error, left_out, "files can be neither read nor written");
                }
                RequestFailure::FilesUnavailable
            }
            // The executor logs an outage once; here it is only for debugging.
            app::Error::Storage(error @ Storage::Unknown) => {
                tracing::debug!(%error, "the answer to a commit was lost");
                RequestFailure::Unknown
            }
            app::Error::Storage(Storage::DatabaseFault { fault, cause }) => {
                tracing::debug!(?fault, %cause, "the database refuses its work");
                RequestFailure::DatabaseFault(fault)
            }
            app::Error::Storage(error @ (Storage::Unavailable(_) | Storage::TooSlow)) => {
                tracing::debug!(%error, "the database could not be used");
                RequestFailure::Unavailable
            }
            error => {
                tracing::error!(%error, "a request failed");
                RequestFailure::Internal
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each. The match makes a new variant fail to compile until it is listed here.
    fn every() -> Vec<RequestFailure> {
        let all = vec![
            RequestFailure::NoSuchPath,
            RequestFailure::MethodNotAllowed,
            RequestFailure::Credential(CredentialChallenge::Basic),
            RequestFailure::Credential(CredentialChallenge::Bearer),
            RequestFailure::Forbidden,
            RequestFailure::CodeNotGiven,
            RequestFailure::FactorDemanded,
            RequestFailure::TooLarge,
            RequestFailure::FileTooLarge("arquivo: passa de 25 MiB, o máximo.".into()),
            RequestFailure::FilesUnavailable,
            RequestFailure::DatabaseFault(DatabaseFault::Damaged),
            RequestFailure::MediaType,
            RequestFailure::BadHost,
            RequestFailure::Slow,
            RequestFailure::Input(vec!["nome: informe um valor.".into(), "email: informe um valor.".into()]),
            RequestFailure::NotFound("codPessoa: a pessoa 7 não existe.".into()),
            RequestFailure::Conflict(vec!["placa: já está em uso.".into()]),
            RequestFailure::KeyReused,
            RequestFailure::StillRunning,
            RequestFailure::TooManyFailures(Duration::from_millis(61_200)),
            RequestFailure::TooManyLookups(Duration::from_secs(5)),
            RequestFailure::Busy,
            RequestFailure::NoPlace(HeavyWork::WorkbookExport),
            RequestFailure::NoPlace(HeavyWork::WorkbookReading),
            RequestFailure::TooManyRequests(Duration::from_millis(200)),
            RequestFailure::NoTenant,
            RequestFailure::NoPixKey,
            RequestFailure::Unavailable,
            RequestFailure::Unknown,
            RequestFailure::Stopping,
            RequestFailure::Internal,
        ];
        let variants = all.iter().map(|failure| match failure {
            RequestFailure::NoSuchPath => 0,
            RequestFailure::MethodNotAllowed => 1,
            RequestFailure::Credential(_) => 2,
            RequestFailure::Forbidden => 3,
            RequestFailure::TooLarge => 4,
            RequestFailure::MediaType => 5,
            RequestFailure::Slow => 6,
            RequestFailure::Input(_) => 7,
            RequestFailure::NotFound(_) => 8,
            RequestFailure::Conflict(_) => 9,
            RequestFailure::KeyReused => 10,
            RequestFailure::StillRunning => 11,
            RequestFailure::TooManyFailures(_) => 12,
            RequestFailure::Busy => 13,
            RequestFailure::NoTenant => 14,
            RequestFailure::Unavailable => 15,
            RequestFailure::Unknown => 16,
            RequestFailure::Stopping => 17,
            RequestFailure::Internal => 18,
            RequestFailure::TooManyLookups(_) => 19,
            RequestFailure::FileTooLarge(_) => 20,
            RequestFailure::FilesUnavailable => 21,
            RequestFailure::BadHost => 22,
            RequestFailure::DatabaseFault(_) => 23,
            RequestFailure::NoPlace(_) => 24,
            RequestFailure::TooManyRequests(_) => 25,
            RequestFailure::CodeNotGiven => 26,
            RequestFailure::FactorDemanded => 27,
            RequestFailure::NoPixKey => 28,
        });
        assert_eq!(variants.collect::<std::collections::BTreeSet<_>>(), (0..=28).collect());
        all
    }

    #[test]
    fn every_failure_is_a_refusal_in_plain_text() {
        for failure in every() {
            let response = failure.clone().into_response();
            let status = response.status();
            assert!(status.is_client_error() || status.is_server_error(), "{failure:?}");
            assert_eq!(response.headers()[header::CONTENT_TYPE], "text/plain; charset=utf-8", "{failure:?}");
            assert!(failure.text().ends_with('.') && failure.text().len() > 20, "{failure:?}");
            assert_eq!(
                status == 401,
                response.headers().contains_key(header::WWW_AUTHENTICATE),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn who_is_told_to_wait_is_told_how_long() {
        let response = RequestFailure::TooManyFailures(Duration::from_millis(61_200)).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "62");
        assert!(RequestFailure::TooManyFailures(Duration::from_secs(61)).text().contains("2 minutos"));
    }
}
