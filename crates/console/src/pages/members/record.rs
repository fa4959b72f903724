//! The record of the API that the form of a member makes.

use crate::widgets::form_input::FormValues;
use crate::widgets::record_form::build_record;
use app::members::MemberView;
use serde_json::{Value, json};

/// Builds the record: an empty field clears the value, and is omitted for a new member.
pub fn build_member_record(values: &FormValues, existing: Option<(&MemberView, &str)>) -> Value {
    let mut values = values.clone();
    let mut further = vec![(
        "telefones",
        take_phone_list(
            &mut values,
            &existing.map(|(view, _)| list_further_phones(view)).unwrap_or_default(),
        ),
    )];
    match existing {
        None => values.retain(|_, text| !text.is_empty()),
        Some((_, version)) => further.push(("versao", version.into())),
    }
    build_record(&values, &further)
}

/// The typed numbers; empty ones are dropped.
fn take_phone_list(values: &mut FormValues, further: &[String]) -> Value {
    let numbers =
        ["telefones.0.numero", "telefones.1.numero"].map(|name| values.remove(name).unwrap_or_default());
    let all_numbers = numbers.into_iter().filter(|number| !number.is_empty()).chain(further.iter().cloned());
    all_numbers.map(|number| json!({"numero": number})).collect()
}

/// Phones beyond the first of each kind, which the form does not show and must not lose.
fn list_further_phones(view: &MemberView) -> Vec<String> {
    let mut seen_kinds = std::collections::BTreeSet::new();
    let further = view.phones.iter().filter(|phone| !seen_kinds.insert(phone.kind));
    further.map(|phone| phone.number.to_string()).collect()
}
