//! Every refusal, as `text/plain` in Portuguese. The body is the sentence; what is inside goes to the log.

use app::HeavyWork;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{DatabaseFault, FileProblem, ImportProblem, Rejection};
use std::time::Duration;
use wire::read::Problems;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    NoSuchPath,
    MethodNotAllowed,
    /// User and password, or the token, are not good.
    Credential(Challenge),
    /// The role may not do this.
    Forbidden,
    /// The token was given for a password alone, and its owner has a second factor.
    CodeNotGiven,
    /// The association demands a second factor of the caller, who has none.
    FactorDemanded,
    TooLarge,
    /// A file that is larger than one may be.
    FileTooLarge(String),
    MediaType,
    /// The host is not named, or not once, or not as one.
    BadHost,
    /// The body did not come to its end in time.
    Slow,
    /// What was sent is wrong: one problem a line.
    Input(Vec<String>),
    /// The code in the path names nothing that the caller may see.
    NotFound(String),
    /// It goes against the present state: one problem a line.
    Conflict(Vec<String>),
    /// The idempotency key came before, with another body.
    KeyReused,
    /// The first request with the idempotency key is still running.
    StillRunning,
    TooManyFailures(Duration),
    /// Lookups without a credential.
    TooManyLookups(Duration),
    /// More logins wait than can be checked.
    Busy,
    /// More workbooks are read, or made, than the server does at once.
    NoPlace(HeavyWork),
    /// A user's requests come faster than they may.
    TooManyRequests(Duration),
    /// The server has no association yet.
    NoTenant,
    /// The database cannot be reached, or takes too long.
    Unavailable,
    /// The database refuses its work until somebody mends it.
    DatabaseFault(DatabaseFault),
    /// The place where files are kept cannot be used.
    FilesUnavailable,
    /// The answer of the database was lost: stored or not, nobody knows.
    Unknown,
    /// The server was asked to stop.
    Stopping,
    /// A defect of ours. The body names the request, and the log says the rest.
    Internal,
}

/// How a credential must be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    Basic,
    Bearer,
}

/// Marks an answer whose body must name the request.
#[derive(Clone)]
pub(crate) struct NamesRequest;

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

impl Failure {
    pub fn status(&self) -> StatusCode {
        match self {
            Failure::NoSuchPath | Failure::NotFound(_) => StatusCode::NOT_FOUND,
            Failure::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Failure::Credential(_) => StatusCode::UNAUTHORIZED,
            Failure::Forbidden | Failure::CodeNotGiven | Failure::FactorDemanded => StatusCode::FORBIDDEN,
            Failure::TooLarge | Failure::FileTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Failure::Slow => StatusCode::REQUEST_TIMEOUT,
            Failure::Input(_) | Failure::BadHost => StatusCode::BAD_REQUEST,
            Failure::Conflict(_) | Failure::StillRunning => StatusCode::CONFLICT,
            Failure::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Failure::TooManyFailures(_) | Failure::TooManyLookups(_) | Failure::TooManyRequests(_) => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Failure::Busy
            | Failure::NoPlace(_)
            | Failure::NoTenant
            | Failure::Unavailable
            | Failure::DatabaseFault(_)
            | Failure::FilesUnavailable
            | Failure::Unknown
            | Failure::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Failure::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn text(&self) -> String {
        let sentence = match self {
            Failure::NoSuchPath => "Este endereço não existe neste servidor.",
            Failure::MethodNotAllowed => {
                "Este endereço não aceita este método; veja no cabeçalho Allow os que ele aceita."
            }
            Failure::Credential(Challenge::Basic) => {
                "Usuário ou senha não conferem; confira os dois e tente de novo."
            }
            Failure::Credential(Challenge::Bearer) => {
                "O acesso falta, não vale ou já venceu; entre de novo em /ext/autenticacao e envie o token em Authorization: Bearer."
            }
            Failure::Forbidden => {
                "O seu perfil não permite esta operação; peça-a a um administrador da sua base."
            }
            Failure::CodeNotGiven => {
                "A sua conta tem o segundo fator, e este token foi obtido só com a senha: ele serve para /ext. Para /gestao, entre em POST /gestao/sessao com a senha e, no cabeçalho X-Codigo, um código."
            }
            Failure::FactorDemanded => {
                "A sua associação exige o segundo fator do seu perfil, e você ainda não o ligou: até lá este token serve para /ext. Ligue-o no console, em Minha conta."
            }
            Failure::TooLarge => "O corpo do pedido é grande demais; envie no máximo 1 MiB.",
            Failure::MediaType => {
                "O corpo do pedido deve ser JSON, sem compressão; envie o cabeçalho Content-Type: application/json."
            }
            Failure::BadHost => "O pedido deve trazer um cabeçalho Host, e um só, com o nome do servidor.",
            Failure::Slow => "O corpo do pedido não chegou a tempo; envie de novo.",
            Failure::Input(lines) | Failure::Conflict(lines) => return lines.join("\n"),
            Failure::NotFound(line) | Failure::FileTooLarge(line) => return line.clone(),
            Failure::KeyReused => {
                "Idempotency-Key: esta chave já foi usada com outro conteúdo; use uma chave nova para cada pedido."
            }
            Failure::StillRunning => {
                "Idempotency-Key: o primeiro pedido com esta chave ainda está em andamento; tente de novo em instantes."
            }
            Failure::TooManyFailures(wait) => {
                let wait = minutes(*wait);
                return format!("Houve tentativas demais com dados errados; tente de novo em {wait}.");
            }
            Failure::TooManyLookups(wait) => {
                let wait = minutes(*wait);
                return format!(
                    "Houve consultas demais; tente de novo em {wait}. Quem consulta sem credencial pode entrar em /ext/autenticacao e enviar o token."
                );
            }
            Failure::Busy => "Há entradas demais ao mesmo tempo; tente de novo em instantes.",
            Failure::NoPlace(HeavyWork::WorkbookExport) => {
                "Há exportações demais em XLSX ao mesmo tempo; tente de novo em instantes, ou exporte em CSV."
            }
            Failure::NoPlace(HeavyWork::WorkbookReading) => {
                "Há planilhas demais sendo lidas ao mesmo tempo; tente de novo em instantes, ou envie em CSV."
            }
            Failure::TooManyRequests(_) => {
                "Este usuário faz pedidos demais; espere os segundos do cabeçalho Retry-After e continue mais devagar."
            }
            Failure::NoTenant => "Este servidor ainda não tem uma associação cadastrada para este endereço.",
            Failure::Unavailable => "O banco de dados não responde no momento; tente de novo em instantes.",
            Failure::DatabaseFault(fault) => wire::database_fault::sentence(*fault),
            Failure::FilesUnavailable => {
                "Os arquivos não podem ser lidos nem gravados no momento; tente de novo em instantes."
            }
            Failure::Unknown => {
                "A ligação com o banco de dados caiu na hora de gravar: resultado desconhecido; confira antes de repetir."
            }
            Failure::Stopping => "O servidor está encerrando; tente de novo em instantes.",
            Failure::Internal => "Algo deu errado do nosso lado.",
        };
        sentence.to_owned()
    }

    /// Whether it speaks of the operation itself, so that it is kept with the request's idempotency key.
    pub(crate) fn is_of_the_operation(&self) -> bool {
        matches!(self, Failure::Input(_) | Failure::NotFound(_) | Failure::Conflict(_))
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Failure::TooManyFailures(wait)
            | Failure::TooManyLookups(wait)
            | Failure::TooManyRequests(wait) => Some(wait.as_millis().div_ceil(1000).max(1) as u64),
            Failure::StillRunning => Some(1),
            Failure::Busy
            | Failure::NoPlace(_)
            | Failure::Unavailable
            | Failure::FilesUnavailable
            | Failure::Stopping => Some(5),
            _ => None,
        }
    }
}

/// `2 minutos`
fn minutes(wait: Duration) -> String {
    let minutes = wait.as_secs().div_ceil(60).max(1);
    let unit = if minutes == 1 { "minuto" } else { "minutos" };
    format!("{minutes} {unit}")
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status(), format!("{}\n", self.text())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, PLAIN);
        if let Some(seconds) = self.retry_after() {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if let Failure::Credential(challenge) = &self {
            let challenge = match challenge {
                Challenge::Basic => "Basic realm=\"Amparo\", charset=\"UTF-8\"",
                Challenge::Bearer => "Bearer realm=\"Amparo\"",
            };
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if self == Failure::Internal {
            response.extensions_mut().insert(NamesRequest);
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

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        Failure::Input(problems.into_lines())
    }
}

impl From<app::Error> for Failure {
    fn from(error: app::Error) -> Failure {
        use app::StorageError as Storage;
        match error {
            app::Error::Refused(rejections) if rejections.iter().any(is_too_large) => {
                Failure::FileTooLarge(wire::refusal::texts(&rejections))
            }
            app::Error::Refused(rejections) => {
                let lines = rejections.iter().map(wire::refusal::text).collect();
                // What was sent is judged before the state it meets.
                match rejections.iter().all(Rejection::is_conflict) {
                    true => Failure::Conflict(lines),
                    false => Failure::Input(lines),
                }
            }
            app::Error::Credential => Failure::Credential(Challenge::Bearer),
            app::Error::Forbidden => Failure::Forbidden,
            app::Error::CodeNotGiven => Failure::CodeNotGiven,
            app::Error::FactorDemanded => Failure::FactorDemanded,
            app::Error::TooMany(wait) => Failure::TooManyFailures(wait),
            app::Error::TooOften(wait) => Failure::TooManyLookups(wait),
            app::Error::Busy => Failure::Busy,
            app::Error::NoPlace(work) => Failure::NoPlace(work),
            app::Error::TooManyRequests(wait) => Failure::TooManyRequests(wait),
            app::Error::NoTenant => Failure::NoTenant,
            app::Error::KeyReused => Failure::KeyReused,
            app::Error::NoSuch { field, code } => {
                Failure::NotFound(wire::refusal::text(&Rejection::UnknownCode { field, code }))
            }
            app::Error::NoRecord(rejection) => Failure::NotFound(wire::refusal::text(&rejection)),
            // A register that changes faster than anything is decided by it, or an audit that cannot be written: later.
            error @ (app::Error::Stale | app::Error::Lost | app::Error::Unaudited) => {
                tracing::warn!(%error, "a request has to wait");
                Failure::Unavailable
            }
            error @ app::Error::Files(_) => {
                tracing::error!(%error, "a file could be neither read nor written");
                Failure::FilesUnavailable
            }
            app::Error::Storage(Storage::Unknown) => {
                tracing::error!("the answer to a commit was lost");
                Failure::Unknown
            }
            app::Error::Storage(Storage::DatabaseFault { fault, cause }) => {
                tracing::warn!(?fault, %cause, "the database refuses its work");
                Failure::DatabaseFault(fault)
            }
            app::Error::Storage(error @ (Storage::Unavailable(_) | Storage::TooSlow)) => {
                tracing::warn!(%error, "the database could not be used");
                Failure::Unavailable
            }
            error => {
                tracing::error!(%error, "a request failed");
                Failure::Internal
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each. The match makes a new variant fail to compile until it stands here too.
    fn every() -> Vec<Failure> {
        let all = vec![
            Failure::NoSuchPath,
            Failure::MethodNotAllowed,
            Failure::Credential(Challenge::Basic),
            Failure::Credential(Challenge::Bearer),
            Failure::Forbidden,
            Failure::CodeNotGiven,
            Failure::FactorDemanded,
            Failure::TooLarge,
            Failure::FileTooLarge("arquivo: passa de 25 MiB, o máximo.".into()),
            Failure::FilesUnavailable,
            Failure::DatabaseFault(DatabaseFault::Damaged),
            Failure::MediaType,
            Failure::BadHost,
            Failure::Slow,
            Failure::Input(vec!["nome: informe um valor.".into(), "email: informe um valor.".into()]),
            Failure::NotFound("codPessoa: a pessoa 7 não existe.".into()),
            Failure::Conflict(vec!["placa: já está em uso.".into()]),
            Failure::KeyReused,
            Failure::StillRunning,
            Failure::TooManyFailures(Duration::from_millis(61_200)),
            Failure::TooManyLookups(Duration::from_secs(5)),
            Failure::Busy,
            Failure::NoPlace(HeavyWork::WorkbookExport),
            Failure::NoPlace(HeavyWork::WorkbookReading),
            Failure::TooManyRequests(Duration::from_millis(200)),
            Failure::NoTenant,
            Failure::Unavailable,
            Failure::Unknown,
            Failure::Stopping,
            Failure::Internal,
        ];
        let variants = all.iter().map(|failure| match failure {
            Failure::NoSuchPath => 0,
            Failure::MethodNotAllowed => 1,
            Failure::Credential(_) => 2,
            Failure::Forbidden => 3,
            Failure::TooLarge => 4,
            Failure::MediaType => 5,
            Failure::Slow => 6,
            Failure::Input(_) => 7,
            Failure::NotFound(_) => 8,
            Failure::Conflict(_) => 9,
            Failure::KeyReused => 10,
            Failure::StillRunning => 11,
            Failure::TooManyFailures(_) => 12,
            Failure::Busy => 13,
            Failure::NoTenant => 14,
            Failure::Unavailable => 15,
            Failure::Unknown => 16,
            Failure::Stopping => 17,
            Failure::Internal => 18,
            Failure::TooManyLookups(_) => 19,
            Failure::FileTooLarge(_) => 20,
            Failure::FilesUnavailable => 21,
            Failure::BadHost => 22,
            Failure::DatabaseFault(_) => 23,
            Failure::NoPlace(_) => 24,
            Failure::TooManyRequests(_) => 25,
            Failure::CodeNotGiven => 26,
            Failure::FactorDemanded => 27,
        });
        assert_eq!(variants.collect::<std::collections::BTreeSet<_>>(), (0..=27).collect());
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
        let response = Failure::TooManyFailures(Duration::from_millis(61_200)).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "62");
        assert!(Failure::TooManyFailures(Duration::from_secs(61)).text().contains("2 minutos"));
    }
}
