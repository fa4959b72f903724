//! Keeps a form from being stored twice: a hidden input names the form that was shown, and becomes the idempotency key
//! of what it stores. A form that was refused may be sent again.

use crate::http::form::SubmittedForm;
use crate::session::signed_in_user::SignedInUser;
use app::App;
use app::idempotency::{IdempotencyKey, IdempotentWrite, StoredIdempotencyKey};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The name of the hidden input.
const FIELD: &str = "envio";

const DIGITS: usize = 32;

/// Shown when a form that is stored comes back with other values.
pub const SENT_BEFORE: &str = "Este formulário já tinha sido enviado, e o envio anterior vale. Confira e, se precisar, preencha de novo.";

/// A new value for the hidden input.
pub fn generate_form_token(app: &App) -> String {
    let mut random = [0; DIGITS / 2];
    app.random_source.fill(&mut random);
    format!("{:032x}", u128::from_be_bytes(random))
}

/// Runs once for each form that was shown. `render` is what a repetition gets.
pub fn build_form_write<T>(
    user: &SignedInUser,
    form: &SubmittedForm,
    render: impl Fn(&T) -> Vec<u8> + Send + Sync + 'static,
) -> IdempotentWrite<T> {
    let token = form.text(FIELD);
    let is_token = token.len() == DIGITS && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let ticket = is_token.then(|| IdempotencyKey {
        key: StoredIdempotencyKey {
            tenant: user.session().scope.tenant(),
            user: user.session().user,
            operation: format!("POST {}", user.path),
            key: token.to_owned(),
        },
        body_hash: hash_fields(form),
    });
    IdempotentWrite { ticket, render: Arc::new(render), is_dry_run: false }
}

fn hash_fields(form: &SubmittedForm) -> [u8; 32] {
    let mut hash = Sha256::new();
    for (name, value) in form.pairs() {
        for part in [name, value] {
            hash.update(part.len().to_be_bytes());
            hash.update(part.as_bytes());
        }
    }
    hash.finalize().into()
}
