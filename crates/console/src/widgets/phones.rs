//! Telephones as pages show them: programs register some that cannot be dialled as they are, which are marked.

use domain::{Phone, PhoneKind, display};

/// What a number lacks, in its place of this kind.
pub fn describe_phone_gap(number: &Phone, kind: PhoneKind) -> Option<&'static str> {
    if number.lacks_area_code() {
        Some("incompleto: falta o DDD")
    } else if kind == PhoneKind::Mobile && number.kind() == PhoneKind::Landline {
        Some("incompleto: um celular tem 9 dígitos")
    } else {
        None
    }
}

/// `(11)98765-4321`, or `98765-4321 (incompleto: falta o DDD)`
pub fn format_marked_phone(number: &Phone, kind: PhoneKind) -> String {
    match describe_phone_gap(number, kind) {
        Some(gap) => format!("{number} ({gap})"),
        None => number.to_string(),
    }
}

/// A stored number and what it lacks.
pub fn format_stored_phone(stored: &str, kind: PhoneKind) -> (String, Option<&'static str>) {
    let gap = Phone::parse(stored).ok().and_then(|number| describe_phone_gap(&number, kind));
    (display::format_phone(stored), gap)
}

/// What a number in a field of a form lacks, as a sentence below it.
pub fn hint_at_phone_gap(field: &str, typed: &str) -> Option<&'static str> {
    let number = Phone::parse(typed).ok()?;
    let is_for_mobiles = matches!(field, "telefones.0.numero" | "telefoneCelular");
    if number.lacks_area_code() {
        Some("Incompleto: falta o DDD.")
    } else if is_for_mobiles && number.kind() == PhoneKind::Landline {
        Some("Incompleto: um celular tem 9 dígitos.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_cannot_be_dialled_is_marked() {
        let marked = |text: &str, kind| format_marked_phone(&Phone::parse(text).unwrap(), kind);
        assert_eq!(marked("11987654321", PhoneKind::Mobile), "(11)98765-4321");
        assert_eq!(marked("1133334444", PhoneKind::Landline), "(11)3333-4444");
        assert_eq!(marked("33334444", PhoneKind::Landline), "3333-4444 (incompleto: falta o DDD)");
        assert_eq!(
            marked("1133334444", PhoneKind::Mobile),
            "(11)3333-4444 (incompleto: um celular tem 9 dígitos)"
        );
        let stored = format_stored_phone("987654321", PhoneKind::Mobile);
        assert_eq!(stored, ("98765-4321".to_owned(), Some("incompleto: falta o DDD")));
    }

    #[test]
    fn a_form_says_what_a_number_lacks() {
        assert_eq!(hint_at_phone_gap("telefone", "3333-4444"), Some("Incompleto: falta o DDD."));
        assert_eq!(hint_at_phone_gap("telefone", "(11)3333-4444"), None);
        assert!(hint_at_phone_gap("telefoneCelular", "(11)3333-4444").is_some());
        assert_eq!(hint_at_phone_gap("telefones.0.numero", ""), None);
    }
}
