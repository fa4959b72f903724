//! Receivers whose trigger deliveries fail.

use super::CheckFinding;
use app::App;
use app::upkeep::checkup::{self, EXHAUSTED_COUNTED, ReceiverTrouble, TroubleKind};

const WHAT: &str = "receptores";
/// The output limit.
const MOST_LINES: usize = 20;

pub async fn check_receivers(app: &App) -> Vec<CheckFinding> {
    let troubles = match checkup::find_receiver_troubles(app).await {
        Ok(troubles) => troubles,
        Err(error) => return vec![CheckFinding::from_error(WHAT, error)],
    };
    if troubles.is_empty() {
        return vec![CheckFinding::ok(WHAT, "nenhum pausado, falhando ou com gatilhos esgotados.")];
    }
    let more = troubles.len().saturating_sub(MOST_LINES);
    let mut findings: Vec<CheckFinding> = troubles
        .iter()
        .take(MOST_LINES)
        .map(|trouble| CheckFinding::warning(WHAT, describe_trouble(trouble)))
        .collect();
    if more > 0 {
        findings.push(CheckFinding::warning(
            WHAT,
            format!("e mais {more}; `amparo receiver list` mostra todos."),
        ));
    }
    findings
}

fn describe_trouble(ReceiverTrouble { tenant, receiver, kind }: &ReceiverTrouble) -> String {
    let which = format!("o receptor {receiver} da base {tenant}");
    match kind {
        TroubleKind::PausedSince(since) => format!(
            "{which} está pausado desde {}; corrija-o e rode `amparo receiver resume --code {receiver} --tenant {tenant}`.",
            since.to_iso()
        ),
        TroubleKind::FailingSince(since) => format!(
            "{which} só falha desde {}; veja as respostas com `amparo trigger list --receiver {receiver} --tenant {tenant}`.",
            since.to_iso()
        ),
        TroubleKind::WaitingUntil(until) => format!(
            "{which} só recebe outra vez em {}; se o relógio mudou, pause-o e retome-o (`amparo receiver pause` e `resume`).",
            until.to_iso()
        ),
        TroubleKind::Exhausted(count) => {
            let at_least = if *count >= EXHAUSTED_COUNTED { "ao menos " } else { "" };
            format!(
                "{which} tem {at_least}{count} gatilhos esgotados; reenvie com `amparo trigger replay --receiver {receiver} \
                 --since DIA --tenant {tenant}`."
            )
        }
    }
}
