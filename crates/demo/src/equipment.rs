//! Generates equipment on demo vehicles: trackers and blockers, with their suppliers.

use crate::association::{SUPPLIERS, TRACKERS};
use crate::calendar::{SHOWN_ON, compute_date};
use crate::dice::SeededDice;
use crate::generator::SampleGenerator;
use domain::{InstallationCode, SupplierCode, TrackerInstallation};

/// The streams of members, benefits and cards have lower numbers.
const STREAM: u64 = 6 << 32;
/// Maximum benefits of one member in the serial numbers.
const MOST_BENEFITS_PER_MEMBER: u64 = 8;
/// Maximum devices of one benefit in the serial numbers.
const MOST_DEVICES_PER_BENEFIT: u64 = 4;

/// Model and maker.
const DEVICES: &[(&str, &str)] = &[
    ("Rastreador RS-4G", "Sinal Exemplo"),
    ("Rastreador RS-2G", "Sinal Exemplo"),
    ("Rastreador LTE Mini", "Rota Modelo"),
];
const BLOCKER: (&str, &str) = ("Bloqueador BV-1", "Rota Modelo");
const PLACES: &[&str] =
    &["Sob o painel", "Atrás do porta-luvas", "No compartimento do motor", "Sob o banco do motorista"];

impl SampleGenerator {
    /// Current and earlier equipment of a benefit's vehicle, given its joining day and possible cancellation.
    pub(super) fn generate_equipment(
        &self,
        (number, at): (u32, u32),
        joined: u32,
        cancelled: Option<u32>,
    ) -> Vec<TrackerInstallation> {
        let mut dice =
            SeededDice::new(self.seed, STREAM + u64::from(number) * MOST_BENEFITS_PER_MEMBER + u64::from(at));
        let dice = &mut dice;
        // The first member has both, so that every demo shows some.
        let is_shown = number == 1;
        if !dice.roll_percent(45) && !is_shown {
            return Vec::new();
        }
        let end = cancelled.unwrap_or(SHOWN_ON - 1);
        let installed = (joined + dice.roll_range(0..30)).min(end);
        // Some devices were replaced.
        let replaced = (dice.roll_percent(12) && installed < end).then(|| dice.roll_range(installed..end));
        let mut all: Vec<TrackerInstallation> = Vec::new();
        if let Some(removed) = replaced {
            let device = dice.pick(DEVICES);
            all.push(generate_installation(dice, device, installed, Some(removed)));
        }
        let device = dice.pick_skewed(DEVICES);
        all.push(generate_installation(dice, device, replaced.unwrap_or(installed), cancelled));
        if dice.roll_percent(15) || is_shown {
            all.push(generate_installation(dice, BLOCKER, installed, cancelled));
        }
        // Serial numbers are unique.
        for (piece, one) in (0..).zip(&mut all) {
            let serial = (u64::from(number) * MOST_BENEFITS_PER_MEMBER + u64::from(at))
                * MOST_DEVICES_PER_BENEFIT
                + piece;
            one.serial_number = Some(format!("SN{serial:010}"));
        }
        all
    }
}

fn generate_installation(
    dice: &mut SeededDice,
    (model, maker): (&str, &str),
    installed: u32,
    removed: Option<u32>,
) -> TrackerInstallation {
    TrackerInstallation {
        code: InstallationCode::new(0),
        tracker: None,
        serial_number: None,
        imei: Some(generate_imei(dice)),
        model: Some(model.to_owned()),
        maker: Some(maker.to_owned()),
        supplier: Some(pick_tracker_supplier(dice)),
        place: Some(dice.pick(PLACES).to_owned()),
        installed_on: Some(compute_date(i64::from(installed))),
        removed_on: removed.map(|removed| compute_date(i64::from(removed))),
        active: removed.is_none(),
    }
}

/// Supplier codes start at 1, as in every new tenant.
fn pick_tracker_supplier(dice: &mut SeededDice) -> SupplierCode {
    let numbered = (1..).zip(SUPPLIERS).filter(|(_, supplier)| supplier.kind == TRACKERS);
    let codes: Vec<i32> = numbered.map(|(code, _)| code).collect();
    SupplierCode::new(dice.pick(&codes))
}

/// Fourteen digits and their Luhn check digit. The prefix belongs to no maker.
fn generate_imei(dice: &mut SeededDice) -> String {
    let body = format!("00{}", dice.roll_digits(12));
    let doubled = body.bytes().rev().enumerate().map(|(at, byte)| {
        let digit = u32::from(byte - b'0') * if at % 2 == 0 { 2 } else { 1 };
        digit / 10 + digit % 10
    });
    let check = (10 - doubled.sum::<u32>() % 10) % 10;
    format!("{body}{check}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BenefitKind;

    #[test]
    fn an_imei_ends_in_its_check_digit() {
        for number in 0..100 {
            let imei = generate_imei(&mut SeededDice::new(1, number));
            let sum: u32 = imei
                .bytes()
                .rev()
                .enumerate()
                .map(|(at, byte)| u32::from(byte - b'0') * if at % 2 == 1 { 2 } else { 1 })
                .map(|digit| digit / 10 + digit % 10)
                .sum();
            assert!(imei.len() == 15 && sum.is_multiple_of(10), "{imei}");
        }
    }

    #[test]
    fn some_vehicles_have_equipment_and_nothing_else_does() {
        let generator = SampleGenerator::new(1, 3_000);
        let (mut vehicles, mut with_equipment, mut removed) = (0, 0, 0);
        for number in 1..=3_000 {
            for holding in generator.generate_member(number).benefits {
                let all = &holding.equipment;
                assert!(all.is_empty() || holding.benefit.kind == BenefitKind::Vehicle);
                vehicles += usize::from(holding.benefit.kind == BenefitKind::Vehicle);
                with_equipment += usize::from(!all.is_empty());
                for one in all {
                    let installed = one.installed_on.as_ref().unwrap();
                    assert!(holding.benefit.joined_on.as_ref().unwrap() <= installed, "{one:?}");
                    assert_eq!(one.active, one.removed_on.is_none());
                    assert!(one.removed_on.as_ref().is_none_or(|end| installed <= end), "{one:?}");
                    removed += usize::from(!one.active);
                }
                assert!(holding.benefit.cancelled_on.is_none() || all.iter().all(|one| !one.active));
            }
        }
        assert!(
            (40..50).contains(&(with_equipment * 100 / vehicles)) && removed > 50,
            "{with_equipment} {vehicles} {removed}"
        );
        assert!(generator.generate_member(1).benefits[0].equipment.len() >= 2);
    }
}
