//! The overview of money: what is open, late and received, each figure with a link to exactly its titles.

use super::list::list_branches;
use super::month_chart::{MonthAmounts, MonthChart};
use super::revisions::count_benefits;
use super::{count_titles, format_cents};
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{BarChart, format_month, format_short_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::App;
use askama::Template;
use axum::extract::State;
use domain::{BranchCode, Date, MoneyRight};
use finance::charging::revision::count_revisions;
use finance::{DueMonthSums, LATENESS_STEPS, MoneyOverview, OpenTitleSums, find_first_day, find_last_day};

/// A figure on top of the page.
struct MoneyFigure {
    name: String,
    amount: String,
    note: String,
    link: String,
    class: &'static str,
}

/// A due month in the table.
struct DueMonthLine {
    month: String,
    titles: String,
    charged: String,
    received: String,
    open: String,
    /// `93 %`, or empty without titles.
    share: String,
    link: String,
    open_link: String,
}

#[derive(Template)]
#[template(path = "console/financeiro.html")]
struct MoneyOverviewPage {
    frame: PageFrame,
    branches: Vec<SelectOption>,
    is_filtered: bool,
    figures: Vec<MoneyFigure>,
    overdue: Option<BarChart>,
    chart: MonthChart,
    months: Vec<DueMonthLine>,
    closes_months: bool,
    reads_books: bool,
    /// `2 benefícios`, with titles to be revised, or empty.
    revisions: String,
}

/// `GET /console/financeiro`
pub async fn show_money_overview(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SeeMoney)?;
    let branch: Option<BranchCode> = query.text("codLoja").parse().ok().map(BranchCode::new);
    let overview = finance::read_money_overview(&app, user.session(), branch).await?;
    let waiting = count_revisions(&app, user.session()).await?;
    let frame = PageFrame::load(&app, &user, "financeiro").await?;
    let links = TitleLinks { root: &frame.root, branch };
    let amounts = |sums: &DueMonthSums| MonthAmounts {
        month: sums.month.clone(),
        received: sums.charged - sums.open,
        open: sums.open,
    };
    show_page(&MoneyOverviewPage {
        branches: list_branches(&overview.registers, &user, query.text("codLoja")),
        is_filtered: branch.is_some(),
        figures: build_figures(&overview, &links),
        overdue: chart_overdue_titles(&overview, &links),
        chart: MonthChart::new(&overview.due_months.iter().map(amounts).collect::<Vec<_>>()),
        months: overview.due_months.iter().rev().map(|sums| build_month_line(sums, &links)).collect(),
        closes_months: user.may_with_money(MoneyRight::ClosePeriods),
        reads_books: finance::may_read_books(user.session(), &overview.registers),
        revisions: if waiting > 0 { count_benefits(waiting) } else { String::new() },
        frame,
    })
}

/// Links to the list of titles, in the branch of the page.
struct TitleLinks<'p> {
    root: &'p str,
    branch: Option<BranchCode>,
}

impl TitleLinks<'_> {
    fn build(&self, filters: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("tipo", "credito").extend_pairs(filters);
        if let Some(branch) = self.branch {
            query.append_pair("codLoja", &branch.to_string());
        }
        format!("{}/console/financeiro/titulos?{}", self.root, query.finish())
    }

    /// What was paid from one day to another.
    fn build_paid(&self, first: Date, last: Date) -> String {
        let (first, last) = (first.to_br(), last.to_br());
        self.build(&[("situacao", "todas"), ("pagoDe", &first), ("pagoAte", &last)])
    }
}

fn build_figures(overview: &MoneyOverview, links: &TitleLinks<'_>) -> Vec<MoneyFigure> {
    let (today, received) = (overview.today, overview.received);
    let sums_figure = |name: &str, sums: OpenTitleSums, situation, class| MoneyFigure {
        name: name.to_owned(),
        amount: format_cents(sums.amount),
        note: count_titles(sums.titles),
        link: links.build(&[("situacao", situation)]),
        class,
    };
    let (first, before) = (find_first_day(today, 0), find_first_day(today, 1));
    let month_name = |day: Date| format_month(&day.to_iso_month());
    let late = overview.all_overdue();
    vec![
        sums_figure("Em aberto", overview.all_open(), "aberto", ""),
        sums_figure("Vencido", late, "vencido", if late.titles > 0 { "late" } else { "" }),
        MoneyFigure {
            name: format!("Recebido em {}", month_name(first)),
            amount: format_cents(received.this_month),
            note: match received.as_credit {
                0 => format!("até hoje, dia {}", today.day()),
                credit => {
                    format!("até hoje, dia {}, e mais {} como crédito", today.day(), format_cents(credit))
                }
            },
            link: links.build_paid(first, today),
            class: "",
        },
        MoneyFigure {
            name: format!("Recebido em {}", month_name(before)),
            amount: format_cents(received.last_month),
            note: format!("até o dia {}: {}", today.day(), format_cents(received.last_month_so_far)),
            link: links.build_paid(before, find_last_day(before)),
            class: "",
        },
    ]
}

/// The situations of the list of titles, for the steps of lateness.
pub const LATE_SITUATIONS: [(&str, &str); LATENESS_STEPS.len() + 1] = [
    ("vencido30", "Vencido há 1 a 30 dias"),
    ("vencido60", "Vencido há 31 a 60 dias"),
    ("vencido90", "Vencido há 61 a 90 dias"),
    ("vencidoMais", "Vencido há mais de 90 dias"),
];

fn chart_overdue_titles(overview: &MoneyOverview, links: &TitleLinks<'_>) -> Option<BarChart> {
    if overview.all_overdue().titles == 0 {
        return None;
    }
    let bars = LATE_SITUATIONS.iter().zip(overview.overdue).map(|((situation, name), sums)| {
        let name = name.trim_start_matches("Vencido há ");
        let mut name = format!("{name} · {}", count_titles(sums.titles));
        name[..1].make_ascii_uppercase();
        (name, sums.amount, "second".to_owned(), Some(links.build(&[("situacao", situation)])))
    });
    Some(BarChart::of_amounts("Vencido, por dias de atraso", "Atraso", bars.collect(), format_cents))
}

fn build_month_line(sums: &DueMonthSums, links: &TitleLinks<'_>) -> DueMonthLine {
    let first = Date::from_iso(&format!("{}-01", sums.month)).unwrap_or(Date::EPOCH);
    let (from, to) = (first.to_br(), find_last_day(first).to_br());
    let link =
        |situation| links.build(&[("situacao", situation), ("vencimentoDe", &from), ("vencimentoAte", &to)]);
    let received = sums.charged - sums.open;
    DueMonthLine {
        month: format_short_month(&sums.month),
        titles: crate::widgets::formats::format_count(sums.titles),
        charged: format_cents(sums.charged),
        received: format_cents(received),
        open: format_cents(sums.open),
        share: match sums.charged {
            0 => String::new(),
            charged => format!("{}\u{a0}%", received * 100 / charged),
        },
        link: link("cobrado"),
        open_link: link("aberto"),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/financeiro.html", |with| {
    let figure = || MoneyFigure {
        name: with.text(),
        amount: with.text(),
        note: with.text(),
        link: with.text(),
        class: "late",
    };
    let line = || DueMonthLine {
        month: with.text(),
        titles: with.text(),
        charged: with.text(),
        received: with.text(),
        open: with.text(),
        share: with.text(),
        link: with.text(),
        open_link: with.text(),
    };
    crate::template_tests::render_template(&MoneyOverviewPage {
        frame: with.frame(),
        branches: with.choices(),
        is_filtered: with.is_filled(),
        figures: with.list_of(figure),
        overdue: with.option_of(|| with.chart()),
        chart: MonthChart::sample(*with),
        months: with.list_of(line),
        revisions: with.text(),
        closes_months: with.is_filled(),
        reads_books: with.is_filled(),
    })
})];
