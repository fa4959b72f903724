//! `/console/associados/{codigo}`: the routes of the pages of a member. The list of members is in
//! `pages/member_list.rs`.

mod change;
mod create;
pub mod fields;
mod form;
mod record;
pub mod show;
pub mod timeline;

use crate::page_route::{PageRoute, routes};

pub fn list_person_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/associados/novo"             SignedIn create::show_new_member_form;
        post "/console/associados/novo"             SignedIn create::create_member;
        get  "/console/associados/{codigo}"         SignedIn show::show_member_page;
        get  "/console/associados/{codigo}/alterar" SignedIn change::show_edit_member_form;
        post "/console/associados/{codigo}/alterar" SignedIn change::change_member;
    }
}
