//! People as another server tells of them: written with the codes that they have there. What that does not tell stays.

use super::field_changes::compare_people;
use super::{build_member_row, compute_listing_days, record_person_change};
use crate::Error;
use crate::situations::{ActorContext, build_listed_member};
use domain::{Document, PersonCode, PhoneKind};
use storage::Tx;
use storage::members::phones::{self, HOME, StoredPhone};
use storage::members::{self, PersonProfile};
use storage::search::rows::{self, ChangedMemberFields};

/// Takes over what a row of the member search tells of somebody who is known. Of whoever has a benefit it tells the
/// benefit's branch, sellers and days, not his own.
pub fn apply_mirrored_profile(person: &mut PersonProfile, told: &PersonProfile, is_alone: bool) {
    let was_member = std::mem::replace(&mut person.is_member, true);
    person.name.clone_from(&told.name);
    person.document.clone_from(&told.document);
    person.nature = told.document.as_ref().map_or(person.nature, Document::nature);
    person.email.clone_from(&told.email);
    person.sex = told.sex;
    person.born_on.clone_from(&told.born_on);
    person.mobile.clone_from(&told.mobile);
    person.landline.clone_from(&told.landline);
    person.address.clone_from(&told.address);
    person.mother.clone_from(&told.mother);
    person.civil_state = told.civil_state;
    person.company.clone_from(&told.company);
    person.identity_number.clone_from(&told.identity_number);
    person.cnh_number.clone_from(&told.cnh_number);
    person.cnh_category.clone_from(&told.cnh_category);
    person.spouse.clone_from(&told.spouse);
    person.payer_document.clone_from(&told.payer_document);
    person.payer_address.clone_from(&told.payer_address);
    if is_alone || !was_member {
        person.branch = told.branch;
        person.consultant = told.consultant;
        person.representative = told.representative;
        person.created_at = told.created_at;
        person.updated_at = told.updated_at;
    } else {
        // Of his rows each tells the later of his own day and its benefit's.
        person.created_at = person.created_at.min(told.created_at);
        person.updated_at = person.updated_at.min(told.updated_at);
    }
}

/// His telephones: those that are known, unless the first of a kind is another now.
pub fn mirror_telephones(had: &[StoredPhone], person: &PersonProfile) -> Vec<StoredPhone> {
    let first = |kind| had.iter().find(|one| one.kind == kind).map(|one| &one.number);
    if first(PhoneKind::Mobile) == person.mobile.as_ref()
        && first(PhoneKind::Landline) == person.landline.as_ref()
    {
        return had.to_vec();
    }
    let told = [(PhoneKind::Mobile, &person.mobile), (PhoneKind::Landline, &person.landline)];
    let one = |(kind, number): (PhoneKind, &Option<domain::Phone>)| {
        Some(StoredPhone { kind, country: HOME.to_owned(), number: number.clone()? })
    };
    told.into_iter().filter_map(one).collect()
}

/// Writes people who are not known yet, but for their rows in the searches.
pub async fn insert_mirrored_people<'p>(
    tx: &mut Tx,
    acting: &ActorContext<'_>,
    new: impl Iterator<Item = (PersonCode, &'p PersonProfile)> + Clone,
) -> Result<u64, Error> {
    tx.execute_batch(members::insert_people(acting.tenant, new.clone())).await?;
    let mut count = 0;
    let mut all = Vec::new();
    for (code, person) in new {
        count += 1;
        all.extend(mirror_telephones(&[], person).into_iter().map(|one| (code, one)));
    }
    tx.execute_batch(phones::insert_phone_list(acting.tenant, &all)).await?;
    Ok(count)
}

/// Writes somebody who is known, and his rows in the searches; `false` where nothing became another.
pub async fn update_mirrored_person(
    tx: &mut Tx,
    acting: &ActorContext<'_>,
    code: PersonCode,
    (before, had): (&PersonProfile, &[StoredPhone]),
    (after, phones): (&PersonProfile, &[StoredPhone]),
) -> Result<bool, Error> {
    if before == after && had == phones {
        return Ok(false);
    }
    let tenant = acting.tenant;
    members::update_person(tx, tenant, code, after).await?;
    if phones != had {
        phones::replace_phones(tx, tenant, code, phones).await?;
    }
    if before.is_member {
        let days = compute_listing_days(after, &acting.registers.zone);
        let moved =
            ChangedMemberFields { name: before.name != after.name, branch: before.branch != after.branch };
        rows::update_member_rows(
            tx,
            tenant,
            &build_listed_member(code, after),
            &build_member_row(after, &days),
            moved,
        )
        .await?;
    }
    let changes = compare_people((before, had), (after, phones));
    if !changes.is_empty() {
        record_person_change(tx, acting, code, "espelhado", changes).await?;
    }
    Ok(true)
}
