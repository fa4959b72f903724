//! Whoever changes a record says which version of it he has read. Where another change came first, nothing is changed, and he
//! is told of each field what he sent and what stands there now.

use domain::{Differing, Moment, Rejection, TimeZone};

/// Refuses a change of another version than the present one. `fields` are those that were sent: their names, and as JSON writes
/// them what was sent and what stands.
pub(crate) fn refuse_old(
    sent: i64,
    (now, since): (i64, Moment),
    zone: &TimeZone,
    fields: impl IntoIterator<Item = (&'static str, serde_json::Value, serde_json::Value)>,
) -> Result<(), Rejection> {
    if sent == now {
        return Ok(());
    }
    let differing = fields.into_iter().filter(|(_, sent, now)| sent != now);
    let told =
        differing.map(|(field, sent, now)| Differing { field, sent: sent.to_string(), now: now.to_string() });
    Err(Rejection::OldVersion { sent, now, since: shown(since, zone), fields: told.collect() })
}

/// `14/11/2026 10:32:05`
fn shown(at: Moment, zone: &TimeZone) -> String {
    let iso = at.to_offset_iso(zone);
    let clock = iso.get(11..19).unwrap_or_default();
    format!("{} {clock}", at.date_in(zone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_old_version_is_refused_with_what_differs() {
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let now = (3, Moment::from_millis(1_794_623_525_000));
        assert_eq!(refuse_old(3, now, &zone, []), Ok(()));
        let fields = [("nome", json!("Ouro"), json!("Prata")), ("valor", json!(1), json!(1))];
        let told =
            vec![Differing { field: "nome", sent: "\"Ouro\"".to_owned(), now: "\"Prata\"".to_owned() }];
        let refused =
            Rejection::OldVersion { sent: 2, now: 3, since: "13/11/2026 23:32:05".to_owned(), fields: told };
        assert_eq!(refuse_old(2, now, &zone, fields), Err(refused));
    }
}
