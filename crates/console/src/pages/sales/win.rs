//! Winning a deal creates a member with a benefit in one step. The page previews the new records and shows missing data
//! next to its field.

use super::build_deal_path;
use super::fields::{define_field, list_deal_choices};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputKind, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::formats::format_money;
use crate::widgets::frame::PageFrame;
use crate::widgets::money_input::{format_money_input, normalize_money};
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::record_form::{build_inputs, build_record, read_form_values};
use crate::widgets::version_conflict::VersionConflict;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::TenantRegisters;
use app::sales::deals::{self, DealDetailView};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{BenefitKind, DealCode, DealState, Entity, Money, Rejection, SituationKind};
use serde_json::{Value, json as value};
use std::collections::BTreeMap;
use wire::read;
use wire::records::GanhoInput;
use wire::refusal::RequestProblem;

const MEMBER: &[InputSpec] = &[define_field("cpfCnpj", "CPF ou CNPJ", InputKind::Masked("documento"), 20)];

const BENEFIT: &[InputSpec] = &[
    define_field("codLoja", "Loja", InputKind::Choice, 100),
    define_field("situacao", "Começa como", InputKind::Choice, 100),
    define_field("dataAdesao", "Adesão", InputKind::Masked("data"), 10),
    define_field("diaVencimento", "Dia de vencimento", InputKind::Choice, 100),
    define_field("planos", "Planos", InputKind::Many, 100),
    define_field("observacao", "Observação do benefício", InputKind::Area, 4_000),
];

const VEHICLE: &[InputSpec] = &[
    define_field("placa", "Placa", InputKind::Text, 10),
    define_field("marca", "Marca", InputKind::Text, 100),
    define_field("modelo", "Modelo", InputKind::Text, 200),
    define_field("anoFabricacao", "Ano de fabricação", InputKind::Number, 4),
    define_field("anoModelo", "Ano do modelo", InputKind::Number, 4),
    define_field("cor", "Cor", InputKind::Text, 50),
    define_field("chassi", "Chassi", InputKind::Text, 17),
    define_field("renavam", "Renavam", InputKind::Text, 20),
    define_field("valorVeiculo", "Valor do veículo", InputKind::Money, 20),
    define_field("valorProtegido", "Valor protegido", InputKind::Money, 20),
    define_field("valorParticipacao", "Participação", InputKind::Money, 20),
];

#[derive(Template)]
#[template(path = "console/negocio_ganhar.html")]
struct WinDealPage {
    frame: PageFrame,
    code: i32,
    name: String,
    version: i64,
    /// Records that will be created.
    creates: Vec<String>,
    triggers: String,
    sections: Vec<(&'static str, Vec<FormInput>)>,
    conflict: Option<VersionConflict>,
    others: Vec<String>,
    is_refused: bool,
}

/// Submitted values, the deal's version, and the problems.
struct RefusedWinInput {
    values: FormValues,
    version: i64,
    problems: Vec<RequestProblem>,
    conflict: Option<VersionConflict>,
}

/// Judged by the first plan, or else by the deal's kind.
fn is_vehicle_deal(registers: &TenantRegisters, view: &DealDetailView) -> bool {
    let deal = &view.found_deal.deal;
    let first = deal.plans.first().and_then(|code| registers.plan(*code)).map(|plan| plan.kind);
    first.or(deal.kind) == Some(BenefitKind::Vehicle)
}

fn list_form_sections(
    registers: &TenantRegisters,
    view: &DealDetailView,
) -> Vec<(&'static str, &'static [InputSpec])> {
    let mut all: Vec<(&'static str, &'static [InputSpec])> =
        vec![("Associado", MEMBER), ("Benefício", BENEFIT)];
    if is_vehicle_deal(registers, view) {
        all.push(("Veículo", VEHICLE));
    }
    all
}

/// Initial values from the deal and its lead.
fn prefill_win_values(app: &App, registers: &TenantRegisters, view: &DealDetailView) -> FormValues {
    let (deal, lead) = (&view.found_deal.deal, &view.lead.lead);
    let plans: Vec<String> = deal.plans.iter().map(ToString::to_string).collect();
    let pending = registers.default_situation(Entity::Benefit, SituationKind::Pending);
    let money = |money: Option<Money>| money.map(format_money_input).unwrap_or_default();
    let mut values = FormValues::from([
        ("cpfCnpj", lead.document.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("codLoja", deal.branch.to_string()),
        ("situacao", pending.map_or_else(String::new, |one| one.name.clone())),
        ("dataAdesao", app.now().date_in(&registers.zone).to_br()),
        ("planos", plans.join(",")),
        ("valorProtegido", money(deal.vehicle.protected)),
        ("valorParticipacao", money(deal.vehicle.participation)),
    ]);
    for (name, text) in super::fields::fill_vehicle_values(deal) {
        if let Some(field) = name.strip_prefix("veiculo.") {
            values.insert(field, text);
        }
    }
    values
}

/// The records that will be created, one sentence each.
fn describe_created_records(
    registers: &TenantRegisters,
    view: &DealDetailView,
    values: &FormValues,
) -> Vec<String> {
    let text = |name: &str| values.get(name).map_or("", String::as_str);
    let plans = registers
        .plans
        .iter()
        .filter(|plan| text("planos").split(',').any(|code| code == plan.code.to_string()));
    let plans: Vec<_> = plans.collect();
    let plan_names: Vec<String> =
        plans.iter().map(|plan| format!("{} ({})", plan.name, format_money(plan.price))).collect();
    let total = format_money(plans.iter().map(|plan| plan.price).sum());
    let mut all = vec![match text("cpfCnpj") {
        "" => format!("{} torna-se associado; falta o CPF ou CNPJ.", view.found_deal.name),
        document => format!(
            "{} torna-se associado com o documento {document}. Se alguém já é associado com ele, o benefício é dessa pessoa.",
            view.found_deal.name
        ),
    }];
    all.push(match plan_names.is_empty() {
        true => "Um benefício; falta escolher o plano.".to_owned(),
        false => format!("Um benefício com {}: {total} por mês.", plan_names.join(", ")),
    });
    if is_vehicle_deal(registers, view) {
        let vehicle = [text("placa"), text("marca"), text("modelo")];
        let vehicle: Vec<&str> = vehicle.into_iter().filter(|text| !text.is_empty()).collect();
        all.push(if vehicle.is_empty() {
            "O veículo; falta dizer qual.".to_owned()
        } else {
            format!("O veículo {}.", vehicle.join(" "))
        });
    }
    match view.dependents.len() {
        0 => {}
        1 => all.push(format!("Um dependente: {}.", view.dependents[0].1.name)),
        many => all.push(format!("{many} dependentes, cada um com o seu cartão.")),
    }
    all.push("O negócio fica como ganho, ligado ao benefício.".to_owned());
    all
}

async fn render_win_form(
    app: &App,
    user: &SignedInUser,
    code: DealCode,
    refused_input: Option<RefusedWinInput>,
) -> HandlerResult {
    let (view, registers) = deals::show_deal(app, user.session(), code).await?;
    let frame = PageFrame::load(app, user, "vendas").await?;
    let RefusedWinInput { values, version, problems, conflict } =
        refused_input.unwrap_or_else(|| RefusedWinInput {
            values: prefill_win_values(app, &registers, &view),
            version: view.found_deal.deal.version,
            problems: Vec::new(),
            conflict: None,
        });
    let parts = list_form_sections(&registers, &view);
    let all: Vec<InputSpec> = parts.iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let is_refused = !problems.is_empty() || conflict.is_some();
    let problems = FormProblems::new(problems, &all);
    let fields = |specs: &[InputSpec]| {
        build_inputs(specs, &values, &problems, |name| match name {
            "situacao" => {
                let all = registers.active_situations(Entity::Benefit);
                all.map(|one| (one.name.clone(), one.name.clone())).collect()
            }
            "diaVencimento" => {
                registers.due_days.iter().map(|day| (day.to_string(), format!("Dia {day}"))).collect()
            }
            other => list_deal_choices(&registers, user, &BTreeMap::new(), &values, other),
        })
    };
    let page = WinDealPage {
        code: code.get(),
        name: view.found_deal.name.clone(),
        // The user now sees the current state, so the next attempt may proceed.
        version: conflict.as_ref().map_or(version, |one| one.version),
        creates: describe_created_records(&registers, &view, &values),
        triggers: crate::widgets::situation_form::describe_receivers(
            registers.receivers_for(Entity::Benefit).len(),
        ),
        sections: parts.iter().map(|(title, specs)| (*title, fields(specs))).collect(),
        conflict,
        others: problems.list_others(),
        is_refused,
        frame,
    };
    if is_refused { render_page(StatusCode::BAD_REQUEST, &page) } else { show_page(&page) }
}

/// `GET /console/vendas/{codigo}/ganhar`
pub async fn show_win_form(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let code = DealCode::new(code);
    let (view, _) = deals::show_deal(&app, user.session(), code).await?;
    if view.found_deal.deal.state != DealState::Open {
        return Ok(redirect_to(&build_deal_path(&app, code)));
    }
    render_win_form(&app, &user, code, None).await
}

/// Builds the request's record: empty fields fall back to the deal and its lead.
fn build_win_record(values: &FormValues, version: &str) -> Value {
    let mut values = values.clone();
    values.retain(|_, text| !text.is_empty());
    let plans = values.remove("planos").unwrap_or_default();
    let plans: Vec<&str> = plans.split(',').filter(|code| !code.is_empty()).collect();
    for name in ["valorVeiculo", "valorProtegido", "valorParticipacao"] {
        if let Some(text) = values.get_mut(name) {
            *text = normalize_money(text);
        }
    }
    let plans = (!plans.is_empty()).then(|| ("planos", value!(plans)));
    let more: Vec<_> = plans.into_iter().chain([("versao", value!(version))]).collect();
    build_record(&values, &more)
}

/// `POST /console/vendas/{codigo}/ganhar`
pub async fn win_deal(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let code = DealCode::new(code);
    let specs: Vec<InputSpec> = MEMBER.iter().chain(BENEFIT).chain(VEHICLE).copied().collect();
    let values = read_form_values(&specs, &form);
    let mut conflict = None;
    let problems: Vec<RequestProblem> =
        match read::read_record::<GanhoInput>(&build_win_record(&values, form.text("versao"))) {
            Err(unread) => unread.problems.into_problems(),
            Ok(input) => {
                let done =
                    deals::win_deal(&app, user.session(), code, input, IdempotentWrite::without_key()).await;
                match done.and_then(WriteOutcome::into_fresh) {
                    Ok(won) => {
                        let benefit =
                            won.found_deal.deal.benefit.map(|code| code.to_string()).unwrap_or_default();
                        return Ok(redirect_with_notice(
                            &format!("{}/console/beneficios/{benefit}", derive_root_path(&app)),
                            &format!(
                                "Negócio ganho: {} agora é associado, com este benefício.",
                                won.found_deal.name
                            ),
                        ));
                    }
                    Err(Error::Refused(problems)) => {
                        conflict = VersionConflict::find_in_rejections(&problems, str::to_owned);
                        let others =
                            problems.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
                        wire::refusal::describe_rejections(others)
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        };
    let rename = |problem: RequestProblem| match problem.field.as_deref() {
        Some("codPlano") => RequestProblem::of("planos", problem.sentence),
        _ => problem,
    };
    let problems = problems.into_iter().map(rename).collect();
    let version = form.text("versao").parse().unwrap_or_default();
    render_win_form(&app, &user, code, Some(RefusedWinInput { values, version, problems, conflict })).await
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/negocio_ganhar.html", |with| {
    let page = |conflict| {
        crate::template_tests::render_template(&WinDealPage {
            frame: with.frame(),
            code: 7,
            name: with.text(),
            version: 3,
            creates: with.list_of(|| with.text()),
            triggers: with.text(),
            sections: with.list_of(|| ("Quem é", with.inputs())),
            conflict,
            others: with.list_of(|| with.text()),
            is_refused: with.is_filled(),
        })
    };
    [page(None), page(with.option_of(|| with.conflict()))].concat()
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_left_to_the_deal_and_its_lead() {
        let values = FormValues::from([
            ("cpfCnpj", String::new()),
            ("planos", "3,4".to_owned()),
            ("valorVeiculo", "78.500,00".to_owned()),
        ]);
        let body = build_win_record(&values, "2");
        assert_eq!(body, value!({"planos": ["3", "4"], "valorVeiculo": "78500.00", "versao": "2"}));
    }
}
