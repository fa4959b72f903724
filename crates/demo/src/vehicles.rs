//! Generates demo vehicles: common models in Brazil, by the registered vehicle types.

use crate::association::VEHICLE_TYPES;
use crate::dice::SeededDice;
use crate::plates::VehicleNumber;
use domain::Fuel::{Diesel, Electric, Flex, NaturalGas, Petrol};
use domain::{Fuel, VehicleDetails};
use domain::{Money, Nature, VehicleCategory, VehicleTypeCode};

struct SampleVehicleModel {
    brand: &'static str,
    name: &'static str,
    /// First and last year of production.
    years: (i32, i32),
    /// Price of a new one, in thousands.
    price: i64,
    fuel: Option<Fuel>,
    doors: Option<i32>,
}

const fn define_model(
    brand: &'static str,
    name: &'static str,
    first_year: i32,
    last_year: i32,
    price: i64,
) -> SampleVehicleModel {
    SampleVehicleModel {
        brand,
        name,
        years: (first_year, last_year),
        price,
        fuel: Some(Flex),
        doors: Some(4),
    }
}

const fn define_diesel_model(
    brand: &'static str,
    name: &'static str,
    first_year: i32,
    last_year: i32,
    price: i64,
) -> SampleVehicleModel {
    SampleVehicleModel { fuel: Some(Diesel), ..define_model(brand, name, first_year, last_year, price) }
}

const fn define_truck_model(
    brand: &'static str,
    name: &'static str,
    first_year: i32,
    last_year: i32,
    price: i64,
) -> SampleVehicleModel {
    SampleVehicleModel { doors: Some(2), ..define_diesel_model(brand, name, first_year, last_year, price) }
}

/// Without doors.
const fn define_cycle_model(
    brand: &'static str,
    name: &'static str,
    first_year: i32,
    last_year: i32,
    price: i64,
    fuel: Fuel,
) -> SampleVehicleModel {
    SampleVehicleModel {
        doors: None,
        fuel: Some(fuel),
        ..define_model(brand, name, first_year, last_year, price)
    }
}

const fn define_trailer_model(brand: &'static str, name: &'static str, price: i64) -> SampleVehicleModel {
    SampleVehicleModel { doors: None, fuel: None, ..define_model(brand, name, 2000, 2026, price) }
}

/// The models of each of [`VEHICLE_TYPES`], common ones first; the first one existed before the founding.
#[rustfmt::skip]
const MODELS: [&[SampleVehicleModel]; 13] = [
    &[
        define_model("VOLKSWAGEN", "GOL 1.0", 2003, 2022, 68), define_model("CHEVROLET", "ONIX 1.0", 2012, 2026, 90),
        define_model("HYUNDAI", "HB20 1.0", 2012, 2026, 88), define_model("FIAT", "PALIO 1.0", 2001, 2017, 48),
        define_model("FIAT", "UNO 1.0", 2004, 2021, 60), define_model("FORD", "KA 1.0", 2008, 2021, 62),
        define_model("FIAT", "ARGO 1.0", 2017, 2026, 85), define_model("VOLKSWAGEN", "POLO 1.0", 2003, 2026, 95),
        define_model("RENAULT", "SANDERO 1.0", 2008, 2022, 70), define_model("TOYOTA", "COROLLA 2.0", 2008, 2026, 165),
        define_model("FIAT", "MOBI 1.0", 2016, 2026, 72), define_model("RENAULT", "KWID 1.0", 2017, 2026, 72),
        define_model("CHEVROLET", "PRISMA 1.4", 2007, 2019, 66), define_model("HONDA", "CIVIC 2.0", 2006, 2021, 150),
        define_model("HONDA", "FIT 1.5", 2004, 2021, 95), define_model("CHEVROLET", "CELTA 1.0", 2001, 2015, 42),
        define_model("PEUGEOT", "208 1.0", 2013, 2026, 92), define_model("CITROEN", "C3 1.0", 2006, 2026, 82),
    ],
    &[
        define_model("FORD", "ECOSPORT 1.5", 2004, 2021, 98), define_model("JEEP", "COMPASS 2.0", 2017, 2026, 185),
        define_model("HYUNDAI", "CRETA 1.6", 2017, 2026, 140), define_model("JEEP", "RENEGADE 1.8", 2015, 2026, 130),
        define_model("CHEVROLET", "TRACKER 1.2", 2014, 2026, 150), define_model("VOLKSWAGEN", "T-CROSS 1.0", 2019, 2026, 150),
        define_model("HONDA", "HR-V 1.8", 2015, 2026, 155), define_model("NISSAN", "KICKS 1.6", 2016, 2026, 130),
        define_model("RENAULT", "DUSTER 1.6", 2011, 2026, 120), define_model("FIAT", "PULSE 1.0", 2021, 2026, 115),
        define_model("TOYOTA", "COROLLA CROSS 2.0", 2021, 2026, 190),
    ],
    &[
        SampleVehicleModel { fuel: Some(NaturalGas), ..define_model("FIAT", "GRAND SIENA 1.4", 2012, 2021, 68) },
        define_model("CHEVROLET", "COBALT 1.8", 2012, 2020, 78), define_model("VOLKSWAGEN", "VOYAGE 1.6", 2009, 2022, 80),
        define_model("NISSAN", "VERSA 1.6", 2012, 2026, 112), define_model("CHEVROLET", "SPIN 1.8", 2012, 2026, 120),
        define_model("TOYOTA", "ETIOS SEDAN 1.5", 2012, 2021, 80),
    ],
    &[
        define_cycle_model("HONDA", "CG 150 TITAN", 2004, 2016, 14, Flex), define_cycle_model("HONDA", "CG 160 FAN", 2016, 2026, 18, Flex),
        define_cycle_model("HONDA", "BIZ 125", 2006, 2026, 16, Flex), define_cycle_model("HONDA", "NXR 160 BROS", 2015, 2026, 21, Flex),
        define_cycle_model("YAMAHA", "FACTOR 150", 2016, 2026, 17, Flex), define_cycle_model("HONDA", "POP 110I", 2016, 2026, 11, Petrol),
        define_cycle_model("YAMAHA", "CROSSER 150", 2014, 2026, 21, Flex), define_cycle_model("YAMAHA", "NMAX 160", 2016, 2026, 22, Petrol),
    ],
    &[
        define_cycle_model("YAMAHA", "FAZER 250", 2006, 2026, 24, Flex), define_cycle_model("HONDA", "XRE 300", 2010, 2024, 28, Flex),
        define_cycle_model("HONDA", "CB 250F TWISTER", 2016, 2023, 22, Flex), define_cycle_model("YAMAHA", "LANDER 250", 2007, 2026, 27, Flex),
        define_cycle_model("BMW", "G 310 R", 2018, 2025, 37, Petrol), define_cycle_model("KAWASAKI", "NINJA 400", 2019, 2025, 40, Petrol),
    ],
    &[
        SampleVehicleModel { doors: Some(2), ..define_model("FIAT", "STRADA 1.4", 2004, 2026, 110) },
        SampleVehicleModel { doors: Some(2), ..define_model("VOLKSWAGEN", "SAVEIRO 1.6", 2005, 2026, 105) },
        SampleVehicleModel { doors: Some(2), ..define_model("CHEVROLET", "MONTANA 1.4", 2004, 2021, 80) },
        define_model("RENAULT", "OROCH 1.6", 2016, 2026, 120),
    ],
    &[
        define_diesel_model("TOYOTA", "HILUX 2.8", 2008, 2026, 290), define_diesel_model("CHEVROLET", "S10 2.8", 2012, 2026, 270),
        define_diesel_model("FIAT", "TORO 2.0", 2016, 2026, 200), define_diesel_model("FORD", "RANGER 3.2", 2010, 2026, 280),
        define_diesel_model("VOLKSWAGEN", "AMAROK 2.0", 2011, 2026, 260), define_diesel_model("MITSUBISHI", "L200 TRITON 2.4", 2008, 2026, 250),
    ],
    &[
        SampleVehicleModel { doors: Some(3), ..define_model("FIAT", "FIORINO 1.4", 2005, 2026, 105) },
        define_diesel_model("FIAT", "DUCATO 2.3", 2007, 2026, 240), define_diesel_model("RENAULT", "MASTER 2.3", 2008, 2026, 235),
        define_diesel_model("MERCEDES-BENZ", "SPRINTER 415", 2012, 2026, 280), define_diesel_model("PEUGEOT", "EXPERT 1.6", 2018, 2026, 200),
    ],
    &[
        define_truck_model("MERCEDES-BENZ", "ACCELO 815", 2012, 2026, 330), define_truck_model("FORD", "CARGO 816", 2012, 2019, 230),
        define_truck_model("VOLKSWAGEN", "DELIVERY 9.170", 2018, 2026, 320), define_truck_model("IVECO", "DAILY 35-150", 2008, 2026, 270),
        define_truck_model("HYUNDAI", "HR 2.5", 2008, 2026, 160),
    ],
    &[
        define_truck_model("VOLKSWAGEN", "CONSTELLATION 24.280", 2012, 2026, 480), define_truck_model("SCANIA", "R 450", 2014, 2026, 890),
        define_truck_model("VOLVO", "FH 460", 2012, 2026, 920), define_truck_model("MERCEDES-BENZ", "ACTROS 2651", 2016, 2026, 850),
        define_truck_model("DAF", "XF 480", 2016, 2026, 830), define_truck_model("IVECO", "TECTOR 240E28", 2010, 2026, 450),
    ],
    &[
        SampleVehicleModel { doors: Some(1), ..define_diesel_model("MARCOPOLO", "VOLARE V8L", 2008, 2026, 420) },
        SampleVehicleModel { doors: Some(2), ..define_diesel_model("MERCEDES-BENZ", "OF-1721", 2008, 2026, 720) },
        SampleVehicleModel { doors: Some(1), ..define_diesel_model("VOLKSWAGEN", "9.160 OD", 2012, 2026, 450) },
    ],
    &[
        define_cycle_model("CALOI", "MOBYLETTE ELETRICA", 2014, 2026, 7, Electric),
        define_cycle_model("SENSE", "IMPULSE E-TRAIL", 2017, 2026, 14, Electric),
        define_cycle_model("OGGI", "BIG WHEEL 8.3", 2018, 2026, 16, Electric),
    ],
    &[
        define_trailer_model("RANDON", "SR CARGA SECA", 180), define_trailer_model("LIBRELATO", "SR BASCULANTE", 190),
        define_trailer_model("FACCHINI", "REBOQUE CANAVIEIRO", 150), define_trailer_model("ROSSETTI", "CARRETINHA", 9),
    ],
];

/// Percentage of each vehicle type: for people, and for companies.
const SHARES: [u32; 13] = [40, 14, 4, 15, 6, 8, 4, 2, 2, 1, 1, 1, 2];
const COMPANY_SHARES: [u32; 13] = [22, 8, 3, 6, 2, 10, 9, 12, 12, 9, 3, 0, 4];

/// Common ones first.
const COLOURS: &[&str] =
    &["Branca", "Prata", "Preta", "Cinza", "Vermelha", "Azul", "Marrom", "Bege", "Verde", "Amarela"];

/// The vehicle with a number, as of its registration in this year.
pub fn generate_vehicle(
    dice: &mut SeededDice,
    number: VehicleNumber,
    owner: Nature,
    year: i32,
) -> VehicleDetails {
    let shares = if owner == Nature::Legal { COMPANY_SHARES } else { SHARES };
    let kind = dice.pick_share(shares);
    let (_, category) = VEHICLE_TYPES[kind];
    let (place, model) = pick_model(dice, kind, year);
    let (first, last) = (model.years.0.max(year - 18), model.years.1.min(year));
    // The maximum of two rolls makes newer vehicles more common.
    let span = (last - first + 1).unsigned_abs();
    let built = first + dice.roll_range(0..span).max(dice.roll_range(0..span)) as i32;
    let model_year = built + i32::from(dice.roll_percent(45));
    let has_plate = category != VehicleCategory::Bicycle && !(built == year && dice.roll_percent(20));
    let (old_form, chassis) = (dice.roll_percent(92), number.chassis(dice, model_year));
    let worth = compute_worth(dice, model, year - built);
    let code = kind * 100 + place;
    VehicleDetails {
        plate: has_plate.then(|| number.plate(old_form)),
        chassis: Some(chassis),
        renavam: (category != VehicleCategory::Bicycle).then(|| number.renavam()),
        brand: Some(model.brand.to_owned()),
        model: Some(model.name.to_owned()),
        built: Some(built),
        model_year: Some(model_year),
        colour: Some(dice.pick_skewed(COLOURS).to_owned()),
        fuel: model.fuel,
        category: Some(category),
        kind: Some(VehicleTypeCode::new(kind as i32 + 1)),
        doors: model.doors,
        worth: Money::from_cents(worth),
        protected: Money::from_cents(worth / 100 * i64::from(dice.roll_range(90..101))),
        participation: Money::from_cents((worth / 100 * i64::from(dice.roll_range(4..7))).max(50_000)),
        // No real FIPE code is in this range.
        fipe: dice.roll_percent(70).then(|| format!("{:06}-{}", 900_000 + code, code % 10)),
    }
}

/// A model that was already built in that year, with its index in the list of its type.
fn pick_model(dice: &mut SeededDice, kind: usize, year: i32) -> (usize, &'static SampleVehicleModel) {
    let place = dice.pick_skewed_index(MODELS[kind].len());
    let place = if MODELS[kind][place].years.0 <= year { place } else { 0 };
    (place, &MODELS[kind][place])
}

/// In cents, rounded to ten reais.
fn compute_worth(dice: &mut SeededDice, model: &SampleVehicleModel, age: i32) -> i64 {
    let left = (100 - 6 * i64::from(age)).max(25);
    model.price * left * i64::from(dice.roll_range(94..107)) * 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_models_and_an_old_one() {
        assert_eq!(MODELS.len(), VEHICLE_TYPES.len());
        for shares in [SHARES, COMPANY_SHARES] {
            assert_eq!(shares.iter().sum::<u32>(), 100);
        }
        for models in MODELS {
            assert!(models[0].years.0 <= 2014);
            assert!(models.iter().all(|model| model.years.0 < model.years.1));
        }
    }

    #[test]
    fn everything_about_a_vehicle_fits_together() {
        for member in 1..=4_000 {
            let (mut dice, year) = (SeededDice::new(3, u64::from(member)), 2016 + (member % 11) as i32);
            let owner = Nature::ALL[(member % 2) as usize];
            let found = generate_vehicle(&mut dice, VehicleNumber::new(3, member, 0), owner, year);
            let (built, kind) = (found.built.unwrap(), found.kind.unwrap().get() as usize - 1);
            assert!((year - 18..=year).contains(&built), "{found:?}");
            assert!((built..=built + 1).contains(&found.model_year.unwrap()));
            assert_eq!(found.category, Some(VEHICLE_TYPES[kind].1));
            let of_type = MODELS[kind].iter().find(|model| Some(model.name) == found.model.as_deref());
            assert!((of_type.unwrap().years.0..=of_type.unwrap().years.1).contains(&built), "{found:?}");
            let (worth, protected) = (found.worth.unwrap(), found.protected.unwrap());
            assert!((100_000..100_000_000).contains(&worth.cents()), "{found:?}");
            assert!(protected <= worth && found.participation.unwrap() < protected, "{found:?}");
        }
    }
}
