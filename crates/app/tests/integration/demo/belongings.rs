//! What hangs on the members of a demonstration and on their vehicles, as it is kept: credit cards and equipment.

use super::{HERE, column, fresh, load};
use demo::SampleGenerator;
use domain::{BenefitCode, PersonCode};
use testkit::{Database, both_engines};

#[both_engines]
async fn the_credit_cards_of_a_demo_belong_to_its_members(database: Database) {
    let app = fresh(&database).await;
    load(&app, 1_500, 3).await;
    let db = &app.db;
    let crowd = SampleGenerator::new(3, 1_500);
    for number in [1, 2, 700, 1_500] {
        let kept =
            storage::members::credit_cards::list_credit_cards(db, HERE, PersonCode::new(number as i32))
                .await
                .unwrap();
        let made = crowd.generate_member(number).credit_cards;
        let shown = |card: &domain::CreditCard| (card.holder.clone(), card.last_digits.clone());
        assert_eq!(
            kept.iter().map(shown).collect::<Vec<_>>(),
            made.iter().map(|new| shown(&new.card)).collect::<Vec<_>>()
        );
    }
    let count = column::<i64>(db, "SELECT COUNT(*) AS it FROM credit_cards").await[0];
    assert!((450..700).contains(&count), "{count}");
    for (text, expected) in [
        ("SELECT last AS it FROM counters WHERE kind = 'credit_card'", count),
        ("SELECT COUNT(DISTINCT code) AS it FROM credit_cards", count),
        // Nobody is charged by two at once, nor by one that is no longer good.
        (
            "SELECT COUNT(*) AS it FROM (SELECT person FROM credit_cards WHERE is_main GROUP BY person
             HAVING COUNT(*) > 1) AS twice",
            0,
        ),
        ("SELECT COUNT(*) AS it FROM credit_cards WHERE is_main AND NOT active", 0),
        ("SELECT COUNT(*) AS it FROM credit_cards WHERE LENGTH(last_digits) <> 4", 0),
    ] {
        assert_eq!(column::<i64>(db, text).await, [expected], "{text}");
    }
}

#[both_engines]
async fn the_equipment_of_a_demo_stands_on_vehicles_and_comes_from_suppliers_of_trackers(database: Database) {
    let app = fresh(&database).await;
    load(&app, 1_500, 3).await;
    let db = &app.db;
    let first =
        storage::benefits::installations::list_installations(db, HERE, BenefitCode::new(1)).await.unwrap();
    let made = SampleGenerator::new(3, 1_500).generate_member(1).benefits.remove(0).equipment;
    assert_eq!(first.len(), made.len());
    assert!(first.len() >= 2 && first.iter().all(|(_, supplier)| supplier.is_some()), "{first:?}");
    let count = column::<i64>(db, "SELECT COUNT(*) AS it FROM installations").await[0];
    assert!((400..900).contains(&count), "{count}");
    for (text, expected) in [
        ("SELECT last AS it FROM counters WHERE kind = 'installation'", count),
        ("SELECT COUNT(DISTINCT code) AS it FROM installations", count),
        ("SELECT COUNT(DISTINCT supplier) AS it FROM installations", 2),
        ("SELECT last AS it FROM counters WHERE kind = 'tracker'", count),
        ("SELECT COUNT(*) AS it FROM trackers", count),
        // Every one of them is a tracker of the association, as it says itself.
        (
            "SELECT COUNT(*) AS it FROM installations i JOIN trackers t ON t.tenant = i.tenant AND t.code = i.tracker
             WHERE t.serial_number = i.serial_number AND t.imei = i.imei AND t.supplier = i.supplier",
            count,
        ),
        (
            "SELECT COUNT(*) AS it FROM installations i JOIN benefits b ON b.tenant = i.tenant AND b.code = i.benefit
             JOIN suppliers s ON s.tenant = i.tenant AND s.code = i.supplier
             WHERE b.kind = 0 AND s.kind = 'Rastreador' AND i.installed_on >= b.joined_on",
            count,
        ),
        ("SELECT COUNT(*) AS it FROM installations WHERE active AND removed_on IS NOT NULL", 0),
    ] {
        assert_eq!(column::<i64>(db, text).await, [expected], "{text}");
    }
}

#[both_engines]
async fn a_demo_has_doctors_at_its_clinics_and_the_types_that_operations_need(database: Database) {
    let app = fresh(&database).await;
    load(&app, 10, 3).await;
    let registers = app::register_snapshot::load_registers(&app, HERE).await.unwrap();
    assert!(registers.specialties.len() >= 5 && registers.clinics.len() >= 3 && registers.doctors.len() >= 8);
    for doctor in &registers.doctors {
        assert!(registers.specialty(doctor.specialty.unwrap()).is_some(), "{doctor:?}");
        assert!(registers.clinic(doctor.clinic.unwrap()).unwrap().address.city.is_some(), "{doctor:?}");
    }
    assert!(registers.inspection_types.iter().all(|one| !one.checklist.is_empty()));
    assert_eq!(
        (registers.claim_types.len(), registers.inspection_types.len(), registers.ticket_types.len()),
        (5, 3, 5)
    );
}
