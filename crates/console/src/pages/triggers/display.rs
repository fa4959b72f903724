//! Texts and badges for the state of receivers and deliveries.

use crate::widgets::board::format_age;
use crate::widgets::formats::{format_count, format_moment};
use app::triggers::receivers::{PauseReason, RedactedReceiver};
use app::triggers::{DeliveryAttempt, LARGEST_EXACT_COUNT, ReceiverPerformance};
use domain::RetryPolicy;
use domain::{DeliveryState, Entity, Moment, TimeZone};

/// Label and colour class of a receiver's state, with an explanation where needed.
pub struct ReceiverStateBadge {
    pub word: &'static str,
    pub class: &'static str,
    pub explanation: String,
}

pub fn describe_receiver_state(
    redacted: &RedactedReceiver,
    now: Moment,
    zone: &TimeZone,
) -> ReceiverStateBadge {
    let (one, health) = (&redacted.receiver, &redacted.receiver.health);
    if !one.active {
        return ReceiverStateBadge {
            word: "Retirado",
            class: "",
            explanation: "Não é mais avisado de nada.".to_owned(),
        };
    }
    if let Some((at, why)) = one.paused {
        let because = match why {
            PauseReason::ByHand => "Pausado por alguém da associação",
            PauseReason::Gone => "Pausado porque respondeu que não existe mais (410)",
            PauseReason::Failing => "Pausado depois de dias só com falhas",
        };
        let explanation = format!("{because}, em {}. O que muda espera por ele.", format_moment(at, zone));
        return ReceiverStateBadge { word: "Pausado", class: "warn", explanation };
    }
    let since =
        health.failing_since.map(|at| format!(" desde {}", format_moment(at, zone))).unwrap_or_default();
    if RetryPolicy::is_only_probed(health.failures, health.failed_records.len()) {
        let explanation =
            format!("Só falha{since}. Até voltar, é tentado de tempos em tempos com um aviso só.");
        return ReceiverStateBadge { word: "Não responde", class: "wrong", explanation };
    }
    if health.failures > 0 {
        let explanation = match health.failures {
            1 => format!("Uma falha{since}."),
            many => format!("{} falhas seguidas{since}.", format_count(many.into())),
        };
        return ReceiverStateBadge { word: "Com falhas", class: "wrong", explanation };
    }
    if let Some(until) = health.not_before.filter(|until| now < *until) {
        let explanation = format!("Pediu para esperar até {}.", format_moment(until, zone));
        return ReceiverStateBadge { word: "Em espera", class: "warn", explanation };
    }
    match health.tried_at {
        Some(_) => ReceiverStateBadge { word: "Bem", class: "fine", explanation: String::new() },
        None => {
            ReceiverStateBadge { word: "Novo", class: "", explanation: "Nada foi enviado ainda.".to_owned() }
        }
    }
}

/// `12`, or `10.000 ou mais`
pub fn format_waiting_count(performance: &ReceiverPerformance) -> String {
    match performance.glance.pending {
        many if many >= LARGEST_EXACT_COUNT => format!("{} ou mais", format_count(LARGEST_EXACT_COUNT)),
        number => format_count(number),
    }
}

/// Age of the oldest pending delivery.
pub fn format_oldest_age(performance: &ReceiverPerformance, now: Moment) -> String {
    performance.glance.oldest.map(|at| format_age(now.duration_since(at))).unwrap_or_default()
}

pub fn format_success_share(performance: &ReceiverPerformance) -> String {
    performance.success_share().map(|share| format!("{share}%")).unwrap_or_default()
}

/// The result of an attempt in a few words.
pub fn describe_attempt(attempt: &DeliveryAttempt) -> String {
    match (attempt.status, &attempt.failure) {
        (Some(status), _) => format!("respondeu {status}"),
        (None, Some(why)) => why.clone(),
        (None, None) => "não respondeu".to_owned(),
    }
}

pub fn is_accepted(attempt: &DeliveryAttempt) -> bool {
    attempt.status.is_some_and(domain::is_accepted_status)
}

pub fn describe_last_trouble(performance: &ReceiverPerformance, zone: &TimeZone) -> String {
    let describe_trouble =
        |one: &DeliveryAttempt| format!("{}: {}", format_moment(one.tried_at, zone), describe_attempt(one));
    performance.trouble.as_ref().map(describe_trouble).unwrap_or_default()
}

pub fn label_delivery_state(state: DeliveryState, tries: i32) -> (&'static str, &'static str) {
    match state {
        DeliveryState::Delivered => ("Entregue", "fine"),
        DeliveryState::Exhausted => ("Não entregue", "wrong"),
        DeliveryState::Pending if tries > 0 => ("Tentando de novo", "warn"),
        DeliveryState::Pending => ("Na fila", ""),
    }
}

/// `Benefício`
pub fn label_entity(entity: Entity) -> &'static str {
    registers::find_choice_label(wire::entity_path(entity))
}

/// Link to the record that a delivery is about.
pub fn build_record_link(root: &str, entity: Entity, code: i32) -> String {
    let section = match entity {
        Entity::Benefit => "beneficios",
        Entity::Claim => "eventos",
        Entity::Inspection => "vistorias",
        Entity::Ticket => "help-desk",
        Entity::Appointment => "consultas",
        Entity::Title => "financeiro/titulos",
    };
    format!("{root}/console/{section}/{code}")
}

/// Pretty-prints JSON; other text stays unchanged.
pub fn format_json(body: &str) -> String {
    let parsed: Result<serde_json::Value, _> = serde_json::from_str(body);
    parsed.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::triggers::receivers::{DeliveryHealth, StoredReceiver};
    use domain::ReceiverCode;

    fn build_receiver(
        health: DeliveryHealth,
        paused: Option<(Moment, PauseReason)>,
        active: bool,
    ) -> RedactedReceiver {
        let at = Moment::from_millis(0);
        let receiver = StoredReceiver {
            code: ReceiverCode::new(1),
            address: "https://erp.example".to_owned(),
            entities: Entity::ALL.to_vec(),
            concurrency: 8,
            active,
            paused,
            version: 1,
            created_at: at,
            updated_at: at,
            health,
        };
        RedactedReceiver { receiver, headers: Vec::new() }
    }

    #[test]
    fn how_a_receiver_fares_is_one_word() {
        let (now, zone) = (Moment::from_millis(1_000), TimeZone::parse("UTC").unwrap());
        let word = |redacted: RedactedReceiver| describe_receiver_state(&redacted, now, &zone).word;
        let at = Some(now);
        assert_eq!(word(build_receiver(DeliveryHealth::default(), None, true)), "Novo");
        assert_eq!(
            word(build_receiver(DeliveryHealth { tried_at: at, ..DeliveryHealth::default() }, None, true)),
            "Bem"
        );
        let failing = DeliveryHealth { tried_at: at, failures: 3, ..DeliveryHealth::default() };
        assert_eq!(word(build_receiver(failing.clone(), None, true)), "Com falhas");
        let records = (0..5).map(|record| (1, record)).collect();
        let silent = DeliveryHealth { failures: 20, failed_records: records, ..failing.clone() };
        assert_eq!(word(build_receiver(silent, None, true)), "Não responde");
        let patient = DeliveryHealth {
            tried_at: at,
            not_before: Some(Moment::from_millis(9_000)),
            ..DeliveryHealth::default()
        };
        assert_eq!(word(build_receiver(patient, None, true)), "Em espera");
        assert_eq!(word(build_receiver(failing.clone(), Some((now, PauseReason::Gone)), true)), "Pausado");
        assert_eq!(word(build_receiver(failing, None, false)), "Retirado");
    }

    #[test]
    fn a_body_is_shown_line_by_line() {
        assert_eq!(format_json(r#"{"a":1}"#), "{\n  \"a\": 1\n}");
        assert_eq!(format_json("not json"), "not json");
    }
}
