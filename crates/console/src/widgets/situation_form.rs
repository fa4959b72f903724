//! The page that changes the situation of a record.

use super::benefit_titles::BenefitTitleSection;
use super::frame::PageFrame;
use crate::widgets::situation_badge::SituationBadge;
use askama::Template;

pub struct NextSituation {
    pub code: i32,
    pub name: String,
    pub badge: SituationBadge,
    pub is_chosen: bool,
    /// What it would do with titles that are not yet due, or empty.
    pub consequence: String,
}

#[derive(Template)]
#[template(path = "console/situacao.html")]
pub struct SituationChangePage {
    pub frame: PageFrame,
    /// Link to the record, for leaving without a change.
    pub back: String,
    pub title: String,
    pub holder: String,
    pub situation: SituationBadge,
    pub targets: Vec<NextSituation>,
    pub reason: String,
    /// Says when a reason is required.
    pub hint: &'static str,
    pub version: i64,
    pub receivers: usize,
    /// Where the change leads afterwards; empty for the record itself.
    pub return_to: &'static str,
    /// `None` for cases, and for users who do not see money.
    pub titles: Option<BenefitTitleSection>,
    pub problems: Vec<String>,
}

/// Says how many systems are notified of a change, and of its undo.
pub fn describe_receivers(receivers: usize) -> String {
    match receivers {
        0 => "Nenhum sistema está ligado para ser avisado desta mudança. Logo depois você pode desfazer.".to_owned(),
        1 => "Um sistema ligado será avisado na hora. Logo depois você pode desfazer; a volta também é avisada.".to_owned(),
        many => format!(
            "{many} sistemas ligados serão avisados na hora. Logo depois você pode desfazer; a volta também é avisada."
        ),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/situacao.html", |with| {
    let target = || NextSituation {
        code: 3,
        name: with.text(),
        badge: with.badge(),
        is_chosen: true,
        consequence: with.text(),
    };
    crate::template_tests::render_template(&SituationChangePage {
        frame: with.frame(),
        back: with.text(),
        title: with.text(),
        holder: with.text(),
        situation: with.badge(),
        targets: with.list_of(target),
        reason: with.text(),
        hint: "Para cancelar.",
        version: 3,
        receivers: 2,
        return_to: "quadro",
        titles: with.option_of(|| BenefitTitleSection::sample(*with)),
        problems: with.list_of(|| with.text()),
    })
})];
