//! Writes people received from a mirrored server, under the codes they have there. Fields that the mirror does not send
//! keep their value.

use super::field_changes::compare_people;
use super::persist::record_person_change;
use crate::Error;
use crate::actor_context::ActorContext;
use crate::listing_rows::{ListedDays, build_listed_member, build_member_row};
use domain::{ContactPhone, Document, PersonCode, PersonProfile, PhoneKind};
use storage::Tx;
use storage::members;
use storage::members::phones::{self, HOME_COUNTRY_CODE};
use storage::search::rows::{self, ChangedMemberFields, SearchListingRow};

/// Applies a row of the mirrored member search to a stored person. For holders of benefits, branch, sellers and dates
/// of the row belong to the benefit, so they are not applied.
pub fn apply_mirrored_profile(person: &mut PersonProfile, received: &PersonProfile, is_alone: bool) {
    let was_member = std::mem::replace(&mut person.is_member, true);
    person.name.clone_from(&received.name);
    person.document.clone_from(&received.document);
    person.nature = received.document.as_ref().map_or(person.nature, Document::nature);
    person.email.clone_from(&received.email);
    person.sex = received.sex;
    person.born_on = received.born_on;
    person.mobile.clone_from(&received.mobile);
    person.landline.clone_from(&received.landline);
    person.address.clone_from(&received.address);
    person.mother.clone_from(&received.mother);
    person.civil_state = received.civil_state;
    person.company.clone_from(&received.company);
    person.identity_number.clone_from(&received.identity_number);
    person.cnh_number.clone_from(&received.cnh_number);
    person.cnh_category.clone_from(&received.cnh_category);
    person.spouse.clone_from(&received.spouse);
    person.payer_document.clone_from(&received.payer_document);
    person.payer_address.clone_from(&received.payer_address);
    if is_alone || !was_member {
        person.branch = received.branch;
        person.consultant = received.consultant;
        person.representative = received.representative;
        person.created_at = received.created_at;
        person.updated_at = received.updated_at;
    } else {
        // Each row shows the later of the member's date and the benefit's date, so the earliest is kept.
        person.created_at = person.created_at.min(received.created_at);
        person.updated_at = person.updated_at.min(received.updated_at);
    }
}

/// Keeps the stored phones unless the first mobile or landline differs.
pub fn mirror_telephones(old_phones: &[ContactPhone], person: &PersonProfile) -> Vec<ContactPhone> {
    let first = |kind| old_phones.iter().find(|one| one.kind == kind).map(|one| &one.number);
    if first(PhoneKind::Mobile) == person.mobile.as_ref()
        && first(PhoneKind::Landline) == person.landline.as_ref()
    {
        return old_phones.to_vec();
    }
    let received = [(PhoneKind::Mobile, &person.mobile), (PhoneKind::Landline, &person.landline)];
    let build_phone = |(kind, number): (PhoneKind, &Option<domain::Phone>)| {
        Some(ContactPhone { kind, country: HOME_COUNTRY_CODE.to_owned(), number: number.clone()? })
    };
    received.into_iter().filter_map(build_phone).collect()
}

/// Inserts new people with their phones, without listing rows.
pub async fn insert_mirrored_people<'p>(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    new: impl Iterator<Item = (PersonCode, &'p PersonProfile)> + Clone,
) -> Result<u64, Error> {
    tx.execute_batch(members::insert_people(context.tenant, new.clone())).await?;
    let mut count = 0;
    let mut all = Vec::new();
    for (code, person) in new {
        count += 1;
        all.extend(mirror_telephones(&[], person).into_iter().map(|one| (code, one)));
    }
    tx.execute_batch(phones::insert_phone_list(context.tenant, &all)).await?;
    Ok(count)
}

/// Updates a stored person and their listing rows; `false` if nothing changed.
#[boxed::future]
pub async fn update_mirrored_person(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    code: PersonCode,
    (before, old_phones): (&PersonProfile, &[ContactPhone]),
    (after, phones): (&PersonProfile, &[ContactPhone]),
) -> Result<bool, Error> {
    if before == after && old_phones == phones {
        return Ok(false);
    }
    let tenant = context.tenant;
    members::update_person(tx, tenant, code, after).await?;
    if phones != old_phones {
        phones::replace_phones(tx, tenant, code, phones).await?;
    }
    if before.is_member {
        let days = ListedDays::of_member(after, &context.registers.zone);
        let moved =
            ChangedMemberFields { name: before.name != after.name, branch: before.branch != after.branch };
        rows::update_member_rows(
            tx,
            tenant,
            &build_listed_member(code, after),
            &build_member_row(after, days),
            moved,
        )
        .await?;
    }
    let changes = compare_people((before, old_phones), (after, phones));
    if !changes.is_empty() {
        record_person_change(tx, context, code, domain::AuditedAction::MirrorRecord, changes).await?;
    }
    Ok(true)
}

/// Inserts the listing row of a member without benefits.
#[boxed::future]
pub async fn insert_member_row(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, person): (PersonCode, &PersonProfile),
    slot: i32,
) -> Result<(), Error> {
    let days = ListedDays::of_member(person, &context.registers.zone);
    let row = SearchListingRow {
        slot,
        member: build_listed_member(code, person),
        row_fields: build_member_row(person, days),
    };
    tx.execute_batch(rows::insert_listing_rows(context.tenant, &[row])).await?;
    Ok(rows::mark_listing_changed(tx, context.tenant).await?)
}
