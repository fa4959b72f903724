//! What a change of a benefit means for its titles: the section of the forms that change it, and where they lead.

use super::format_cents;
use crate::http::redirect::derive_root_path;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::benefit_titles::{BenefitTitleLine, BenefitTitleSection};
use crate::widgets::formats::format_count;
use app::benefits::FullBenefit;
use app::{App, Error};
use domain::finance::{LaunchKind, TitleSituation, is_overdue};
use domain::{BenefitCode, Date, MoneyRight, SituationCode};
use finance::charging::revision::{
    SituationRevision, TitleRevision, TitleRevisionOutcome, is_revision_changing, preview_revisions,
};
use finance::{ListedTitle, TitleCriteria};

/// More than anybody has open; the list of titles shows the rest.
const MOST_LINES: usize = 24;

const OUTLOOK: &str = "Nenhum título muda na hora. Se a mudança alcança os que ainda vão vencer, a página seguinte \
    mostra o que muda em cada um e espera a sua confirmação. Os vencidos continuam valendo.";
/// For users who may not change titles.
const OUTLOOK_FOR_OTHERS: &str = "Nenhum título muda na hora. Se a mudança alcança os que ainda vão vencer, quem \
    cuida dos recebimentos confere depois o que muda em cada um. Os vencidos continuam valendo.";

/// The open titles of a benefit, and what each of these situations would do with those that are not yet due. Nothing for
/// users who do not see money.
pub async fn load_title_section(
    app: &App,
    user: &SignedInUser,
    view: &FullBenefit,
    situations: Vec<SituationCode>,
) -> Result<(Option<BenefitTitleSection>, Vec<SituationRevision>), Error> {
    if !user.sees_money() {
        return Ok((None, Vec::new()));
    }
    let criteria = TitleCriteria {
        launch_kinds: vec![LaunchKind::Credit],
        situations: Some(vec![TitleSituation::Open]),
        benefits: Some(vec![view.code]),
        ..TitleCriteria::default()
    };
    let mut titles = finance::find_titles(app, user.session(), criteria, MOST_LINES as i64 + 1).await?;
    let previews = preview_revisions(app, user.session(), view.code, situations).await?;
    let has_hidden_titles = previews.is_none();
    let previews = previews.unwrap_or_default();
    let list = format!("{}/console/financeiro/titulos?beneficio={}", derive_root_path(app), view.code);
    let more = (titles.len() > MOST_LINES).then_some(list);
    titles.truncate(MOST_LINES);
    let today = app.now().date_in(&view.registers.zone);
    let revision = previews.first().map(|one| &one.revision);
    let outlook = if user.may_with_money(MoneyRight::SettleTitles) { OUTLOOK } else { OUTLOOK_FOR_OTHERS };
    let lines = titles.iter().map(|one| build_title_line(one, revision, today)).collect();
    Ok((Some(BenefitTitleSection { lines, has_hidden_titles, more, outlook }), previews))
}

fn build_title_line(one: &ListedTitle, revision: Option<&TitleRevision>, today: Date) -> BenefitTitleLine {
    let title = &one.title;
    let revised = revision.and_then(|all| all.titles.iter().find(|revised| revised.code == one.code));
    let badge = match revised.map(|revised| &revised.outcome) {
        _ if is_overdue(title.situation, title.effective_due_on, today) => ("Vencido: fica", "wrong"),
        Some(TitleRevisionOutcome::Paid) => ("Já tem pagamento: fica", ""),
        Some(_) => ("A vencer", "warn"),
        // It charges no month, as far as that is known.
        None if revision.is_some() => ("Fica como está", ""),
        None => ("A vencer", "warn"),
    };
    BenefitTitleLine {
        code: one.code.get(),
        due_on: title.due_on.to_br(),
        amount: format_cents(title.open_amount),
        badge,
    }
}

/// `cancela 2 títulos a vencer (R$ 200,00)`; empty if the benefit has no titles that are not yet due.
pub fn describe_revision(revision: &TitleRevision) -> String {
    let totals = revision.totals();
    let (cancelled, issued) = (totals.cancelled_titles, totals.issued_titles);
    let old = format!("{} ({})", count_titles_not_due(cancelled), format_cents(totals.cancelled_amount));
    match issued {
        _ if revision.titles.is_empty() => String::new(),
        _ if cancelled == 0 => "não muda os títulos a vencer".to_owned(),
        0 => format!("cancela {old}"),
        1 => format!("troca {old} por 1 novo ({})", format_cents(totals.issued_amount)),
        _ => {
            format!("troca {old} por {} novos ({})", format_count(issued), format_cents(totals.issued_amount))
        }
    }
}

/// `1 título a vencer`, `12 títulos a vencer`
pub fn count_titles_not_due(titles: i64) -> String {
    if titles == 1 {
        "1 título a vencer".to_owned()
    } else {
        format!("{} títulos a vencer", format_count(titles))
    }
}

/// Where a form that changed what a benefit is charged leads, and what its notice adds: to the revision of the titles that
/// are not yet due, if it would change one and the user may do it.
pub async fn choose_next_page(
    app: &App,
    user: &SignedInUser,
    benefit: BenefitCode,
) -> Result<(String, &'static str), Error> {
    let root = derive_root_path(app);
    let page = format!("{root}/console/beneficios/{benefit}");
    if !user.sees_money() || !is_revision_changing(app, user.session(), benefit).await? {
        return Ok((page, ""));
    }
    if user.may_with_money(MoneyRight::SettleTitles) {
        let revision = format!("{root}/console/financeiro/revisoes/{benefit}");
        return Ok((revision, " Falta decidir sobre os títulos a vencer: confira abaixo o que muda."));
    }
    Ok((page, " Quem cuida dos recebimentos ainda vai rever os títulos a vencer."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benefit_without_titles_not_yet_due_says_nothing() {
        let revision = TitleRevision { benefit: BenefitCode::new(7), titles: Vec::new() };
        assert_eq!(describe_revision(&revision), "");
        assert_eq!(count_titles_not_due(1), "1 título a vencer");
        assert_eq!(count_titles_not_due(1_200), "1.200 títulos a vencer");
    }
}
