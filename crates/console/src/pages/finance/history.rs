//! What happened to a title, in plain words.

use crate::widgets::formats::format_moment;
use domain::Moment;
use domain::finance::TitleSituation;
use finance::{FullTitle, RecordHistoryEntry, StoredFieldChange};

pub struct TitleHistoryLine {
    pub what: String,
    pub reason: String,
    pub when: String,
    pub who: String,
}

/// Changes of situation, part payments and changes of the due day, newest first.
pub fn list_title_history(full: &FullTitle) -> Vec<TitleHistoryLine> {
    let moves = full.moves.iter().map(|one| {
        let reason = one.reason.clone().unwrap_or_default();
        (one.at, describe_move(one).to_owned(), reason, one.user_name.clone())
    });
    let fields = full
        .field_changes
        .iter()
        .map(|one| (one.at, describe_field_change(one), String::new(), one.user_name.clone()));
    let mut all: Vec<(Moment, String, String, Option<String>)> = moves.chain(fields).collect();
    all.sort_by_key(|(at, ..)| *at);
    let build_line = |(at, what, reason, user): (Moment, String, String, Option<String>)| TitleHistoryLine {
        what,
        reason,
        when: format_moment(at, &full.registers.zone),
        who: user.unwrap_or_else(|| "Sistema".to_owned()),
    };
    all.into_iter().rev().map(build_line).collect()
}

/// The due day, or what a later one waived of fine and interest.
fn describe_field_change(one: &StoredFieldChange) -> String {
    let change = &one.change;
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "vazio".to_owned());
    let (before, after) = (text(&change.before), text(&change.after));
    match change.field.as_str() {
        "multaDevida" => format!("Multa dispensada: era de {before}, passou a {after}"),
        "jurosDevidos" => format!("Juros dispensados: eram de {before}, passaram a {after}"),
        _ => format!("Vencimento mudou de {before} para {after}"),
    }
}

fn describe_move(one: &RecordHistoryEntry) -> &'static str {
    use TitleSituation::{Cancelled, Open, Pending, Settled};
    let read = |code: domain::SituationCode| TitleSituation::from_number(code.get().into());
    match (one.from.and_then(read), read(one.to)) {
        (_, Some(Cancelled)) => "Cancelado",
        (_, Some(Settled)) => "Liquidado",
        (None, Some(Pending)) => "Criado, à espera de liberação",
        (None, _) => "Emitido",
        (Some(Pending), _) => "Liberado",
        (Some(Settled), _) => "Em aberto de novo",
        (Some(Open | Cancelled), _) => "Pagamento de uma parte, ou o estorno dela",
    }
}
