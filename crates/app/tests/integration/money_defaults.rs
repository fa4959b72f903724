//! The registers of money that an association is born with are those that migrations 25 and 26 give to older ones.

use domain::TenantId;
use storage::{Error, WriteLane, sql};
use testkit::{World, both_engines};

const MIGRATIONS: [&str; 2] = [
    include_str!("../../../storage/migrations/0025_money.sql"),
    include_str!("../../../storage/migrations/0026_prices.sql"),
];

/// In the order in which they can be emptied.
const TABLES: [&str; 8] = [
    "charging_rules",
    "settlement_types",
    "money_accounts",
    "payment_forms",
    "title_types",
    "late_charge_rules",
    "charge_items",
    "protection_groups",
];

async fn dump_registers(world: &World) -> String {
    let mut all = testkit::dump_table(world.db(), "counters").await;
    for table in TABLES {
        all.push_str(&testkit::dump_table(world.db(), table).await);
    }
    all
}

#[both_engines]
async fn an_older_association_gets_the_registers_of_money_that_a_new_one_has(world: World) {
    let born = dump_registers(&world).await;
    assert!(born.contains("Grupo geral") && born.contains("Transferência"), "{born}");
    let counters = "DELETE FROM counters WHERE kind IN ('protection_group', 'charge_item', 'late_charge_rule', 'title_type',
         'payment_form', 'money_account', 'settlement_type', 'charging_rule')";
    let mut statements = vec![sql(counters)];
    statements.extend(TABLES.map(|table| sql("DELETE FROM").append_text(table)));
    for migration in MIGRATIONS {
        let (_, inserts) = migration.split_once("-- Every association gets").unwrap();
        let (_, inserts) = inserts.split_once('\n').unwrap();
        statements.extend(inserts.split(';').map(str::trim).filter(|one| !one.is_empty()).map(sql));
    }
    let unit = world.db().write(WriteLane::foreground(TenantId::SERVER), statements, |tx, statements| {
        Box::pin(tx.execute_batch(statements.clone()))
    });
    let done: Result<(), Error> = unit.await;
    done.unwrap();
    assert_eq!(dump_registers(&world).await, born);
}

/// The situations of a new association are charged as those of one that was upgraded.
#[both_engines]
async fn an_older_association_charges_the_situations_that_a_new_one_does(world: World) {
    let born = testkit::dump_table(world.db(), "situations").await;
    let (_, update) = MIGRATIONS[1].split_once("UPDATE situations").unwrap();
    let (update, _) = update.split_once(';').unwrap();
    let statements = vec![
        sql("UPDATE situations SET is_charged = FALSE"),
        sql("UPDATE situations").append_text(update.trim()),
    ];
    let unit = world.db().write(WriteLane::foreground(TenantId::SERVER), statements, |tx, statements| {
        Box::pin(tx.execute_batch(statements.clone()))
    });
    let done: Result<(), Error> = unit.await;
    done.unwrap();
    assert_eq!(testkit::dump_table(world.db(), "situations").await, born);
}
