//! Whether a member or a benefit is up to date, on top of its page.

use super::benefit_titles::count_titles_not_due;
use super::format_cents;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_count;
use app::{App, Error};
use domain::finance::{LaunchKind, TitleSituation};
use domain::{BenefitCode, MoneyRight, PersonCode};
use finance::charging::revision::is_revision_waiting;
use finance::{PersonDebt, TitleCriteria};

pub struct BalanceBadge {
    pub class: &'static str,
    pub text: String,
    /// `Crédito de R$ 10,00`, or empty.
    pub credit: String,
    /// Where the credit is shown.
    pub credits: String,
    /// Where money is received as credit, for users who may receive.
    pub receive_credit: Option<String>,
    /// Where the credit is paid back, if there is one.
    pub refund_credit: Option<String>,
    pub titles: String,
    pub new_title: String,
    /// Where the oldest open title is paid, for users who may receive.
    pub receive: Option<String>,
    pub pending_charges: String,
    /// `2 títulos a vencer (R$ 200,00)`, or empty.
    pub not_due: String,
    /// Where titles that are not yet due are revised, if the benefit changed since they were issued.
    pub revision: Option<String>,
}

/// `None` for users who do not see money.
pub async fn load_member_badge(
    app: &App,
    user: &SignedInUser,
    root: &str,
    person: PersonCode,
) -> Result<Option<BalanceBadge>, Error> {
    if !user.sees_money() {
        return Ok(None);
    }
    let balance = finance::read_member_balance(app, user.session(), person).await?;
    let badge = build_badge(balance.debt, balance.credit, root, &format!("pessoa={person}"));
    let receive = link_oldest_title(app, user, root, (person, None), balance.debt).await?;
    let may_settle = user.may_with_money(MoneyRight::SettleTitles);
    let receive_credit = may_settle.then(|| format!("{}#receber", badge.credits));
    let refund_credit = (may_settle && balance.credit > 0).then(|| format!("{}#devolver", badge.credits));
    Ok(Some(BalanceBadge { receive_credit, refund_credit, receive, ..badge }))
}

/// `None` for users who do not see money.
pub async fn load_benefit_badge(
    app: &App,
    user: &SignedInUser,
    root: &str,
    (person, benefit): (PersonCode, BenefitCode),
) -> Result<Option<BalanceBadge>, Error> {
    if !user.sees_money() {
        return Ok(None);
    }
    let debt = finance::read_benefit_balance(app, user.session(), benefit).await?;
    let badge = build_badge(debt, 0, root, &format!("pessoa={person}&beneficio={benefit}"));
    let receive = link_oldest_title(app, user, root, (person, Some(benefit)), debt).await?;
    let is_waiting = is_revision_waiting(app, user.session(), benefit).await?;
    let revision = is_waiting.then(|| format!("{root}/console/financeiro/revisoes/{benefit}"));
    Ok(Some(BalanceBadge { receive, revision, ..badge }))
}

/// The form that receives the oldest open title.
async fn link_oldest_title(
    app: &App,
    user: &SignedInUser,
    root: &str,
    (person, benefit): (PersonCode, Option<BenefitCode>),
    debt: PersonDebt,
) -> Result<Option<String>, Error> {
    if debt.open_titles == 0 || !user.may_with_money(MoneyRight::SettleTitles) {
        return Ok(None);
    }
    let criteria = TitleCriteria {
        launch_kinds: vec![LaunchKind::Credit],
        situations: Some(vec![TitleSituation::Open]),
        person: Some(person),
        benefits: benefit.map(|code| vec![code]),
        ..TitleCriteria::default()
    };
    let oldest = finance::find_titles(app, user.session(), criteria, 1).await?;
    let link = |code| format!("{root}/console/financeiro/titulos/{code}#receber");
    Ok(oldest.first().map(|title| link(title.code)))
}

fn build_badge(debt: PersonDebt, credit: i64, root: &str, whose: &str) -> BalanceBadge {
    let (class, text) = match debt.overdue_titles {
        0 => ("fine", "Em dia".to_owned()),
        late => ("wrong", format!("{} em atraso, {}", format_count(late), format_cents(debt.overdue_amount))),
    };
    let credit = if credit > 0 { format!("Crédito de {}", format_cents(credit)) } else { String::new() };
    let not_due = match debt.open_titles - debt.overdue_titles {
        0 => String::new(),
        titles => {
            let amount = format_cents(debt.open_amount - debt.overdue_amount);
            format!("{} ({amount})", count_titles_not_due(titles))
        }
    };
    let area = format!("{root}/console/financeiro/titulos");
    BalanceBadge {
        class,
        text,
        credit,
        credits: format!("{root}/console/financeiro/creditos?{whose}"),
        receive_credit: None,
        refund_credit: None,
        titles: format!("{area}?{whose}"),
        new_title: format!("{area}/novo?{whose}"),
        receive: None,
        pending_charges: format!("{root}/console/financeiro/lancamentos?{whose}"),
        not_due,
        revision: None,
    }
}

#[cfg(test)]
impl BalanceBadge {
    pub fn sample(with: crate::template_tests::SampleContent) -> BalanceBadge {
        BalanceBadge {
            class: "wrong",
            text: with.text(),
            credit: with.text(),
            credits: with.text(),
            receive_credit: with.option_of(|| with.text()),
            refund_credit: with.option_of(|| with.text()),
            titles: with.text(),
            new_title: with.text(),
            receive: with.option_of(|| with.text()),
            pending_charges: with.text(),
            not_due: with.text(),
            revision: with.option_of(|| with.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_says_how_many_are_late_and_how_much() {
        let open = PersonDebt { open_titles: 3, open_amount: 50_000, ..PersonDebt::default() };
        let late = PersonDebt { overdue_titles: 2, overdue_amount: 31_980, ..open };
        let texts = [PersonDebt::default(), open, late].map(|debt| build_badge(debt, 0, "", "pessoa=7").text);
        assert_eq!(texts, ["Em dia", "Em dia", "2 em atraso, R$\u{a0}319,80"]);
        let badge = build_badge(late, 1000, "", "pessoa=7");
        assert_eq!(badge.credit, "Crédito de R$\u{a0}10,00");
        assert_eq!(badge.not_due, "1 título a vencer (R$\u{a0}180,20)");
        assert_eq!(badge.titles, "/console/financeiro/titulos?pessoa=7");
        assert_eq!(badge.credits, "/console/financeiro/creditos?pessoa=7");
    }
}
