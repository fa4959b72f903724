//! The rows of the search listing: one for each benefit, and one for a member without benefits.

use domain::{
    Benefit, BenefitCode, Chassis, Cnpj, Date, Document, Moment, PersonCode, PersonProfile, TimeZone,
};
use storage::search::rows::{MemberRowFields, OwnRowFields, SearchListingRow};

/// The dates of registration and of the last change, in the tenant's time zone.
#[derive(Clone, Copy)]
pub struct ListedDays {
    pub registered_on: Date,
    pub updated_on: Date,
}

impl ListedDays {
    pub fn of_member(person: &PersonProfile, zone: &TimeZone) -> ListedDays {
        ListedDays::from_moments(person.created_at, person.updated_at, zone)
    }

    /// The last change is that of the benefit or of its holder.
    pub fn of_benefit(benefit: &Benefit, holder: &PersonProfile, zone: &TimeZone) -> ListedDays {
        ListedDays::from_moments(benefit.created_at, benefit.updated_at.max(holder.updated_at), zone)
    }

    fn from_moments(registered: Moment, updated: Moment, zone: &TimeZone) -> ListedDays {
        let day = |moment: Moment| moment.date_in(zone);
        ListedDays { registered_on: day(registered), updated_on: day(updated) }
    }
}

/// The member fields shared by all listing rows of a person.
pub fn build_listed_member(code: PersonCode, person: &PersonProfile) -> MemberRowFields<'_> {
    MemberRowFields {
        person: code,
        name: &person.name,
        document: person.document.as_ref().map_or("", Document::as_str),
        company_document: person.company_document.as_ref().map(Cnpj::as_str),
        state: person.address.state.as_deref(),
        born_on: person.born_on,
    }
}

/// The own fields of the row of a member without benefits.
pub fn build_member_row(person: &PersonProfile, days: ListedDays) -> OwnRowFields<'static> {
    OwnRowFields {
        branch: person.branch,
        benefit: None,
        plate_key: None,
        chassis: None,
        consultant: person.consultant,
        representative: person.representative,
        registered_on: days.registered_on,
        updated_on: days.updated_on,
    }
}

/// The listing row of a benefit.
pub fn build_benefit_row<'r>(
    code: BenefitCode,
    benefit: &'r Benefit,
    (person, profile): (PersonCode, &'r PersonProfile),
    days: ListedDays,
    plate_key: Option<&'r str>,
) -> SearchListingRow<'r> {
    let row_fields = OwnRowFields {
        branch: benefit.branch,
        benefit: Some((code, benefit.situation)),
        plate_key,
        chassis: benefit.vehicle.chassis.as_ref().map(Chassis::as_str),
        consultant: benefit.consultant.or(profile.consultant),
        representative: benefit.representative.or(profile.representative),
        registered_on: days.registered_on,
        updated_on: days.updated_on,
    };
    SearchListingRow { slot: benefit.slot, member: build_listed_member(person, profile), row_fields }
}
