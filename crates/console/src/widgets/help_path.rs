//! The way from a page to the guide.

use super::menu_entries::{ADMINISTRATION, WORK};

/// Places with a chapter of the guide that are not in everybody's menu.
pub const PLACES_BESIDE_MENU: [&str; 3] = ["financeiro", "busca", "conta"];

/// Path of the guide for a place, relative to the console's root.
pub fn build_help_path(place: &str) -> String {
    let is_in_menu = WORK.iter().chain(ADMINISTRATION).any(|(name, ..)| *name == place);
    match is_in_menu || PLACES_BESIDE_MENU.contains(&place) {
        true => format!("/guia/{place}"),
        false => "/guia".to_owned(),
    }
}
