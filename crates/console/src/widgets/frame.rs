//! The frame of every page: signed-in user, current menu entry, navigation.

use super::help_path::build_help_path;
use super::menu_entries::{ADMINISTRATION, MenuEntry, WORK};
use crate::http::redirect::derive_root_path;
use crate::session::colour_theme::ColourTheme;
use crate::session::notice::PageNotice;
use crate::session::signed_in_user::SignedInUser;
use app::App;

pub struct PageFrame {
    pub root: String,
    pub current: &'static str,
    pub user: String,
    /// Separates what scripts store in the browser by user.
    pub user_code: i32,
    pub initials: String,
    pub base: String,
    pub is_admin: bool,
    /// Whether the menu leads to money.
    pub sees_money: bool,
    pub theme: Option<&'static str>,
    /// Text of the last search.
    pub query: String,
    /// URL of this page, for returning to it.
    pub path: String,
    pub notice: Option<PageNotice>,
    /// Version of the registers, for the URL of the badge colours.
    pub colours: i64,
    pub version: &'static str,
}

impl PageFrame {
    pub async fn load(
        app: &App,
        user: &SignedInUser,
        current: &'static str,
    ) -> Result<PageFrame, app::Error> {
        let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
        let visitor = &user.visitor;
        Ok(PageFrame {
            root: derive_root_path(app),
            current,
            user: visitor.name.clone(),
            user_code: visitor.session.user.get(),
            initials: extract_initials(&visitor.name),
            base: visitor.base.clone(),
            is_admin: user.is_admin(),
            sees_money: user.sees_money(),
            theme: user.theme.map(ColourTheme::name),
            query: String::new(),
            path: user.path.clone(),
            notice: user.notice.clone(),
            colours: registers.version,
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    pub fn work(&self) -> &'static [MenuEntry] {
        WORK
    }

    pub fn administration(&self) -> &'static [MenuEntry] {
        ADMINISTRATION
    }

    /// Link to the guide's chapter on this page.
    pub fn help(&self) -> String {
        build_help_path(self.current)
    }
}

/// `Maria da Silva` becomes `MS`.
fn extract_initials(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = words.first().and_then(|word| word.chars().next());
    let last = words.last().filter(|_| words.len() > 1).and_then(|word| word.chars().next());
    first.into_iter().chain(last).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_of_the_first_and_the_last_word() {
        assert_eq!(extract_initials("Maria da Silva"), "MS");
        assert_eq!(extract_initials("  ágata "), "Á");
        assert_eq!(extract_initials(""), "");
    }
}
