//! Classifies errors of the server and the driver.

use crate::Error;
use crate::executor::db::StatementFailure;
use domain::{DatabaseFault, describe_error_chain};
use tokio_postgres::error::SqlState;

pub fn classify_failure(error: &tokio_postgres::Error) -> StatementFailure {
    let Some(db_error) = error.as_db_error() else {
        // Not a server error: a connection failure, or a parameter of ours that does not fit.
        let text = describe_error_chain(error);
        let is_ours = text.contains("serializing") || text.contains("deserializing");
        return match is_ours {
            true => Error::Broken(text).into(),
            // The driver's message if `target_session_attrs=read-write` finds no such server.
            false if text.contains("does not allow writes") => {
                build_fault_error(DatabaseFault::ReadOnly, text).into()
            }
            false => Error::Unavailable(text).into(),
        };
    };
    let text = format!("{} ({})", db_error.message(), db_error.code().code());
    let code = db_error.code();
    if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
        return StatementFailure { error: Error::Unavailable(text), passing: true };
    }
    let error = match *code {
        SqlState::UNIQUE_VIOLATION => Error::Conflict(db_error.constraint().unwrap_or(&text).to_owned()),
        SqlState::QUERY_CANCELED => Error::TooSlow,
        SqlState::LOCK_NOT_AVAILABLE | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
            Error::Unavailable(text)
        }
        _ => classify_sql_state(code.code(), text),
    };
    error.into()
}

fn classify_sql_state(code: &str, text: String) -> Error {
    match code {
        "25006" => build_fault_error(DatabaseFault::ReadOnly, text),
        "42501" => build_fault_error(DatabaseFault::NoPermission, text),
        "53100" => build_fault_error(DatabaseFault::DiskFull, text),
        "58030" => build_fault_error(DatabaseFault::DiskError, text),
        "XX001" | "XX002" => build_fault_error(DatabaseFault::Damaged, text),
        // Classes: 08 connection, 28 credentials, 3D no such database, 53 resources, 57P administrator, 58 system, XX
        // internal error of the server.
        _ if ["08", "28", "3D", "53", "57", "58", "XX"].contains(&code.get(..2).unwrap_or_default()) => {
            Error::Unavailable(text)
        }
        _ => Error::Broken(text),
    }
}

fn build_fault_error(fault: DatabaseFault, cause: String) -> Error {
    Error::DatabaseFault { fault, cause }
}

/// Whether this server refuses writes that another one may accept.
pub fn is_write_refusal(error: &Error) -> bool {
    use DatabaseFault::{NoPermission, ReadOnly};
    matches!(error, Error::DatabaseFault { fault: ReadOnly | NoPermission, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_that_an_operator_must_mend_are_told_apart_from_defects() {
        let fault = |code: &str| match classify_sql_state(code, String::new()) {
            Error::DatabaseFault { fault, .. } => Some(fault),
            _ => None,
        };
        assert_eq!(fault("25006"), Some(DatabaseFault::ReadOnly));
        assert_eq!(fault("42501"), Some(DatabaseFault::NoPermission));
        assert_eq!(fault("53100"), Some(DatabaseFault::DiskFull));
        assert_eq!(fault("58030"), Some(DatabaseFault::DiskError));
        assert_eq!(fault("XX001"), Some(DatabaseFault::Damaged));
        for passing in ["57P01", "57P02", "57P03", "53300", "XX000", "08006", "28P01"] {
            assert!(matches!(classify_sql_state(passing, String::new()), Error::Unavailable(_)), "{passing}");
        }
        for ours in ["42601", "23503", "22003", "P0001", ""] {
            assert!(matches!(classify_sql_state(ours, String::new()), Error::Broken(_)), "{ours}");
        }
    }
}
