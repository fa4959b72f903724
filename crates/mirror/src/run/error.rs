//! Why a run was aborted.

use crate::client::SourceError;
use app::Error;
use domain::TenantId;

/// Why a run was aborted.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    #[error(transparent)]
    App(Error),
    #[error(transparent)]
    Trouble(#[from] SourceError),
    #[error("a base {0} não é o espelho de outra; diga outra em --base, ou nenhuma")]
    NoMirror(TenantId),
    #[error("a base {0} espelha o que {1} mostra ao usuário {2}, e não o que {3} mostra a {4}")]
    OtherSource(TenantId, String, String, String, String),
    #[error("outro processo está espelhando a base {0}; espere ele terminar")]
    Busy(TenantId),
    #[error("outro processo tomou este espelho")]
    Lost,
    #[error("a origem não oferece {0}, sem o que não há espelho: {1}")]
    Missing(&'static str, String),
}

impl From<Error> for MirrorError {
    fn from(error: Error) -> MirrorError {
        match error {
            Error::LeaseLost => MirrorError::Lost,
            other => MirrorError::App(other),
        }
    }
}
