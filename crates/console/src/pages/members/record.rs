//! The record of the API that the form of a member makes.

use crate::widgets::form_input::FormValues;
use crate::widgets::record_form::build_record;
use app::members::MemberView;
use domain::{ContactPhone, PhoneKind};
use serde_json::{Value, json};
use wire::set_names;

/// Builds the record: an empty field clears the value, and is omitted for a new member.
pub fn build_member_record(values: &FormValues, existing: Option<(&MemberView, &str)>) -> Value {
    let mut values = values.clone();
    let stored_phones = existing.map_or(&[][..], |(view, _)| &view.phones);
    let mut further = vec![("telefones", take_phone_list(&mut values, stored_phones))];
    match existing {
        None => values.retain(|_, text| !text.is_empty()),
        Some((_, version)) => further.push(("versao", version.into())),
    }
    build_record(&values, &further)
}

/// The typed numbers without empty ones, then those beyond the first of each kind, which the form does not show and must
/// not lose.
fn take_phone_list(values: &mut FormValues, stored_phones: &[ContactPhone]) -> Value {
    let mut seen_kinds = std::collections::BTreeSet::new();
    let (first, further): (Vec<_>, Vec<_>) =
        stored_phones.iter().partition(|phone| seen_kinds.insert(phone.kind));
    let fields = [("telefones.0.numero", PhoneKind::Mobile), ("telefones.1.numero", PhoneKind::Landline)];
    let typed = fields.map(|(name, kind)| {
        let number = values.remove(name).unwrap_or_default();
        let stored = first.iter().find(|phone| phone.kind == kind && phone.number.to_string() == number);
        match stored {
            Some(phone) => build_stored_phone(phone),
            None => json!({"numero": number}),
        }
    });
    let typed = typed.into_iter().filter(|phone| phone["numero"] != "");
    typed.chain(further.into_iter().map(build_stored_phone)).collect()
}

/// A number that stays also keeps its kind, which the number itself may contradict.
fn build_stored_phone(phone: &ContactPhone) -> Value {
    json!({"numero": phone.number.to_string(), "tipo": set_names::phone_kind(phone.kind)})
}
