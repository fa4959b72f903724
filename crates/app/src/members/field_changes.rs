//! Field-by-field comparison of two states of a person, under the published field names.

use domain::{ContactPhone, PersonProfile};
use wire::field_differences::{self, FieldDifference};
use wire::field_texts::render_person_fields;

type PersonState<'p> = (&'p PersonProfile, &'p [ContactPhone]);

pub fn compare_people(
    (before, old_phones): PersonState<'_>,
    (after, new_phones): PersonState<'_>,
) -> Vec<FieldDifference> {
    field_differences::compare_fields(
        render_person_fields(before, old_phones),
        render_person_fields(after, new_phones),
    )
}
