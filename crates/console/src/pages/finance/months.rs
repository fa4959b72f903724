//! Closed months: what they are, the next one to close, and the last one to reopen.

use super::forms::{describe_others, explain_refusal, read_typed_record};
use crate::http::form::SubmittedForm;
use crate::http::redirect::derive_root_path;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::form_token::{build_form_write, generate_form_token};
use crate::widgets::formats::{format_moment, format_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use app::access::users;
use app::register_snapshot::load_registers;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{MoneyRight, UserCode, display};
use finance::{ClosedMonths, ClosingChange};
use std::collections::HashMap;
use wire::records::{FechamentoInput, MotivoFinanceiroInput};

const MONTH: &[InputSpec] = &[InputSpec::text("mes", "Mês", 7)];
const REASON: &[InputSpec] = &[InputSpec { longest: 500, ..InputSpec::area("motivo", "Motivo") }];

struct PeriodChangeLine {
    when: String,
    who: String,
    what: &'static str,
    /// What is closed after it.
    closed_through: String,
    reason: String,
}

#[derive(Template)]
#[template(path = "console/meses.html")]
struct ClosedMonthsPage {
    frame: PageFrame,
    closed_through: Option<String>,
    /// `10/2026`, and as it is read aloud.
    next_month: Option<(String, String)>,
    reopen: Vec<FormInput>,
    changes: Vec<PeriodChangeLine>,
    problems: Vec<String>,
    is_refused: bool,
    token: String,
}

/// `GET /console/financeiro/meses`
pub async fn show_months_page(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    render_months_page(&app, &user, FormValues::new(), FormProblems::default()).await
}

async fn render_months_page(
    app: &App,
    user: &SignedInUser,
    values: FormValues,
    problems: FormProblems,
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::ClosePeriods)?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let ClosedMonths { closed_through, next_month, changes } = finance::read_periods(app, caller).await?;
    let all = users::list_users(app, &caller.scope).await?;
    let names: HashMap<UserCode, String> = all.into_iter().map(|user| (user.code, user.name)).collect();
    let build_line = |change: &ClosingChange| PeriodChangeLine {
        when: format_moment(change.changed_at, &registers.zone),
        who: change.user.and_then(|code| names.get(&code).cloned()).unwrap_or_else(|| "Sistema".to_owned()),
        what: if change.is_closing { "Fechou" } else { "Reabriu" },
        closed_through: change.closed_through.as_deref().map(format_month).unwrap_or_default(),
        reason: change.reason.clone().unwrap_or_default(),
    };
    let is_refused = !problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let page = ClosedMonthsPage {
        closed_through: closed_through.as_deref().map(format_month),
        next_month: next_month.as_deref().map(|month| (display::format_month(month), format_month(month))),
        reopen: build_inputs(REASON, &values, &problems, |_| Vec::new()),
        changes: changes.iter().map(build_line).collect(),
        problems: describe_others(&problems),
        is_refused,
        token: generate_form_token(app),
        frame: PageFrame::load(app, user, "financeiro").await?,
    };
    render_page(status, &page)
}

/// `POST /console/financeiro/meses/fechar`
pub async fn close_month(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    user.session().require_money_right(MoneyRight::ClosePeriods)?;
    let values = read_form_values(MONTH, &form);
    // The page has no input for the month, so what is wrong with it stands above.
    let input = match read_typed_record::<FechamentoInput>(&[], &values, &[]) {
        Ok(input) => input,
        Err(problems) => return render_months_page(&app, &user, values, problems).await,
    };
    let month = input.month.as_iso().to_owned();
    let notice = format!("Tudo até {} está fechado.", format_month(&month));
    let once = build_form_write(&user, &form, |_: &ClosedMonths| Vec::new());
    let done = finance::close_period(&app, user.session(), month, once).await;
    finish(&app, &user, (&[], values), &notice, done.map(drop)).await
}

/// `POST /console/financeiro/meses/reabrir`
pub async fn reopen_month(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    user.session().require_money_right(MoneyRight::ClosePeriods)?;
    let values = read_form_values(REASON, &form);
    let input = match read_typed_record::<MotivoFinanceiroInput>(REASON, &values, &[]) {
        Ok(input) => input,
        Err(problems) => return render_months_page(&app, &user, values, problems).await,
    };
    let once = build_form_write(&user, &form, |_: &ClosedMonths| Vec::new());
    let done = finance::reopen_period(&app, user.session(), input.reason.as_str().to_owned(), once).await;
    finish(&app, &user, (REASON, values), "O último fechamento foi desfeito.", done.map(drop)).await
}

async fn finish(
    app: &App,
    user: &SignedInUser,
    (specs, values): (&[InputSpec], FormValues),
    notice: &str,
    done: Result<(), Error>,
) -> HandlerResult {
    match done {
        Ok(()) => {
            let page = format!("{}/console/financeiro/meses", derive_root_path(app));
            Ok(redirect_with_notice(&page, notice))
        }
        Err(error) => {
            let problems = explain_refusal(error, specs, &values)?;
            render_months_page(app, user, values, problems).await
        }
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/meses.html", |with| {
    let line = || PeriodChangeLine {
        when: with.text(),
        who: with.text(),
        what: "Fechou",
        closed_through: with.text(),
        reason: with.text(),
    };
    crate::template_tests::render_template(&ClosedMonthsPage {
        frame: with.frame(),
        closed_through: with.option_of(|| with.text()),
        next_month: with.option_of(|| (with.text(), with.text())),
        reopen: with.inputs(),
        changes: with.list_of(line),
        problems: with.list_of(|| with.text()),
        is_refused: with.is_filled(),
        token: with.text(),
    })
})];
