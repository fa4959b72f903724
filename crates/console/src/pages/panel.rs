//! `/console`: the panel with pending work and key figures, each linked to its rows.

use super::cases;
use super::first_steps::{self, FirstStep};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{BarChart, ColumnChart, format_count, format_moment, format_short_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::panel::{self, AGE_STEPS, BenefitFigures, COLD_DEAL_DAYS, LONG_WAIT_DAYS, PendingWork};
use askama::Template;
use axum::extract::State;
use domain::{CaseKind, Entity, Moment, SituationKind, TimeZone};
use std::time::Duration;

/// Work that waits for somebody.
struct AttentionLine {
    count: String,
    text: String,
    link: String,
}

#[derive(Template)]
#[template(path = "console/painel.html")]
struct PanelFiguresPage {
    frame: PageFrame,
    attention: Vec<AttentionLine>,
    /// Number, label, link to its rows.
    figures: Vec<(String, &'static str, String)>,
    by_month: ColumnChart,
    by_situation: BarChart,
    by_branch: BarChart,
    claims: Option<BarChart>,
    ages: Option<BarChart>,
    sales: Option<BarChart>,
    counted_at: String,
    is_empty: bool,
    /// For administrators, while there is no benefit.
    steps: Option<Vec<FirstStep>>,
}

pub async fn show_panel_page(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "painel").await?;
    let figures = panel::read_benefit_figures(&app, user.session()).await?;
    let work = panel::read_pending_work(&app, user.session()).await?;
    let (root, zone) = (frame.root.as_str(), &figures.registers.zone);
    show_page(&PanelFiguresPage {
        attention: list_attention_lines(root, &figures, &work),
        figures: build_figure_cells(root, &figures, &work),
        by_month: chart_benefits_by_month(root, &figures),
        by_situation: chart_benefits_by_situation(root, &figures),
        by_branch: chart_benefits_by_branch(root, &figures),
        claims: chart_claims_by_type(root, &figures, &work),
        ages: chart_claim_ages(root, &work, app.now(), zone),
        sales: chart_open_deals(root, &figures, &work),
        counted_at: format_moment(work.counted_at, zone).split_off(11),
        steps: if figures.total == 0 { first_steps::list_first_steps(&app, &user).await? } else { None },
        is_empty: figures.total == 0,
        frame,
    })
}

fn build_list_link(root: &str, path: &str, filters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(filters).finish();
    format!("{root}/console/{path}?{query}")
}

fn list_attention_lines(root: &str, figures: &BenefitFigures, work: &PendingWork) -> Vec<AttentionLine> {
    let mut all = Vec::new();
    let mut add = |number: i64, [one, many]: [&str; 2], link: String| {
        if number > 0 {
            let text = if number == 1 { one } else { many };
            all.push(AttentionLine { count: format_count(number), text: text.to_owned(), link });
        }
    };
    for (kind, number) in work.late {
        let texts = match kind {
            CaseKind::Claim => ["evento passou do prazo", "eventos passaram do prazo"],
            CaseKind::Inspection => ["vistoria passou do prazo", "vistorias passaram do prazo"],
            CaseKind::Ticket => ["chamado passou do prazo", "chamados do help desk passaram do prazo"],
            CaseKind::Appointment => ["consulta passou do prazo", "consultas passaram do prazo"],
        };
        add(number, texts, format!("{root}/console/{}?atrasado=true", cases::describe_case_kind(kind).path));
    }
    let more = if work.waiting.or_more { " (ou mais)" } else { "" };
    let one = format!("benefício espera há mais de {LONG_WAIT_DAYS} dias para ser ativado");
    let many = format!("benefícios esperam há mais de {LONG_WAIT_DAYS} dias para serem ativados{more}");
    let pending = figures.registers.default_situation(Entity::Benefit, SituationKind::Pending);
    let name = pending.map_or("", |one| &one.name);
    add(
        work.waiting.count,
        [&one, &many],
        build_list_link(root, "beneficios", &[("situacaoBeneficio", name)]),
    );
    let one = format!("negócio está parado há mais de {COLD_DEAL_DAYS} dias na mesma etapa");
    let many = format!("negócios estão parados há mais de {COLD_DEAL_DAYS} dias na mesma etapa");
    let stalled = [("situacao", "Aberto"), ("paradoHaDias", &COLD_DEAL_DAYS.to_string())];
    add(work.cold_deals, [&one, &many], build_list_link(root, "vendas", &stalled));
    let paused = work.receivers.iter().filter(|one| one.is_paused).count() as i64;
    let failing = work.receivers.len() as i64 - paused;
    let triggers = format!("{root}/console/gatilhos");
    let texts =
        ["sistema ligado não está recebendo os avisos", "sistemas ligados não estão recebendo os avisos"];
    add(failing, texts, triggers.clone());
    add(paused, ["sistema ligado está em pausa", "sistemas ligados estão em pausa"], triggers);
    let texts = ["e-mail desta semana não pôde ser enviado", "e-mails desta semana não puderam ser enviados"];
    add(work.failed_mails, texts, format!("{root}/console/emails"));
    all
}

fn build_figure_cells(
    root: &str,
    figures: &BenefitFigures,
    work: &PendingWork,
) -> Vec<(String, &'static str, String)> {
    let registers = &figures.registers;
    let of_kind = |kind: SituationKind| -> i64 {
        let situations = registers.situations.iter().filter(|one| one.kind == kind);
        situations.filter_map(|one| figures.by_situation.get(&one.code)).sum()
    };
    let link = |kind: SituationKind| {
        let situation = registers.default_situation(Entity::Benefit, kind);
        situation.map_or_else(
            || format!("{root}/console/beneficios"),
            |one| build_list_link(root, "beneficios", &[("situacaoBeneficio", &one.name)]),
        )
    };
    let kinds = [
        (SituationKind::Active, ["benefício ativo", "benefícios ativos"]),
        (SituationKind::Pending, ["à espera de ativação"; 2]),
        (SituationKind::Suspended, ["suspenso", "suspensos"]),
        (SituationKind::Cancelled, ["cancelado", "cancelados"]),
    ];
    let cell = |number: i64, [one, many]: [&'static str; 2], link: String| {
        (format_count(number), if number == 1 { one } else { many }, link)
    };
    let mut cells: Vec<_> =
        kinds.into_iter().map(|(kind, names)| cell(of_kind(kind), names, link(kind))).collect();
    let today = format!("{root}/console/consultas?aberto=true");
    cells.push(cell(work.appointments, ["consulta hoje", "consultas hoje"], today));
    cells
}

fn chart_benefits_by_month(root: &str, figures: &BenefitFigures) -> ColumnChart {
    let months = figures.months.iter().map(|one| {
        let links =
            ["entrada", "saida"].map(|name| build_list_link(root, "beneficios", &[(name, &one.month)]));
        (format_short_month(&one.month), [one.registered, one.cancelled], links)
    });
    ColumnChart::new("Entradas e cancelamentos por mês", ["Entradas", "Cancelamentos"], months.collect())
}

fn chart_benefits_by_situation(root: &str, figures: &BenefitFigures) -> BarChart {
    let registers = &figures.registers;
    let number = |code| figures.by_situation.get(&code).copied().unwrap_or(0);
    let of_benefits = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
    // Omits inactive situations without benefits.
    let mut situations: Vec<_> = of_benefits.filter(|one| one.active || number(one.code) > 0).collect();
    situations.sort_by_key(|one| std::cmp::Reverse(number(one.code)));
    let bars = situations.iter().map(|one| {
        let link = build_list_link(root, "beneficios", &[("situacaoBeneficio", &one.name)]);
        (one.name.clone(), number(one.code), format!("s{}", one.code), Some(link))
    });
    BarChart::new("Benefícios por situação", "Situação", bars.collect())
}

fn chart_benefits_by_branch(root: &str, figures: &BenefitFigures) -> BarChart {
    let mut branches: Vec<_> = figures.by_branch.iter().collect();
    branches.sort_by_key(|(_, number)| std::cmp::Reverse(**number));
    let bars = branches.iter().take(12).map(|(branch, number)| {
        let name = figures.registers.branch_name(**branch).chars().take(30).collect();
        let link = build_list_link(root, "beneficios", &[("codLoja", &branch.to_string())]);
        (name, **number, String::new(), Some(link))
    });
    BarChart::new("Benefícios por loja", "Loja", bars.collect())
}

fn chart_claims_by_type(root: &str, figures: &BenefitFigures, work: &PendingWork) -> Option<BarChart> {
    let mut kinds: Vec<_> =
        work.claims.iter().map(|(kind, ages)| (*kind, ages.iter().sum::<i64>())).collect();
    kinds.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let bars = kinds.iter().take(12).map(|(kind, number)| {
        let name = figures.registers.claim_type(*kind).map_or("", |one| &one.name);
        let link = build_list_link(root, "eventos", &[("aberto", "true"), ("codTipo", &kind.to_string())]);
        (name.chars().take(30).collect(), *number, String::new(), Some(link))
    });
    let bars: Vec<_> = bars.collect();
    (!bars.is_empty()).then(|| BarChart::new("Eventos abertos por tipo", "Tipo", bars))
}

fn chart_claim_ages(root: &str, work: &PendingWork, now: Moment, zone: &TimeZone) -> Option<BarChart> {
    let mut sums = [0; 4];
    for (_, ages) in &work.claims {
        sums.iter_mut().zip(ages).for_each(|(sum, age)| *sum += age);
    }
    let day = |days: i32| {
        let ago = Duration::from_hours(24).saturating_mul(u32::try_from(days).unwrap_or_default());
        now.minus(ago).date_in(zone).to_br()
    };
    let [week, month, quarter] = AGE_STEPS;
    let spans = [
        (format!("Até {week} dias"), Some(week), None),
        (format!("De {} a {month} dias", week + 1), Some(month), Some(week)),
        (format!("De {} a {quarter} dias", month + 1), Some(quarter), Some(month)),
        (format!("Mais de {quarter} dias"), None, Some(quarter)),
    ];
    let bars = spans.into_iter().zip(sums).map(|((name, oldest, newest), number)| {
        let (since, until) = (oldest.map(day), newest.map(day));
        let mut filters = vec![("aberto", "true")];
        filters.extend(since.as_deref().map(|day| ("dataAberturaInicial", day)));
        filters.extend(until.as_deref().map(|day| ("dataAberturaFinal", day)));
        (name, number, String::new(), Some(build_list_link(root, "eventos", &filters)))
    });
    let bars: Vec<_> = bars.collect();
    (sums.iter().sum::<i64>() > 0).then(|| BarChart::new("Eventos abertos por idade", "Idade", bars))
}

fn chart_open_deals(root: &str, figures: &BenefitFigures, work: &PendingWork) -> Option<BarChart> {
    let stages = figures.registers.funnels.iter().flat_map(|funnel| &funnel.stages);
    let bars = stages.filter_map(|stage| {
        let found = work.deals.iter().find(|(code, _)| *code == stage.code);
        let number = found.map_or(0, |(_, number)| *number);
        let link =
            build_list_link(root, "vendas", &[("situacao", "Aberto"), ("codEtapa", &stage.code.to_string())]);
        (stage.active || number > 0).then(|| (stage.name.clone(), number, String::new(), Some(link)))
    });
    let bars: Vec<_> = bars.collect();
    let is_any = bars.iter().any(|(_, number, ..)| *number > 0);
    is_any.then(|| BarChart::new("Vendas por etapa", "Etapa", bars))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/painel.html", |with| {
    let step = |is_done| FirstStep {
        title: "Planos",
        text: "O que se oferece.",
        link: "/x",
        doing: "Cadastrar",
        is_done,
    };
    let page = |is_empty: bool| PanelFiguresPage {
        frame: with.frame(),
        attention: with.list_of(|| AttentionLine {
            count: with.text(),
            text: with.text(),
            link: with.text(),
        }),
        figures: with.list_of(|| (with.text(), "ativos", with.text())),
        by_month: with.columns(),
        by_situation: with.chart(),
        by_branch: with.chart(),
        claims: with.option_of(|| with.chart()),
        ages: with.option_of(|| with.chart()),
        sales: with.option_of(|| with.chart()),
        counted_at: with.text(),
        is_empty,
        steps: is_empty.then(|| vec![step(true), step(false)]),
    };
    [page(false), page(true)].iter().map(crate::template_tests::render_template).collect()
})];
