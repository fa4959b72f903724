//! Changed benefits with titles that are not yet due: which ones there are, what would become of each title, and the two
//! answers to that.

use super::{count_titles, format_cents};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::derive_root_path;
use crate::pages::finance::charging::label_reason;
use crate::pages::finance::forms::{describe_others, explain_refusal, read_typed_record};
use crate::session::notice::redirect_with_outcome;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::{build_form_write, generate_form_token};
use crate::widgets::formats::{format_moment, format_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use app::App;
use app::benefits::describe_stored_benefit;
use app::register_snapshot::load_registers;
use askama::Template;
use axum::extract::State;
use domain::{BenefitCode, MoneyRight, PAGE_SIZE};
use finance::charging::revision::{
    self, AppliedRevision, PlannedTitle, RevisedTitle, TitleRevisionOutcome, TitleRevisionTotals,
};
use wire::records::{MotivoFinanceiroInput, RevisaoInput};

const REASON: &[InputSpec] = &[InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") }];
/// Hidden: what the page showed.
const SEEN: &[InputSpec] = &[InputSpec::text("conferencia", "Conferência", 16)];

struct WaitingBenefitLine {
    benefit: i32,
    person: i32,
    holder: String,
    plate: String,
    titles: String,
    amount: String,
    when: String,
}

#[derive(Template)]
#[template(path = "console/revisoes.html")]
struct WaitingRevisionsPage {
    frame: PageFrame,
    rows: Vec<WaitingBenefitLine>,
    total: String,
    /// The pages before and after this one.
    around: [Option<String>; 2],
}

/// `GET /console/financeiro/revisoes`
pub async fn show_revision_list(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let registers = load_registers(&app, caller.scope.tenant()).await?;
    let number = query.page_number();
    let page = revision::list_revisions(&app, caller, i64::from(number - 1) * PAGE_SIZE).await?;
    let line = |one: &revision::WaitingRevision| WaitingBenefitLine {
        benefit: one.benefit.get(),
        person: one.person.get(),
        holder: one.person_name.clone(),
        plate: one.plate.clone().unwrap_or_default(),
        titles: count_titles(one.titles),
        amount: format_cents(one.open_amount),
        when: format_moment(one.created_at, &registers.zone),
    };
    show_page(&WaitingRevisionsPage {
        rows: page.benefits.iter().map(line).collect(),
        total: count_benefits(page.total),
        around: [
            (number > 1).then(|| query.with_page(number - 1)),
            (i64::from(number) * PAGE_SIZE < page.total).then(|| query.with_page(number + 1)),
        ],
        frame: PageFrame::load(&app, &user, "financeiro").await?,
    })
}

/// `1 benefício`, `12 benefícios`
pub fn count_benefits(benefits: i64) -> String {
    if benefits == 1 { "1 benefício".to_owned() } else { format!("{benefits} benefícios") }
}

/// What becomes of a title.
struct RevisedTitleLine {
    code: i32,
    month: String,
    due_on: String,
    amount: String,
    badge: (&'static str, &'static str),
    /// What takes its place, or why nothing does.
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "console/revisao.html")]
struct TitleRevisionPage {
    frame: PageFrame,
    benefit: i32,
    holder: String,
    description: String,
    lines: Vec<RevisedTitleLine>,
    is_changing: bool,
    /// Listed among the benefits to be looked at.
    is_waiting: bool,
    facts: Vec<(&'static str, String)>,
    /// A hidden field of the form: the digest of what is shown.
    seen: String,
    may_revise: bool,
    reason: Vec<FormInput>,
    token: String,
}

/// `GET /console/financeiro/revisoes/{codigo}`
pub async fn show_revision_page(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let found = revision::read_revision(&app, caller, BenefitCode::new(code)).await?;
    let full = app::benefits::read_full_benefit(&app, caller, BenefitCode::new(code)).await?;
    let is_waiting = revision::is_revision_waiting(&app, caller, BenefitCode::new(code)).await?;
    let totals = found.totals();
    let no_problems = FormProblems::default();
    show_page(&TitleRevisionPage {
        benefit: code,
        holder: full.holder.name.clone(),
        description: describe_stored_benefit(&full.registers, &full.benefit),
        lines: found.titles.iter().map(build_title_line).collect(),
        is_changing: totals.cancelled_titles > 0,
        is_waiting,
        facts: list_revision_facts(totals),
        seen: found.digest(),
        may_revise: user.may_with_money(MoneyRight::SettleTitles),
        reason: build_inputs(REASON, &FormValues::new(), &no_problems, |_| Vec::new()),
        token: generate_form_token(&app),
        frame: PageFrame::load(&app, &user, "financeiro").await?,
    })
}

fn build_title_line(one: &RevisedTitle) -> RevisedTitleLine {
    let (badge, notes) = match &one.outcome {
        TitleRevisionOutcome::Unchanged => (("Fica como está", "fine"), Vec::new()),
        TitleRevisionOutcome::Paid => {
            (("Fica", ""), vec!["Já tem pagamento. Estorne-o antes, se o título não vale mais.".to_owned()])
        }
        TitleRevisionOutcome::Replaced { titles, not_charged } => {
            let badge =
                if titles.is_empty() { ("Será cancelado", "wrong") } else { ("Será trocado", "warn") };
            let why = not_charged.map(|reason| format!("{}.", label_reason(reason)));
            (badge, why.into_iter().chain(titles.iter().map(describe_planned_title)).collect())
        }
    };
    RevisedTitleLine {
        code: one.code.get(),
        month: format_month(&one.month.to_iso()),
        due_on: one.title.due_on.to_br(),
        amount: format_cents(one.title.open_amount),
        badge,
        notes,
    }
}

fn describe_planned_title(planned: &PlannedTitle) -> String {
    format!(
        "Novo título de {}, com vencimento em {}.",
        format_cents(planned.amount()),
        planned.due_on.to_br()
    )
}

fn list_revision_facts(totals: TitleRevisionTotals) -> Vec<(&'static str, String)> {
    let difference = totals.issued_amount - totals.cancelled_amount;
    let sign = if difference > 0 { "+" } else { "" };
    vec![
        ("Cancelados", count_titles(totals.cancelled_titles)),
        ("Somam", format_cents(totals.cancelled_amount)),
        ("Emitidos em seu lugar", count_titles(totals.issued_titles)),
        ("Somarão", format_cents(totals.issued_amount)),
        ("Diferença", format!("{sign}{}", format_cents(difference))),
    ]
}

/// `POST /console/financeiro/revisoes/{codigo}/aplicar`
pub async fn apply_revision(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let (area, values) = (build_page_path(&app, code), read_form_values(SEEN, &form));
    let Ok(input) = read_typed_record::<RevisaoInput>(SEEN, &values, &[]) else {
        return Ok(redirect_with_outcome(
            &area,
            Err("Nada mudou. Confira os títulos e tente de novo.".to_owned()),
        ));
    };
    let seen = (BenefitCode::new(code), input.seen.as_str().to_owned());
    let once = build_form_write(&user, &form, |_: &AppliedRevision| Vec::new());
    let outcome = match revision::apply_revision(&app, user.session(), seen, once).await {
        Ok(_) => Ok("Os títulos a vencer foram revistos.".to_owned()),
        Err(error) => Err(describe_others(&explain_refusal(error, &[], &values)?).join(" ")),
    };
    Ok(redirect_with_outcome(&area, outcome))
}

/// `POST /console/financeiro/revisoes/{codigo}/manter`
pub async fn dismiss_revision(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let (area, values) = (build_page_path(&app, code), read_form_values(REASON, &form));
    let Ok(input) = read_typed_record::<MotivoFinanceiroInput>(REASON, &values, &[]) else {
        return Ok(redirect_with_outcome(
            &area,
            Err("Informe por que os títulos ficam como estão.".to_owned()),
        ));
    };
    let dismissal = (BenefitCode::new(code), input.reason.as_str().to_owned());
    let once = build_form_write(&user, &form, |_: &BenefitCode| Vec::new());
    let outcome = match revision::dismiss_revision(&app, user.session(), dismissal, once).await {
        Ok(_) => Ok("Os títulos ficam como estão.".to_owned()),
        Err(error) => Err(describe_others(&explain_refusal(error, REASON, &values)?).join(" ")),
    };
    Ok(redirect_with_outcome(&area, outcome))
}

fn build_page_path(app: &App, benefit: i32) -> String {
    format!("{}/console/financeiro/revisoes/{benefit}", derive_root_path(app))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/revisoes.html", |with| {
        let line = || WaitingBenefitLine {
            benefit: 7,
            person: 7,
            holder: with.text(),
            plate: with.text(),
            titles: with.text(),
            amount: with.text(),
            when: with.text(),
        };
        crate::template_tests::render_template(&WaitingRevisionsPage {
            frame: with.frame(),
            rows: with.list_of(line),
            total: with.text(),
            around: [with.option_of(|| with.text()), with.option_of(|| with.text())],
        })
    }),
    ("console/revisao.html", |with| {
        let line = || RevisedTitleLine {
            code: 7,
            month: with.text(),
            due_on: with.text(),
            amount: with.text(),
            badge: ("Será trocado", "warn"),
            notes: with.list_of(|| with.text()),
        };
        crate::template_tests::render_template(&TitleRevisionPage {
            frame: with.frame(),
            benefit: 7,
            holder: with.text(),
            description: with.text(),
            lines: with.list_of(line),
            is_changing: with.is_filled(),
            is_waiting: with.is_filled(),
            facts: with.facts(),
            seen: with.text(),
            may_revise: with.is_filled(),
            reason: with.inputs(),
            token: with.text(),
        })
    }),
];
