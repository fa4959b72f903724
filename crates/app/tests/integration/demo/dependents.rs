//! Who shares the benefits of a demonstration, as it is kept: whatever `POST` would have asked of him.

use super::{HERE, column, fresh, load};
use demo::SampleGenerator;
use domain::{BenefitCode, BenefitKind, Kinship, Scope, split_name_words};
use std::collections::BTreeSet;
use storage::members::dependents;
use testkit::{Database, both_engines};

#[both_engines]
async fn the_dependents_of_a_demo_are_found_and_would_have_been_accepted(database: Database) {
    let app = fresh(&database).await;
    load(&app, 1_200, 3).await;
    let db = &app.db;
    let plans = storage::registers::plans::list_plans(db, HERE).await.unwrap();
    let count = column::<i64>(db, "SELECT COUNT(*) AS it FROM benefits").await[0] as i32;
    let (mut codes, mut kin, mut shared, mut cpfs) = (Vec::new(), BTreeSet::new(), 0, BTreeSet::new());
    for code in (1..=count).map(BenefitCode::new) {
        let benefit =
            storage::benefits::find_benefit(db, &Scope::for_tenant(HERE), code).await.unwrap().unwrap();
        for (own, one) in dependents::list_dependents(db, HERE, code).await.unwrap() {
            assert_eq!((one.benefit, one.created_at), (code, benefit.created_at));
            assert!(one.plans.iter().all(|code| plans.iter().any(|plan| plan.active && plan.code == *code)));
            assert_eq!(
                one.sex.is_none(),
                matches!(one.kinship, Kinship::Dog | Kinship::Cat | Kinship::OtherPet)
            );
            shared += i32::from(one.card == benefit.card);
            assert!(one.card.is_some() && one.cpf.is_none_or(|cpf| cpfs.insert(cpf.as_str().to_owned())));
            kin.insert(one.kinship);
            codes.push(i64::from(own.get()));
            let asked = (Scope::for_tenant(HERE), split_name_words(&one.name));
            let read = db.read(asked, |tx, (scope, words)| {
                Box::pin(dependents::list_dependent_keys_by_name(tx, scope, words))
            });
            let found = read.await.unwrap();
            assert!(found.iter().any(|found| found.code == own), "{}", one.name);
        }
    }
    assert_eq!(codes, (1..=codes.len() as i64).collect::<Vec<_>>());
    assert!(codes.len() > 200 && kin.len() > 6, "{} {kin:?}", codes.len());
    assert!(shared > 50 && shared < codes.len() as i32 - 30, "{shared} of {}", codes.len());
    let last = column::<i64>(db, "SELECT last AS it FROM counters WHERE kind = 'dependent'").await;
    assert_eq!(last, [codes.len() as i64]);
    let members: Vec<String> =
        column(db, "SELECT document AS it FROM people WHERE document IS NOT NULL").await;
    assert!(members.iter().all(|document| !cpfs.contains(document)));
    // Those of the first member are on the first page of every demonstration.
    let family = SampleGenerator::new(3, 1_200).generate_member(1).benefits;
    let family = family.iter().find(|one| one.benefit.kind == BenefitKind::Health).unwrap();
    assert_eq!(family.dependents.len(), 3);
    let several = "SELECT COUNT(*) AS it FROM (SELECT benefit FROM items GROUP BY tenant, benefit HAVING COUNT(*) > 1) AS two";
    assert!(column::<i64>(db, several).await[0] > 100);
    let filled = "SELECT COUNT(*) AS it FROM benefits WHERE field_values IS NOT NULL";
    assert!(column::<i64>(db, filled).await[0] > 100);
}
