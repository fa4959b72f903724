//! `/ext/associado`: members.

use crate::State;
use crate::extract::Caller;
use crate::failure::Failure;
use crate::write::Write;
use app::people::{self, Saved};
use axum::extract;
use axum::response::Response;
use domain::PhoneKind;
use wire::read;
use wire::records::{PessoaInput, PessoaOutputTO};

/// `POST /ext/associado`
pub async fn save(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: PessoaInput, once| people::save(&state.app, &caller, input, once);
    write.answer(&state, &caller, read::body, act, record).await
}

fn record(saved: &Saved) -> PessoaOutputTO {
    let phone = |kind| saved.phone(kind).map(|phone| phone.number.to_string());
    PessoaOutputTO {
        cod_pessoa: saved.code.get(),
        nome_pessoa: saved.profile.name.clone(),
        cpf_cnpj: saved.profile.document.as_ref().map(ToString::to_string),
        email: saved.profile.email.as_ref().map(ToString::to_string),
        telefone_celular: phone(PhoneKind::Mobile),
        telefone_fixo: phone(PhoneKind::Landline),
        cod_loja: Some(saved.profile.branch.get()),
    }
}
