//! Agreed prices: what moving them to the price table would change, and the move.

use super::format_cents;
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::derive_root_path;
use crate::session::notice::{redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_token::{SENT_BEFORE, build_form_write, generate_form_token};
use crate::widgets::formats::format_count;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::idempotency::WriteOutcome;
use app::register_snapshot::load_registers;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{BranchCode, Money, MoneyRight, PlanCode};
use finance::{AgreedPriceCriteria, PriceMove, SeenPriceMove};
use serde_json::{Map, Value};
use wire::records::ValorCombinadoInput;

#[derive(Template)]
#[template(path = "console/valores_combinados.html")]
struct AgreedPricesPage {
    frame: PageFrame,
    plans: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    is_filtered: bool,
    facts: Vec<(&'static str, String)>,
    plan: String,
    branch: String,
    count: i64,
    /// In the notation of the record.
    agreed_total: String,
    table_total: String,
    token: String,
}

/// `GET /console/financeiro/valores-combinados`
pub async fn show_agreed_prices(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::ApproveRuns)?;
    let registers = load_registers(&app, caller.scope.tenant()).await?;
    let (plan, branch) = (query.text("codPlano").to_owned(), query.text("codLoja").to_owned());
    let criteria = AgreedPriceCriteria {
        plan: plan.parse().ok().map(PlanCode::new),
        branch: branch.parse().ok().map(BranchCode::new),
    };
    let sums = finance::preview_price_move(&app, caller, criteria).await?;
    let option = |code: String, name: &str, chosen: &str| SelectOption {
        is_chosen: code == chosen,
        value: code,
        name: name.to_owned(),
    };
    let branches = registers.usable_branches(&caller.scope);
    show_page(&AgreedPricesPage {
        plans: registers.plans.iter().map(|one| option(one.code.to_string(), &one.name, &plan)).collect(),
        branches: branches.map(|one| option(one.code.to_string(), &one.name, &branch)).collect(),
        is_filtered: !plan.is_empty() || !branch.is_empty(),
        facts: list_move_facts(&sums),
        count: sums.items,
        agreed_total: write_cents(sums.agreed_total),
        table_total: write_cents(sums.table_total),
        token: generate_form_token(&app),
        frame: PageFrame::load(&app, &user, "financeiro").await?,
        plan,
        branch,
    })
}

fn write_cents(cents: i64) -> String {
    Money::from_stored_cents(cents).unwrap_or_default().to_string()
}

fn list_move_facts(sums: &PriceMove) -> Vec<(&'static str, String)> {
    let sign = if sums.difference() > 0 { "+" } else { "" };
    let mut facts = vec![
        ("Valores que vão à tabela", format_count(sums.items)),
        ("Somam hoje, por mês", format_cents(sums.agreed_total)),
        ("Somarão pela tabela", format_cents(sums.table_total)),
        ("Diferença por mês", format!("{sign}{}", format_cents(sums.difference()))),
    ];
    if sums.without_price > 0 {
        facts.push(("Ficam como estão, sem preço na tabela e no plano", format_count(sums.without_price)));
    }
    facts
}

/// `POST /console/financeiro/valores-combinados`
pub async fn move_agreed_prices(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::ApproveRuns)?;
    let (plan, branch) = (form.text("codPlano"), form.text("codLoja"));
    let area = format!("{}/console/financeiro/valores-combinados", derive_root_path(&app));
    let is_code = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let back = match is_code(plan) && is_code(branch) {
        true => format!("{area}?codPlano={plan}&codLoja={branch}"),
        false => area,
    };
    let names = ["codPlano", "codLoja", "quantidade", "total", "totalTabela"];
    let filled = names.iter().map(|name| (*name, form.text(name))).filter(|(_, text)| !text.is_empty());
    let record: Map<String, Value> = filled.map(|(name, text)| (name.to_owned(), text.into())).collect();
    let Ok(input) = wire::read::read_record_fields::<ValorCombinadoInput>(&record) else {
        return Ok(redirect_with_problem(&back, "Nada mudou. Confira os valores e tente de novo."));
    };
    let criteria = AgreedPriceCriteria { plan: input.plan.into_set(), branch: input.branch.into_set() };
    let seen = SeenPriceMove {
        items: input.items.get().into(),
        agreed_total: input.agreed_total.cents(),
        table_total: input.table_total.cents(),
    };
    let once = build_form_write(&user, &form, |_: &PriceMove| Vec::new());
    match finance::move_to_price_table(&app, user.session(), (criteria, seen), once).await {
        Ok(WriteOutcome::Fresh(sums)) if sums.items == 1 => {
            Ok(redirect_with_notice(&back, "1 valor agora é o da tabela de preços."))
        }
        Ok(WriteOutcome::Fresh(sums)) => {
            let notice = format!("{} valores agora são os da tabela de preços.", format_count(sums.items));
            Ok(redirect_with_notice(&back, &notice))
        }
        Ok(_) => Ok(redirect_with_notice(&back, "Os valores agora são os da tabela de preços.")),
        Err(Error::Refused(_)) => {
            Ok(redirect_with_problem(&back, "Nada mudou: os valores já não eram os mesmos. Confira de novo."))
        }
        Err(Error::KeyReused) => Ok(redirect_with_problem(&back, SENT_BEFORE)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/valores_combinados.html", |with| {
    let option = || SelectOption { value: with.text(), name: with.text(), is_chosen: false };
    crate::template_tests::render_template(&AgreedPricesPage {
        frame: with.frame(),
        plans: with.list_of(option),
        branches: with.list_of(option),
        is_filtered: with.is_filled(),
        facts: with.facts(),
        plan: with.text(),
        branch: with.text(),
        count: if with.is_filled() { 3 } else { 0 },
        agreed_total: with.text(),
        table_total: with.text(),
        token: with.text(),
    })
})];
