//! What becomes of the telephones of a person when others are sent. One without area code never takes the place of a complete
//! one that ends in it.

use crate::{ContactPhone, Phone, PhoneKind};

/// The country code of numbers without one: Brazil.
pub const HOME_COUNTRY_CODE: &str = "55";

/// Where a number is among known phones: as the complete one that ends in it, else as it is.
pub fn find_known_phone(number: &Phone, known: &[ContactPhone]) -> Option<usize> {
    let complete = known.iter().position(|one| number.is_ending_of(&one.number));
    complete.or_else(|| known.iter().position(|one| one.number == *number))
}

/// The given phones, with a complete one that is known instead of one that lacks its area code.
pub fn keep_complete_numbers(given: &[ContactPhone], known: &[ContactPhone]) -> Vec<ContactPhone> {
    let mut kept: Vec<ContactPhone> = Vec::with_capacity(given.len());
    for phone in given {
        match known.iter().find(|one| phone.number.is_ending_of(&one.number)) {
            Some(complete) => {
                let is_there = given.iter().chain(&kept).any(|one| one.number == complete.number);
                kept.extend((!is_there).then(|| complete.clone()));
            }
            None => kept.push(phone.clone()),
        }
    }
    kept
}

/// Puts a number first among those of its kind, in the place of one that lacked its area code; any other new number replaces
/// the first one.
pub fn put_phone_first(number: &Phone, old_phones: &[ContactPhone]) -> Vec<ContactPhone> {
    let mut phones = old_phones.to_vec();
    let find_ending = || phones.iter().position(|one| one.number.is_ending_of(number));
    let known = find_known_phone(number, &phones).or_else(find_ending);
    let mut phone = known.map_or_else(
        || ContactPhone {
            kind: number.kind(),
            country: HOME_COUNTRY_CODE.to_owned(),
            number: number.clone(),
        },
        |at| phones.remove(at),
    );
    if phone.number.is_ending_of(number) {
        phone.number = number.clone();
    }
    match (known, phones.iter().position(|other| other.kind == phone.kind)) {
        (Some(was), first) => phones.insert(first.map_or(was, |at| at.min(was)), phone),
        (None, Some(at)) => phones[at] = phone,
        (None, None) => phones.push(phone),
    }
    phones
}

/// The phones of a sheet: they replace as many of their kind, first those that lacked their area code, and the others stay.
pub fn merge_telephones(given_phones: &[ContactPhone], old_phones: &[ContactPhone]) -> Vec<ContactPhone> {
    let given_phones: &[ContactPhone] = &keep_complete_numbers(given_phones, old_phones);
    let first = |phones: &[ContactPhone], kind| {
        phones.iter().find(|one| one.kind == kind).map(|one| one.number.clone())
    };
    let keeps_first =
        |kind| first(given_phones, kind).is_none_or(|number| first(old_phones, kind) == Some(number));
    let is_known = |new: &ContactPhone| old_phones.iter().any(|one| one.number == new.number);
    if given_phones.iter().all(is_known) && keeps_first(PhoneKind::Mobile) && keeps_first(PhoneKind::Landline)
    {
        return old_phones.to_vec();
    }
    let is_given = |one: &&ContactPhone| given_phones.iter().any(|new| new.number == one.number);
    let is_ending = |one: &&ContactPhone| given_phones.iter().any(|new| one.number.is_ending_of(&new.number));
    let mut all: Vec<ContactPhone> = Vec::new();
    for new in given_phones {
        if all.iter().all(|one| one.number != new.number) {
            all.push(old_phones.iter().find(|one| one.number == new.number).unwrap_or(new).clone());
        }
    }
    for kind in [PhoneKind::Mobile, PhoneKind::Landline] {
        let fresh = all.iter().filter(|one| one.kind == kind && !old_phones.contains(one)).count();
        let others = old_phones.iter().filter(|one| one.kind == kind && !is_given(one));
        let (endings, others): (Vec<&ContactPhone>, Vec<&ContactPhone>) = others.partition(is_ending);
        all.extend(others.into_iter().skip(fresh.saturating_sub(endings.len())).cloned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phones(numbers: &[&str]) -> Vec<ContactPhone> {
        let phone = |number: &&str| {
            let number = Phone::parse(number).unwrap();
            ContactPhone { kind: number.kind(), country: "55".to_owned(), number }
        };
        numbers.iter().map(phone).collect()
    }

    #[test]
    fn a_complete_number_stays_where_its_ending_is_given() {
        let cases: [(&[&str], &[&str], &[&str]); 9] = [
            (&["987654321"], &["11987654321"], &["11987654321"]),
            (&["87654321"], &["11987654321"], &["11987654321"]),
            (&["987654322"], &["11987654321"], &["987654322"]),
            (&["987654321"], &["987654321"], &["987654321"]),
            (&["11987654321"], &["987654321"], &["11987654321"]),
            (&["987654321", "11987654321"], &["11987654321"], &["11987654321"]),
            (&["987654321", "87654321"], &["11987654321"], &["11987654321"]),
            (&["1133334444", "987654321"], &["11987654321"], &["1133334444", "11987654321"]),
            (&["987654321"], &[], &["987654321"]),
        ];
        for (given, known, kept) in cases {
            assert_eq!(keep_complete_numbers(&phones(given), &phones(known)), phones(kept), "{given:?}");
        }
    }

    #[test]
    fn a_number_is_known_as_a_complete_one_first() {
        let known = phones(&["987654321", "11987654321"]);
        let find = |text: &str| find_known_phone(&Phone::parse(text).unwrap(), &known);
        assert_eq!([find("987654321"), find("11987654321"), find("33334444")], [Some(1), Some(1), None]);
    }

    #[test]
    fn a_complete_number_takes_the_place_of_its_ending() {
        let number = Phone::parse("11987654321").unwrap();
        for (known, after) in [
            (["11911111111", "987654321"], ["11987654321", "11911111111"]),
            (["987654321", "11911111111"], ["11987654321", "11911111111"]),
            (["1133334444", "987654321"], ["1133334444", "11987654321"]),
            (["11911111111", "987654322"], ["11987654321", "987654322"]),
        ] {
            assert_eq!(put_phone_first(&number, &phones(&known)), phones(&after), "{known:?}");
        }
    }

    #[test]
    fn telephones_take_the_place_of_their_kind_and_come_back_alike() {
        let phone = |number: &str| {
            let number = Phone::parse(number).unwrap();
            ContactPhone { kind: number.kind(), country: "55".to_owned(), number }
        };
        let [a, b, c, x, end] =
            ["11911111111", "11922222222", "1133334444", "11999999999", "999999999"].map(phone);
        let all = |phones: &[&ContactPhone]| phones.iter().map(|one| (*one).clone()).collect::<Vec<_>>();
        for (given_phones, old_phones, expected) in [
            (all(&[&a]), all(&[]), all(&[&a])),
            (all(&[&x]), all(&[&a, &b, &c]), all(&[&x, &b, &c])),
            (all(&[&b]), all(&[&a, &b]), all(&[&b, &a])),
            (all(&[&a, &b]), all(&[&a, &b]), all(&[&a, &b])),
            (all(&[&a, &x]), all(&[&a, &b, &c]), all(&[&a, &x, &c])),
            (all(&[&a, &a]), all(&[]), all(&[&a])),
            (all(&[&a]), all(&[&c, &a, &b]), all(&[&c, &a, &b])),
            (all(&[&x]), all(&[&a, &end, &c]), all(&[&x, &a, &c])),
        ] {
            let merged = merge_telephones(&given_phones, &old_phones);
            assert_eq!(merged, expected);
            assert_eq!(merge_telephones(&given_phones, &merged), merged, "the second time nothing changes");
        }
    }
}
