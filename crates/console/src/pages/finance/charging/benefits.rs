//! The benefits of a charging run: what each is charged, line by line, or why it is not.

use super::label_reason;
use crate::http::parameters::QueryParams;
use crate::pages::finance::{describe_price, format_cents};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{ListPager, format_count};
use crate::widgets::select_option::SelectOption;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::{App, Error};
use domain::PAGE_SIZE;
use finance::charging::{
    self, FullChargingRun, ListedRunBenefit, NotChargedReason, RunBenefitFilter, RunBenefitSearch, RunLine,
};

pub struct RunBenefitLine {
    pub code: i32,
    /// The plate, or the code.
    pub what: String,
    pub person: i32,
    pub name: String,
    pub due: String,
    pub amount: String,
    /// Item and amount.
    pub lines: Vec<(String, String)>,
    /// Why it is not charged, or empty.
    pub reason: &'static str,
    pub title: Option<i32>,
}

pub struct RunBenefitSection {
    /// Which benefits can be shown; the value is a link.
    pub choices: Vec<SelectOption>,
    pub rows: Vec<RunBenefitLine>,
    pub pager: ListPager,
}

/// The parameter that says which benefits are shown, and its values besides the number of a reason.
const SHOWN: &str = "mostrar";
const CHARGED: &str = "cobrados";
const NOT_CHARGED: &str = "nao";

pub async fn load_benefit_section(
    app: &App,
    user: &SignedInUser,
    full: &FullChargingRun,
    query: &QueryParams,
) -> Result<RunBenefitSection, Error> {
    let filter = match query.text(SHOWN) {
        CHARGED => RunBenefitFilter::Charged,
        NOT_CHARGED => RunBenefitFilter::NotCharged,
        other => {
            let reason = other.parse().ok().and_then(NotChargedReason::from_number);
            reason.map_or(RunBenefitFilter::All, RunBenefitFilter::Reason)
        }
    };
    let number = query.page_number();
    let offset = i64::from(number - 1) * PAGE_SIZE;
    let search = RunBenefitSearch { run: full.run.code, filter, offset };
    let found = charging::list_run_benefits(app, user.session(), search).await?;
    let registers = load_registers(app, user.session().scope.tenant()).await?;
    let pager = ListPager::new(number, found.total, PAGE_SIZE, |page| {
        format!("{}#beneficios", query.with_page(page))
    });
    Ok(RunBenefitSection {
        choices: list_filter_choices(full, filter),
        rows: found.benefits.iter().map(|one| build_benefit_line(&registers, one)).collect(),
        pager,
    })
}

fn list_filter_choices(full: &FullChargingRun, filter: RunBenefitFilter) -> Vec<SelectOption> {
    let counts = &full.run.counts;
    let choice = |name: String, value: &str, is_chosen: bool| SelectOption {
        value: format!("?{SHOWN}={value}#beneficios"),
        name,
        is_chosen,
    };
    let not_charged = counts.benefits - counts.charged;
    let mut choices = vec![
        choice(format!("Todos ({})", format_count(counts.benefits)), "", filter == RunBenefitFilter::All),
        choice(
            format!("Cobrados ({})", format_count(counts.charged)),
            CHARGED,
            filter == RunBenefitFilter::Charged,
        ),
        choice(
            format!("Não cobrados ({})", format_count(not_charged)),
            NOT_CHARGED,
            filter == RunBenefitFilter::NotCharged,
        ),
    ];
    if let RunBenefitFilter::Reason(reason) = filter {
        choices.push(choice(label_reason(reason).to_owned(), &reason.number().to_string(), true));
    }
    choices
}

fn build_benefit_line(registers: &TenantRegisters, listed: &ListedRunBenefit) -> RunBenefitLine {
    let row = &listed.row;
    RunBenefitLine {
        code: row.benefit.get(),
        what: listed.plate.clone().unwrap_or_else(|| row.benefit.to_string()),
        person: row.person.get(),
        name: listed.person_name.clone(),
        due: row.due_on.map(domain::Date::to_br).unwrap_or_default(),
        amount: if row.reason.is_some() { String::new() } else { format_cents(row.amount) },
        lines: listed.lines.iter().map(|line| describe_line(registers, line)).collect(),
        reason: row.reason.map(label_reason).unwrap_or_default(),
        title: row.title.map(domain::TitleCode::get),
    }
}

fn describe_line(registers: &TenantRegisters, line: &RunLine) -> (String, String) {
    let item = registers.money.charge_items.iter().find(|one| one.code == line.item);
    let item = item.map(|one| one.name.as_str()).unwrap_or_default();
    let name = match line.description.as_deref().filter(|text| *text != item) {
        Some(text) => format!("{item} · {text}"),
        None => item.to_owned(),
    };
    let name = match line.price {
        Some(price) => format!("{name} · {}", describe_price(price)),
        None => name,
    };
    let name = if line.instalment > 1 { format!("{name} (parcela {})", line.instalment) } else { name };
    (name, format_cents(line.amount))
}

#[cfg(test)]
impl RunBenefitSection {
    pub fn sample(with: crate::template_tests::SampleContent) -> RunBenefitSection {
        let row = || RunBenefitLine {
            code: 7,
            what: with.text(),
            person: 7,
            name: with.text(),
            due: with.text(),
            amount: with.text(),
            lines: with.list_of(|| (with.text(), with.text())),
            reason: "Sem preço",
            title: with.option_of(|| 7),
        };
        RunBenefitSection { choices: with.choices(), rows: with.list_of(row), pager: with.pager() }
    }
}
