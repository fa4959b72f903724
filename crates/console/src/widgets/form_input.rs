//! An input of a form: its definition, and what is shown of it: value, problem and choices.

use super::phones::hint_at_phone_gap;
use std::collections::BTreeMap;

/// Form values by field name.
pub type FormValues = BTreeMap<&'static str, String>;

/// Definition of a form field.
#[derive(Clone, Copy)]
pub struct InputSpec {
    pub name: &'static str,
    pub label: &'static str,
    pub kind: InputKind,
    pub longest: usize,
    pub hint: &'static str,
}

impl InputSpec {
    pub const fn text(name: &'static str, label: &'static str, longest: usize) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Text, longest, hint: "" }
    }

    pub const fn masked_text(name: &'static str, label: &'static str, mask: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Masked(mask), longest: 20, hint: "" }
    }

    pub const fn choice(name: &'static str, label: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Choice, longest: 100, hint: "" }
    }

    pub const fn money(name: &'static str, label: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Money, longest: 20, hint: "" }
    }

    pub const fn area(name: &'static str, label: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Area, longest: 4000, hint: "" }
    }

    pub const fn with_hint(self, hint: &'static str) -> InputSpec {
        InputSpec { hint, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    Text,
    /// Formatted while typing (`data-mascara`).
    Masked(&'static str),
    Email,
    /// Several lines of text.
    Area,
    /// One of the choices that the page provides.
    Choice,
    /// Any number of those choices, separated by commas.
    Many,
    Number,
    /// Reais in Brazilian notation: `1.234,56`.
    Money,
    /// `2,00`, followed by the sign.
    Percent,
    /// A checkbox: `sim`, or empty.
    Flag,
    /// `#1A73E8`
    Colour,
}

/// A form field with its value, problem and choices.
pub struct FormInput {
    pub spec: InputSpec,
    /// Label of a custom field, given by the tenant.
    pub own_label: Option<String>,
    pub value: String,
    pub problem: Option<String>,
    pub choices: Vec<(String, String)>,
}

impl FormInput {
    pub fn mask(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Masked(mask) => mask,
            InputKind::Money | InputKind::Percent => "dinheiro",
            _ => "",
        }
    }

    pub fn label(&self) -> &str {
        self.own_label.as_deref().unwrap_or(self.spec.label)
    }

    pub fn kind(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Email => "email",
            InputKind::Area => "area",
            InputKind::Choice => "choice",
            InputKind::Many => "many",
            InputKind::Flag => "flag",
            InputKind::Colour => "color",
            InputKind::Text
            | InputKind::Masked(_)
            | InputKind::Number
            | InputKind::Money
            | InputKind::Percent => "text",
        }
    }

    /// Which keyboard a phone shows.
    pub fn keys(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Number => "numeric",
            InputKind::Money | InputKind::Percent => "decimal",
            _ => "",
        }
    }

    /// The sign behind the field.
    pub fn unit(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Percent => "%",
            _ => "",
        }
    }

    /// Whether a choice of a `Many` field is selected.
    pub fn has(&self, value: &str) -> bool {
        self.value.split(',').any(|one| one == value)
    }

    /// What is said below the field: of a telephone, what it lacks.
    pub fn hint(&self) -> &'static str {
        let gap = match self.spec.kind {
            InputKind::Masked("telefone") => hint_at_phone_gap(self.spec.name, &self.value),
            _ => None,
        };
        gap.unwrap_or(self.spec.hint)
    }

    /// Ids of the elements that describe the field: hint and problem.
    pub fn described(&self) -> String {
        let hint = (!self.hint().is_empty()).then(|| format!("d-{}", self.spec.name));
        let problem = self.problem.as_ref().map(|_| format!("p-{}", self.spec.name));
        hint.into_iter().chain(problem).collect::<Vec<_>>().join(" ")
    }
}

/// The name itself if the page does not show the field.
pub fn find_label(specs: &[InputSpec], name: &str) -> String {
    specs.iter().find(|spec| spec.name == name).map_or(name, |spec| spec.label).to_owned()
}
