//! The plans of a benefit: add, remove, change the price. Each change can be undone.

use super::fields;
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, PathPartCodes};
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::pages::finance::benefit_titles::{choose_next_page, load_title_section};
use crate::session::notice::{add_undo_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::session::undo_form::UndoForm;
use crate::widgets::form_input::{FormValues, InputSpec};
use crate::widgets::form_page::{RecordForm, render_record_form};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::money_input::{normalize_money, normalize_money_values};
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::{build_inputs, build_record, read_form_values};
use app::benefits::{self, FullBenefit, describe_stored_benefit};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use axum::extract::State;
use domain::{BenefitCode, ItemCode};
use wire::read;
use wire::records::{ItemAlteracaoInput, ItemBeneficioInput};

const SPECS: &[InputSpec] = &[
    InputSpec::choice("codPlano", "Plano"),
    InputSpec::money("valor", "Valor combinado")
        .with_hint("Em branco, vale a tabela de preços; sem ela, o preço do plano."),
    InputSpec::masked_text("dataInclusao", "Desde", "data").with_hint("Em branco, hoje."),
];

/// `GET /console/beneficios/{codigo}/itens`
pub async fn show_new_item_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    render_item_form(&app, &user, BenefitCode::new(code), (FormValues::new(), FormProblems::default())).await
}

async fn render_item_form(
    app: &App,
    user: &SignedInUser,
    code: BenefitCode,
    (values, problems): (FormValues, FormProblems),
) -> HandlerResult {
    let view = benefits::read_full_benefit(app, user.session(), code).await?;
    let (titles, _) = load_title_section(app, user, &view, vec![view.benefit.situation]).await?;
    let has = |plan| view.benefit.plans.iter().any(|(included, _)| *included == plan);
    let choices = |_: &str| fields::list_plan_choices(&view.registers, |plan| !has(plan.code));
    let form = RecordForm {
        current: "beneficios",
        title: "Incluir um plano".to_owned(),
        note: format!("{}, de {}", describe_stored_benefit(&view.registers, &view.benefit), view.holder.name),
        back: format!("{}/console/beneficios/{code}", derive_root_path(app)),
        version: None,
        sections: vec![("Plano".to_owned(), build_inputs(SPECS, &values, &problems, choices))],
        titles,
        problems,
        button: "Incluir",
    };
    render_record_form(app, user, form).await
}

/// `POST /console/beneficios/{codigo}/itens`
pub async fn add_item(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let code = BenefitCode::new(code);
    let values = read_form_values(SPECS, &form);
    let mut filled_values = normalize_money_values(SPECS, &values);
    filled_values.retain(|_, text| !text.is_empty());
    let problems = match read::read_record::<ItemBeneficioInput>(&build_record(&filled_values, &[])) {
        Err(unread) => FormProblems::new(unread.problems.into_problems(), SPECS),
        Ok(input) => {
            match benefits::add_item(&app, user.session(), code, input, IdempotentWrite::without_key())
                .await
                .and_then(WriteOutcome::into_fresh)
            {
                Ok(added) => {
                    let (page, addition) = choose_next_page(&app, &user, code).await?;
                    let mut response = redirect_to(&page);
                    let action = format!("/console/beneficios/{code}/itens/{}", added.item.code);
                    let undo = UndoForm::new(action, &[("ativo", "false")]);
                    let text = format!("O plano {} foi incluído.{addition}", added.plan.name);
                    add_undo_notice(&mut response, &text, &undo);
                    return Ok(response);
                }
                Err(Error::Refused(problems)) => FormProblems::from_rejections(&problems, SPECS),
                Err(error) => return Err(error.into()),
            }
        }
    };
    render_item_form(&app, &user, code, (values, problems)).await
}

/// `POST /console/beneficios/{codigo}/itens/{parte}`: sets `ativo`, `valor` or `combinado`; `era` and `combinadoEra` carry what
/// was before.
pub async fn change_item(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(code, item): PathPartCodes,
    form: SubmittedForm,
) -> HandlerResult {
    let codes = (BenefitCode::new(code), ItemCode::new(item));
    let back = format!("{}/console/beneficios/{code}", derive_root_path(&app));
    let changes = [
        ("ativo", form.text("ativo").to_owned()),
        ("valor", normalize_money(form.text("valor"))),
        ("valorCombinado", form.text("combinado").to_owned()),
    ];
    let mut record = serde_json::Map::new();
    let changes = changes.into_iter().filter(|(_, text)| !text.is_empty());
    if changes.clone().next().is_none() {
        return Ok(redirect_with_problem(&back, "Nada mudou: digite o valor do plano."));
    }
    record.extend(changes.map(|(name, text)| match text.as_str() {
        "true" | "false" => (name.to_owned(), (text == "true").into()),
        _ => (name.to_owned(), text.into()),
    }));
    if !form.text("versao").is_empty() {
        record.insert("versao".to_owned(), form.text("versao").into());
    }
    let input = match read::read_record_fields::<ItemAlteracaoInput>(&record) {
        Ok(input) => input,
        Err(unread) => {
            let text = format!("Nada mudou. {}", unread.problems.into_lines().join(" "));
            return Ok(redirect_with_problem(&back, &text));
        }
    };
    match benefits::change_item(&app, user.session(), codes, input, IdempotentWrite::without_key())
        .await
        .and_then(WriteOutcome::into_fresh)
    {
        Ok(view) => {
            let (text, undo) = describe_item_change(&view, codes.1, &form);
            let (page, addition) = choose_next_page(&app, &user, codes.0).await?;
            let mut response = redirect_to(&page);
            add_undo_notice(&mut response, &format!("{text}{addition}"), &undo);
            Ok(response)
        }
        Err(Error::Refused(problems)) => {
            let problems: Vec<String> = problems.iter().map(wire::refusal::render_sentence).collect();
            Ok(redirect_with_problem(&back, &format!("Nada mudou: {}", problems.join(" "))))
        }
        Err(error) => Err(error.into()),
    }
}

/// The notice for a change, and the form that undoes it.
fn describe_item_change(view: &FullBenefit, item: ItemCode, form: &SubmittedForm) -> (String, UndoForm) {
    let plan = view.items.iter().find(|one| one.code == item).and_then(|one| view.registers.plan(one.plan));
    let name = plan.map_or("", |plan| &plan.name);
    let version = view.benefit.version.to_string();
    let action = format!("/console/beneficios/{}/itens/{item}", view.code);
    match form.text("ativo") {
        "false" => (
            format!("O plano {name} foi retirado."),
            UndoForm::new(action, &[("ativo", "true"), ("versao", &version)]),
        ),
        "true" => (
            format!("O plano {name} voltou."),
            UndoForm::new(action, &[("ativo", "false"), ("versao", &version)]),
        ),
        _ if form.text("valor").is_empty() => {
            let (text, undone) = match form.text("combinado") {
                "true" => (format!("O valor do plano {name} é o combinado."), "false"),
                _ => (format!("O valor do plano {name} agora é o da tabela de preços."), "true"),
            };
            (text, UndoForm::new(action, &[("combinado", undone), ("versao", &version)]))
        }
        _ => {
            let (before, after) = (form.text("era"), form.text("valor"));
            let (was_agreed, is_agreed) = (form.text("combinadoEra"), form.text("combinado"));
            let is_agreed = if is_agreed.is_empty() { "true" } else { is_agreed };
            let mut fields = vec![("valor", before), ("era", after), ("versao", version.as_str())];
            if !was_agreed.is_empty() {
                fields.extend([("combinado", was_agreed), ("combinadoEra", is_agreed)]);
            }
            (format!("O valor do plano {name} foi alterado."), UndoForm::new(action, &fields))
        }
    }
}
