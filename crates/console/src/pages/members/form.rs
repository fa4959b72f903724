//! The form of a member, new or stored, with what is wrong in it.

use super::fields::{SECTIONS, SPECS, list_member_choices};
use crate::http::redirect::derive_root_path;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::FormValues;
use crate::widgets::form_page::{RecordForm, render_record_form, split_into_sections};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::build_inputs;
use app::App;

/// Form contents, and the member they belong to.
pub struct EditMemberState {
    pub code: Option<i32>,
    pub name: String,
    pub version: Option<i64>,
    pub values: FormValues,
    pub problems: FormProblems,
}

pub async fn render_member_form(app: &App, user: &SignedInUser, state: EditMemberState) -> HandlerResult {
    let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
    let all = build_inputs(SPECS, &state.values, &state.problems, |name| {
        list_member_choices(&registers, user, name)
    });
    let list = format!("{}/console/associados", derive_root_path(app));
    let (title, back) = match state.code {
        Some(code) => (format!("Alterar {}", state.name), format!("{list}/{code}")),
        None => ("Novo associado".to_owned(), list),
    };
    let form = RecordForm {
        current: "associados",
        title,
        note: String::new(),
        back,
        version: state.version,
        sections: split_into_sections(all, SECTIONS),
        titles: None,
        problems: state.problems,
        button: "Salvar",
    };
    render_record_form(app, user, form).await
}
