use super::*;
use crate::describe::{FieldContent, FieldRequirement};
use std::collections::BTreeSet;

#[test]
fn no_two_registers_or_fields_have_one_name() {
    let paths: BTreeSet<_> = REGISTERS.iter().map(|register| register.path).collect();
    assert_eq!(paths.len(), REGISTERS.len());
    for register in REGISTERS {
        let own = ["ativo", "versao", "dataCadastro", "dataAtualizacao", register.code];
        let mut names: BTreeSet<_> = own.into_iter().collect();
        for field in register.fields {
            assert!(names.insert(field.name), "{} {}", register.path, field.name);
        }
    }
}

#[test]
fn every_field_is_told_and_whatever_is_named_is_there() {
    for register in REGISTERS {
        assert!(register.words.one_at.ends_with(&format!("{{{}}}", register.code)), "{}", register.path);
        assert!((register.codes.0..=register.codes.1).contains(&register.example));
        let named = register.filters.iter().chain(register.unique.iter().flat_map(|one| one.fields));
        for name in named {
            assert!(register.find_field(name).is_some(), "{} {name}", register.path);
        }
        assert!(!register.needs_filter || !register.filters.is_empty());
        assert!(register.about.ends_with(['.', '…']) && !register.section.is_empty(), "{}", register.path);
        assert!(register.columns.iter().all(|name| register.find_field(name).is_some()), "{}", register.path);
        for field in register.fields {
            let what = format!("{} {}", register.path, field.name);
            assert!(field.text.ends_with('.') && !field.label.is_empty(), "{what}");
            assert_eq!(field.is_column(), !field.column.is_empty(), "{what}");
            assert!(field.need != FieldRequirement::Required || field.example != "null", "{what}");
            assert!(field.hint.is_empty() || field.hint.ends_with('.'), "{what}");
            match field.kind {
                FieldType::Choice(names) => {
                    let plain =
                        |name: &'static str| find_choice_label(name) != name.to_uppercase() || name.len() < 3;
                    assert!(names.iter().all(|(_, name)| plain(name)), "{what}");
                }
                FieldType::Reference(to) | FieldType::References { to, .. } => {
                    assert!(find_register(to).is_some(), "{what}");
                }
                FieldType::ReadableOn(other) => assert!(register.find_field(other).is_some(), "{what}"),
                _ => {}
            }
        }
        let first = register.fields.first().map(|field| field.kind);
        assert_eq!(register.within == RecordVisibility::Benefit, first == Some(FieldType::Benefit));
        assert_eq!(register.within == RecordVisibility::Person, first == Some(FieldType::Person));
    }
    assert_eq!(find_register("plano").map(Register::title).as_deref(), Some("Plano"));
    assert_ne!(FieldContent::Nothing, FieldContent::Number(0));
}
