//! The page of a deal: contact, subject, stage and history.

use super::fields::find_deal_label;
use super::{StageBadge, build_deal_path, build_stage_badge, label_deal_state};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::facts::drop_empty_facts;
use crate::widgets::form_input::FormValues;
use crate::widgets::form_problems::label_problems;
use crate::widgets::formats::{format_moment, format_money};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::phones::format_marked_phone;
use crate::widgets::record_form::build_record;
use app::idempotency::IdempotentWrite;
use app::record_timeline::RecordChangeDetail;
use app::register_snapshot::TenantRegisters;
use app::sales::deals::{self, DealDetailView};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{Date, DealCode, DealState, Kinship, Moment, Phone, PhoneKind, ProposedDependent};
use wire::read;
use wire::set_names;

struct DealEventLine {
    when: String,
    who: String,
    stage: Option<StageBadge>,
    text: String,
}

struct DealDependentLine {
    name: String,
    kinship: &'static str,
    cpf: String,
    born: String,
}

#[derive(Template)]
#[template(path = "console/negocio.html")]
struct ViewDealPage {
    frame: PageFrame,
    code: i32,
    sequence: i32,
    name: String,
    title: String,
    stage: StageBadge,
    age: String,
    state: &'static str,
    state_class: &'static str,
    is_open: bool,
    is_lost: bool,
    lost_because: String,
    benefit: Option<i32>,
    person: i32,
    version: i64,
    facts: Vec<(&'static str, String)>,
    contact: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    plans: Vec<(String, String)>,
    dependents: Vec<DealDependentLine>,
    takes_dependents: bool,
    kinships: Vec<&'static str>,
    note: String,
    message: String,
    stages: Vec<(i32, String, bool)>,
    events: Vec<DealEventLine>,
    refused_input: RefusedDealInput,
}

/// Input that was rejected, with its problems.
#[derive(Default)]
pub struct RefusedDealInput {
    /// Reason for losing the deal.
    pub reason: Option<String>,
    pub dependent: FormValues,
    pub problems: Vec<String>,
}

impl RefusedDealInput {
    fn of(&self, name: &str) -> &str {
        self.dependent.get(name).map_or("", String::as_str)
    }
}

/// Renders the page with the rejected input.
pub async fn render_refused_input(
    app: &App,
    user: &SignedInUser,
    code: DealCode,
    refused_input: RefusedDealInput,
) -> HandlerResult {
    let page = build_deal_page(app, user, code).await?;
    render_page(StatusCode::BAD_REQUEST, &ViewDealPage { refused_input, ..page })
}

/// `GET /console/vendas/{codigo}`
pub async fn show_deal_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    show_page(&build_deal_page(&app, &user, DealCode::new(code)).await?)
}

async fn build_deal_page(app: &App, user: &SignedInUser, code: DealCode) -> Result<ViewDealPage, Error> {
    let caller = user.session();
    let (view, registers) = deals::show_deal(app, caller, code).await?;
    let frame = PageFrame::load(app, user, "vendas").await?;
    let events = list_deal_events(app, user, code, &view, &registers).await?;
    let deal = &view.found_deal.deal;
    let (state, state_class) = label_deal_state(deal.state);
    let text_or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    let funnel = registers.funnel(deal.funnel);
    let stages = funnel.map_or(&[][..], |funnel| &funnel.stages).iter().filter(|one| one.active);
    let plan = |code: &domain::PlanCode| {
        registers.plan(*code).map(|plan| (plan.name.clone(), format_money(plan.price)))
    };
    Ok(ViewDealPage {
        code: code.get(),
        sequence: deal.sequence,
        name: view.found_deal.name.clone(),
        title: text_or_empty(&deal.title),
        stage: build_stage_badge(&registers, deal.stage),
        age: crate::widgets::board::format_age(app.now().duration_since(deal.stage_since)),
        state,
        state_class,
        is_open: deal.state == DealState::Open,
        is_lost: deal.state == DealState::Lost,
        lost_because: text_or_empty(&deal.lost_because),
        benefit: deal.benefit.map(domain::BenefitCode::get),
        person: view.found_deal.person.get(),
        version: deal.version,
        facts: drop_empty_facts(vec![
            ("Funil", funnel.map_or_else(String::new, |one| one.name.clone())),
            ("Loja", registers.branch_name(deal.branch).to_owned()),
            ("Quem cuida", text_or_empty(&view.found_deal.responsible_name)),
            (
                "Tipo de benefício",
                deal.kind
                    .map(|kind| crate::widgets::labels::label_benefit_kind(kind).to_owned())
                    .unwrap_or_default(),
            ),
            ("Valor por mês", deal.price.map(format_money).unwrap_or_default()),
            ("Aberto em", deal.opened_on.to_br()),
            ("Deve fechar em", deal.expected_on.map(Date::to_br).unwrap_or_default()),
        ]),
        contact: list_contact_facts(&view, &registers),
        vehicle: list_vehicle_facts(deal),
        plans: deal.plans.iter().filter_map(plan).collect(),
        dependents: view.dependents.iter().map(|(_, one)| build_dependent_line(one)).collect(),
        takes_dependents: deal.kind == Some(domain::BenefitKind::Health) && deal.state == DealState::Open,
        kinships: Kinship::ALL.iter().map(|one| set_names::kinship(*one)).collect(),
        note: text_or_empty(&deal.note),
        message: text_or_empty(&view.lead.lead.message),
        stages: stages.map(|one| (one.code.get(), one.name.clone(), one.code == deal.stage)).collect(),
        events,
        refused_input: RefusedDealInput::default(),
        frame,
    })
}

fn list_contact_facts(view: &DealDetailView, registers: &TenantRegisters) -> Vec<(&'static str, String)> {
    let lead = &view.lead.lead;
    let text_or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    let text = |value: Option<String>| value.unwrap_or_default();
    let phone = |number: Option<&Phone>, kind| text(number.map(|number| format_marked_phone(number, kind)));
    let city_and_state: Vec<&str> =
        [lead.city.as_deref(), lead.state.as_deref()].into_iter().flatten().collect();
    drop_empty_facts(vec![
        ("Celular", phone(lead.mobile.as_ref(), PhoneKind::Mobile)),
        ("Telefone", phone(lead.landline.as_ref(), PhoneKind::Landline)),
        ("E-mail", text(lead.email.as_ref().map(ToString::to_string))),
        ("CPF ou CNPJ", text(lead.document.as_ref().map(ToString::to_string))),
        ("Empresa", text_or_empty(&lead.company)),
        ("Cidade", city_and_state.join("/")),
        ("De onde veio", text_or_empty(&lead.origin)),
        ("Consultor", text(lead.consultant.and_then(|code| registers.seller_name(code)).map(str::to_owned))),
    ])
}

pub fn list_vehicle_facts(deal: &domain::Deal) -> Vec<(&'static str, String)> {
    let values = super::fields::fill_vehicle_values(deal);
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    for spec in super::fields::VEHICLE.iter().filter(|spec| spec.name != "veiculo.valorVeiculo") {
        facts.push((spec.label, values.get(spec.name).cloned().unwrap_or_default()));
    }
    facts.push(("Valor do veículo", deal.vehicle.worth.map(format_money).unwrap_or_default()));
    drop_empty_facts(facts)
}

fn build_dependent_line(one: &ProposedDependent) -> DealDependentLine {
    DealDependentLine {
        name: one.name.clone(),
        kinship: set_names::kinship(one.kinship),
        cpf: one.cpf.as_ref().map(ToString::to_string).unwrap_or_default(),
        born: one.born_on.map(Date::to_br).unwrap_or_default(),
    }
}

/// Stage changes and field changes, newest first.
async fn list_deal_events(
    app: &App,
    user: &SignedInUser,
    code: DealCode,
    view: &DealDetailView,
    registers: &TenantRegisters,
) -> Result<Vec<DealEventLine>, Error> {
    let zone = &registers.zone;
    let who = |name: &Option<String>| name.clone().unwrap_or_else(|| "Sistema".to_owned());
    let moves = view.moves.iter().map(|one| {
        let text = match one.state {
            DealState::Open => String::new(),
            closed => label_deal_state(closed).0.to_owned(),
        };
        let event = DealEventLine {
            when: format_moment(one.at, zone),
            who: who(&one.user_name),
            stage: Some(build_stage_badge(registers, one.stage)),
            text,
        };
        (one.at, event)
    });
    let mut all: Vec<(Moment, DealEventLine)> = moves.collect();
    let history = deals::read_deal_history(app, user.session(), code).await?;
    for one in history.happened {
        // The moves already cover stages and states.
        let RecordChangeDetail::Field { name, before, after } = one.what else { continue };
        let Some(label) = find_deal_label(&name).filter(|_| name != "codEtapa") else { continue };
        let text = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
        let text = format!("{label}: de {} para {}", text(before), text(after));
        let event =
            DealEventLine { when: format_moment(one.at, zone), who: who(&one.user_name), stage: None, text };
        all.push((one.at, event));
    }
    all.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    Ok(all.into_iter().map(|(_, event)| event).collect())
}

/// Labels of the dependent's fields.
const DEPENDENT: [(&str, &str); 4] =
    [("nome", "Nome"), ("parentesco", "Parentesco"), ("cpf", "CPF"), ("dataNascimento", "Nascimento")];

/// `POST /console/vendas/{codigo}/dependentes`
pub async fn add_dependent(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let dependent: FormValues = DEPENDENT.map(|(name, _)| (name, form.text(name).trim().to_owned())).into();
    let mut filled = dependent.clone();
    filled.retain(|_, text| !text.is_empty());
    let deal = DealCode::new(code);
    let found = match read::read_record(&build_record(&filled, &[])) {
        Err(unread) => unread.problems.into_problems(),
        Ok(input) => {
            match deals::dependents::save_deal_dependent(
                &app,
                user.session(),
                (deal, None),
                input,
                IdempotentWrite::without_key(),
            )
            .await
            {
                Ok(_) => {
                    return Ok(redirect_with_notice(
                        &build_deal_path(&app, deal),
                        &format!("{} entrou como dependente.", form.text("nome").trim()),
                    ));
                }
                Err(Error::Refused(problems)) => wire::refusal::describe_rejections(&problems),
                Err(error) => return Err(error.into()),
            }
        }
    };
    let problems = label_problems(&found, &DEPENDENT);
    render_refused_input(
        &app,
        &user,
        deal,
        RefusedDealInput { dependent, problems, ..RefusedDealInput::default() },
    )
    .await
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/negocio.html", |with| {
    let event = || DealEventLine {
        when: with.text(),
        who: with.text(),
        stage: with.option_of(|| StageBadge::sample(*with)),
        text: with.text(),
    };
    let dependent =
        || DealDependentLine { name: with.text(), kinship: "Filho", cpf: with.text(), born: with.text() };
    let refused_input = || RefusedDealInput {
        reason: with.option_of(|| with.text()),
        dependent: FormValues::from([("nome", with.text())]),
        problems: with.list_of(|| with.text()),
    };
    let page = |is_open: bool| {
        crate::template_tests::render_template(&ViewDealPage {
            frame: with.frame(),
            code: 7,
            sequence: 1,
            name: with.text(),
            title: with.text(),
            stage: StageBadge::sample(*with),
            age: with.text(),
            state: "Perdido",
            state_class: "wrong",
            is_open,
            is_lost: !is_open,
            lost_because: with.text(),
            benefit: with.option_of(|| 7),
            person: 7,
            version: 3,
            facts: with.facts(),
            contact: with.facts(),
            vehicle: with.facts(),
            plans: with.list_of(|| (with.text(), with.text())),
            dependents: with.list_of(dependent),
            takes_dependents: is_open,
            kinships: vec!["FILHO"],
            note: with.text(),
            message: with.text(),
            stages: with.list_of(|| (3, with.text(), true)),
            events: with.list_of(event),
            refused_input: refused_input(),
        })
    };
    [page(true), page(false)].concat()
})];
