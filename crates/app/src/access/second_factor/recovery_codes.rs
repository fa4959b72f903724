//! Recovery codes for a lost authenticator: ten, each usable once. They are generated and long enough that their hash
//! needs neither salt nor Argon2.

use super::super::sessions::ConsoleUser;
use super::{FactorCommand, OWN, build_own_command, has_valid_code};
use crate::access::login_audit::build_user_change;
use crate::session::AccountActor;
use crate::{App, Error};
use domain::{AuditedAction, CallerAddress, Password, RandomSource, TenantId, UserCode};
use sha2::{Digest, Sha256};
use storage::access::second_factors;
use storage::{Tx, WriteLane};

const CODES_PER_USER: usize = 10;
/// Characters of a code without separators.
const CODE_LENGTH: usize = 20;

pub fn generate_recovery_codes(chance: &dyn RandomSource) -> Vec<String> {
    (0..CODES_PER_USER).map(|_| Password::generate(chance).expose().to_owned()).collect()
}

/// The stored hash of a code; `None` if the format is wrong.
pub fn hash_recovery_code(tenant: TenantId, user: UserCode, code: &str) -> Option<[u8; 32]> {
    let signs: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    if signs.len() != CODE_LENGTH {
        return None;
    }
    let text = format!("recovery\0{tenant}\0{user}\0{}", signs.to_ascii_lowercase());
    Some(Sha256::digest(text.as_bytes()).into())
}

/// Replaces the recovery codes with ten new ones; `None` if the code is wrong or there is no second factor.
#[boxed::future]
pub async fn renew_recovery_codes(
    app: &App,
    visitor: &ConsoleUser,
    code: &str,
    address: CallerAddress,
) -> Result<Option<Vec<String>>, Error> {
    if !has_valid_code(app, visitor, code, address).await? {
        return Ok(None);
    }
    let codes = generate_recovery_codes(&*app.random_source);
    let command = build_own_command(app, visitor, (codes.clone(), visitor.session.actor(OWN)))?;
    let lane = WriteLane::foreground(command.tenant);
    let done = app.db.write(lane, command, |tx, command| Box::pin(write_recovery_codes(tx, command))).await?;
    Ok(done.then_some(codes))
}

async fn write_recovery_codes(
    tx: &mut Tx,
    command: &FactorCommand<(Vec<String>, AccountActor)>,
) -> Result<bool, Error> {
    let (tenant, user, (codes, actor)) = (command.tenant, command.user, &command.what);
    let factor = second_factors::find_second_factor(&mut *tx, tenant, user).await?;
    if factor.is_none_or(|factor| factor.confirmed_at.is_none()) {
        return Ok(false);
    }
    let hashes: Vec<[u8; 32]> =
        codes.iter().filter_map(|code| hash_recovery_code(tenant, user, code)).collect();
    tx.execute_batch(second_factors::replace_recovery_codes(tenant, user, &hashes)).await?;
    let change = build_user_change(AuditedAction::RenewRecoveryCodes, user);
    actor.record(tx, tenant, change, command.now).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_however_it_is_typed_and_by_its_owner_alone() {
        let (tenant, user) = (TenantId::new(1), UserCode::new(2));
        let stored = hash_recovery_code(tenant, user, "abcde-fghjk-mnpqr-stuvw");
        assert!(stored.is_some());
        assert_eq!(hash_recovery_code(tenant, user, " ABCDE fghjk mnpqrstuvw"), stored);
        assert_ne!(hash_recovery_code(tenant, UserCode::new(3), "abcde-fghjk-mnpqr-stuvw"), stored);
        assert_eq!(hash_recovery_code(tenant, user, "123456"), None);
    }
}
