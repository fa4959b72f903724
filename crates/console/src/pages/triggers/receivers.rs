//! The list of receivers, with the health of each.

use super::display::{self, ReceiverStateBadge};
use crate::pages::administration::require_administrator;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::triggers;
use app::triggers::receivers;
use app::{App, Vault};
use askama::Template;
use axum::Extension;
use axum::extract::State as Of;

struct ReceiverHealthLine {
    code: i32,
    address: String,
    entities: String,
    state: ReceiverStateBadge,
    waiting: String,
    oldest: String,
    share: String,
    arrived: String,
    trouble: String,
}

#[derive(Template)]
#[template(path = "console/gatilhos.html")]
struct BrowseReceiversPage {
    frame: PageFrame,
    lines: Vec<ReceiverHealthLine>,
    /// Code and address of inactive receivers.
    retired: Vec<(i32, String)>,
}

pub async fn show_receiver_list(
    Of(app): Of<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
) -> HandlerResult {
    require_administrator(user.session())?;
    let frame = PageFrame::load(&app, &user, "gatilhos").await?;
    let tenant = user.session().scope.tenant();
    let registers = app::register_snapshot::load_registers(&app, tenant).await?;
    let (now, zone) = (app.now(), &registers.zone);
    let all = receivers::list_receivers(&app, &vault, tenant).await?;
    let (used, retired): (Vec<_>, Vec<_>) = all.into_iter().partition(|redacted| redacted.receiver.active);
    let codes = used.iter().map(|redacted| redacted.receiver.code).collect();
    let performance = triggers::list_performance(&app, tenant, codes).await?;
    let lines = used.iter().zip(&performance).map(|(redacted, performance)| {
        let one = &redacted.receiver;
        let entities: Vec<&str> = one.entities.iter().map(|entity| display::label_entity(*entity)).collect();
        ReceiverHealthLine {
            code: one.code.get(),
            address: one.address.clone(),
            entities: entities.join(", "),
            state: display::describe_receiver_state(redacted, now, zone),
            waiting: display::format_waiting_count(performance),
            oldest: display::format_oldest_age(performance, now),
            share: display::format_success_share(performance),
            arrived: one.health.succeeded_at.map(|at| format_moment(at, zone)).unwrap_or_default(),
            trouble: display::describe_last_trouble(performance, zone),
        }
    });
    let retired =
        retired.into_iter().map(|redacted| (redacted.receiver.code.get(), redacted.receiver.address));
    show_page(&BrowseReceiversPage { lines: lines.collect(), retired: retired.collect(), frame })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/gatilhos.html", |with| {
    let line = || ReceiverHealthLine {
        code: 7,
        address: with.text(),
        entities: with.text(),
        state: ReceiverStateBadge { word: "Bem", class: "fine", explanation: with.text() },
        waiting: with.text(),
        oldest: with.text(),
        share: with.text(),
        arrived: with.text(),
        trouble: with.text(),
    };
    crate::template_tests::render_template(&BrowseReceiversPage {
        frame: with.frame(),
        lines: with.list_of(line),
        retired: with.list_of(|| (7, with.text())),
    })
})];
