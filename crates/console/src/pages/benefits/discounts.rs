//! The discounts of a benefit: a section of its page, and what it sends.

use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, PathPartCodes};
use crate::http::redirect::derive_root_path;
use crate::session::notice::{redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{format_money, format_month};
use crate::widgets::page::HandlerResult;
use app::access::users;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use axum::extract::State;
use domain::display::{self, format_percent};
use domain::finance::DiscountAmountRule;
use domain::{BenefitCode, BenefitDiscountCode, Date, MoneyRight, UserCode};
use finance::{BenefitDiscounts, NewDiscountGrant, StoredDiscountGrant};
use serde_json::{Map, Value};
use std::collections::HashMap;
use wire::read::{self, InputRecord};
use wire::records::{DescontoBeneficioInput, DescontoEncerramentoInput};

pub struct GrantedDiscountLine {
    pub code: i32,
    pub name: String,
    /// `10%` or `R$ 10,00`
    pub rate: String,
    pub from_month: String,
    pub until_month: String,
    pub reason: String,
    /// Why it was ended before its time, or empty.
    pub ending: String,
    pub who: String,
    pub can_end: bool,
}

pub struct GrantedDiscountSection {
    pub lines: Vec<GrantedDiscountLine>,
    /// The discounts in use.
    pub choices: Vec<(String, String)>,
    pub this_month: String,
    pub next_month: String,
    pub may_change: bool,
}

/// `None` for users who do not see money.
pub async fn load_discount_section(
    app: &App,
    user: &SignedInUser,
    benefit: BenefitCode,
) -> Result<Option<GrantedDiscountSection>, Error> {
    if !user.sees_money() {
        return Ok(None);
    }
    let BenefitDiscounts { grants, registers } =
        finance::list_benefit_discounts(app, user.session(), benefit).await?;
    let all = users::list_users(app, &user.session().scope).await?;
    let names: HashMap<UserCode, String> = all.into_iter().map(|user| (user.code, user.name)).collect();
    let today = app.now().date_in(&registers.zone);
    let active = registers.money.discounts.iter().filter(|one| one.active);
    let choices =
        active.map(|one| (one.code.to_string(), format!("{} · {}", one.name, describe_rate(one.rate))));
    Ok(Some(GrantedDiscountSection {
        lines: grants.iter().map(|grant| build_line(grant, (&registers, &names), today)).collect(),
        choices: choices.collect(),
        this_month: display::format_month(&today.to_iso_month()),
        next_month: display::format_month(&find_next_month(today)),
        may_change: user.may_with_money(MoneyRight::SettleTitles),
    }))
}

fn build_line(
    grant: &StoredDiscountGrant,
    (registers, names): (&TenantRegisters, &HashMap<UserCode, String>),
    today: Date,
) -> GrantedDiscountLine {
    let discount = registers.money.discount(grant.discount);
    let ending = grant.ending.as_ref().map(|ending| format!("Encerrado: {}", ending.reason));
    let until_month = grant.until_month.as_deref();
    GrantedDiscountLine {
        code: grant.code.get(),
        name: discount.map_or_else(String::new, |one| one.name.clone()),
        rate: discount.map_or_else(String::new, |one| describe_rate(one.rate)),
        from_month: format_month(&grant.from_month),
        until_month: until_month.map_or_else(|| "sem fim".to_owned(), format_month),
        reason: grant.reason.clone(),
        ending: ending.unwrap_or_default(),
        who: grant.user.and_then(|code| names.get(&code).cloned()).unwrap_or_default(),
        can_end: until_month.is_none_or(|until| until > today.to_iso_month().as_str()),
    }
}

fn describe_rate(rate: DiscountAmountRule) -> String {
    match rate {
        DiscountAmountRule::Percent(hundredths) => format_percent(hundredths),
        DiscountAmountRule::Amount(amount) => format_money(amount),
    }
}

fn find_next_month(today: Date) -> String {
    let month = today.to_iso_month();
    let mut day = today;
    while day.to_iso_month() == month {
        day = day.next();
    }
    day.to_iso_month()
}

/// The typed fields as a record of the API; empty ones are left out.
fn read_form<T: InputRecord>(form: &SubmittedForm, names: &[&str]) -> Result<T, String> {
    let filled =
        names.iter().map(|name| (*name, form.text(name).trim())).filter(|(_, text)| !text.is_empty());
    let record: Map<String, Value> = filled.map(|(name, text)| (name.to_owned(), text.into())).collect();
    read::read_record_fields(&record).map_err(|unread| unread.problems.into_lines().join(" "))
}

/// `POST /console/beneficios/{codigo}/descontos`
pub async fn grant_discount(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let back = format!("{}/console/beneficios/{code}", derive_root_path(&app));
    let names = ["codDesconto", "desdeMes", "ateMes", "motivo"];
    let input = match read_form::<DescontoBeneficioInput>(&form, &names) {
        Ok(input) => NewDiscountGrant {
            discount: input.discount,
            from_month: input.from_month.as_iso().to_owned(),
            until_month: input.until_month.into_set().map(|month| month.as_iso().to_owned()),
            reason: input.reason.as_str().to_owned(),
        },
        Err(problems) => return Ok(redirect_with_problem(&back, &format!("Nada mudou. {problems}"))),
    };
    let (benefit, once) = (BenefitCode::new(code), IdempotentWrite::without_key());
    let done = finance::grant_benefit_discount(&app, user.session(), (benefit, input), once).await;
    finish(&back, "O desconto foi concedido.", done)
}

/// `POST /console/beneficios/{codigo}/descontos/{parte}/encerrar`
pub async fn end_discount(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(code, grant): PathPartCodes,
    form: SubmittedForm,
) -> HandlerResult {
    let back = format!("{}/console/beneficios/{code}", derive_root_path(&app));
    let input = match read_form::<DescontoEncerramentoInput>(&form, &["ateMes", "motivo"]) {
        Ok(input) => (
            BenefitCode::new(code),
            BenefitDiscountCode::new(grant),
            input.until_month.as_iso().to_owned(),
            input.reason.as_str().to_owned(),
        ),
        Err(problems) => return Ok(redirect_with_problem(&back, &format!("Nada mudou. {problems}"))),
    };
    let once = IdempotentWrite::without_key();
    let done = finance::end_benefit_discount(&app, user.session(), input, once).await;
    finish(&back, "O desconto foi encerrado.", done)
}

fn finish(back: &str, notice: &str, done: Result<WriteOutcome<StoredDiscountGrant>, Error>) -> HandlerResult {
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(_) => Ok(redirect_with_notice(back, notice)),
        Err(Error::Refused(problems)) => {
            let problems: Vec<String> = problems.iter().map(wire::refusal::render_sentence).collect();
            Ok(redirect_with_problem(back, &format!("Nada mudou: {}", problems.join(" "))))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
impl GrantedDiscountSection {
    pub fn sample(with: crate::template_tests::SampleContent) -> GrantedDiscountSection {
        let line = || GrantedDiscountLine {
            code: 7,
            name: with.text(),
            rate: with.text(),
            from_month: with.text(),
            until_month: with.text(),
            reason: with.text(),
            ending: with.text(),
            who: with.text(),
            can_end: true,
        };
        GrantedDiscountSection {
            lines: with.list_of(line),
            choices: with.list_of(|| (with.text(), with.text())),
            this_month: with.text(),
            next_month: with.text(),
            may_change: with.is_filled(),
        }
    }
}
