//! Titles for the search on top of every page: by number, by value, by a slip, or by the identifier of a Pix code.

use super::list::parse_amount;
use super::{TitleBadge, build_title_badge, format_cents};
use crate::session::signed_in_user::SignedInUser;
use app::register_snapshot::load_registers;
use app::{App, Error};
use domain::TitleCode;
use finance::{
    ListedTitle, TitleCriteria, find_pix_title, find_slip_pix_title, find_title_of_slip_line, find_titles,
};

/// So many titles of one value are shown.
const MOST_TITLES: usize = 20;

pub struct FoundTitleLine {
    pub code: i32,
    pub due: String,
    pub person: i32,
    pub name: String,
    pub description: String,
    pub amount: String,
    pub open_amount: String,
    pub badge: TitleBadge,
}

/// The titles that a text may mean, the last due day first. Nothing for users who do not see money.
pub async fn find_title_matches(
    app: &App,
    user: &SignedInUser,
    text: &str,
) -> Result<Vec<FoundTitleLine>, Error> {
    if !user.sees_money() {
        return Ok(Vec::new());
    }
    let criteria = match build_criteria(text) {
        None => find_title_by_payment_text(app, user, text).await?.map(build_code_criteria),
        known => known,
    };
    let Some(criteria) = criteria else { return Ok(Vec::new()) };
    let found = find_titles(app, user.session(), criteria, MOST_TITLES as i64).await?;
    let registers = load_registers(app, user.session().scope.tenant()).await?;
    let today = app.now().date_in(&registers.zone);
    let line = |found: &ListedTitle| FoundTitleLine {
        code: found.code.get(),
        due: found.title.due_on.to_br(),
        person: found.person.code.get(),
        name: found.person.name.clone(),
        description: found.title.description.clone(),
        amount: format_cents(found.title.amount),
        open_amount: format_cents(found.title.open_amount),
        badge: build_title_badge(found.title.situation, found.title.effective_due_on, today),
    };
    Ok(found.iter().map(line).collect())
}

/// The title that is paid by a text: the typed line or the barcode of a slip, or what the bank statement shows of a Pix.
/// Visible or not.
pub async fn find_title_by_payment_text(
    app: &App,
    user: &SignedInUser,
    text: &str,
) -> Result<Option<TitleCode>, Error> {
    let caller = user.session();
    if let Some(title) = find_title_of_slip_line(app, caller, text).await? {
        return Ok(Some(title));
    }
    if let Some(title) = find_pix_title(app, caller, text).await? {
        return Ok(Some(title));
    }
    find_slip_pix_title(app, caller, text).await
}

fn build_criteria(text: &str) -> Option<TitleCriteria> {
    if let Some(amount) = parse_amount(text) {
        return Some(TitleCriteria { amount: Some(amount), latest_first: true, ..TitleCriteria::default() });
    }
    let bare = text.trim();
    let code = bare.parse().ok().filter(|code| *code > 0 && bare.bytes().all(|byte| byte.is_ascii_digit()));
    code.map(|code| build_code_criteria(TitleCode::new(code)))
}

fn build_code_criteria(code: TitleCode) -> TitleCriteria {
    TitleCriteria { code: Some(code), latest_first: true, ..TitleCriteria::default() }
}

/// The list of all titles of a value, if more were found than are shown.
pub fn link_more_titles(root: &str, text: &str, shown: usize) -> Option<String> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("tipo", "todos").append_pair("situacao", "todas").append_pair("busca", text);
    (shown >= MOST_TITLES).then(|| format!("{root}/console/financeiro/titulos?{}", query.finish()))
}

#[cfg(test)]
impl FoundTitleLine {
    pub fn sample(with: crate::template_tests::SampleContent) -> FoundTitleLine {
        FoundTitleLine {
            code: 7,
            due: with.text(),
            person: 7,
            name: with.text(),
            description: with.text(),
            amount: with.text(),
            open_amount: with.text(),
            badge: TitleBadge { name: "Aberto", class: "", lateness: with.text() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_a_value_leads_to_titles() {
        let meaning = |text: &str| {
            let found = build_criteria(text)?;
            Some((found.code.map(TitleCode::get), found.amount))
        };
        assert_eq!(meaning("4711"), Some((Some(4711), None)));
        assert_eq!(meaning("R$ 1.319,80"), Some((None, Some(131_980))));
        for other in ["0", "98765-4321", "52998224725", "Maria, a Silva", "ABC1D23"] {
            assert_eq!(meaning(other), None, "{other}");
        }
    }
}
