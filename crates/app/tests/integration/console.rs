//! What the console asks of the business beyond the interface: filters that people keep, counts by month, the one search.

use app::access;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::members::dependents;
use app::members::saved_filters::{self, FilterDraft, FilterableList};
use app::members::search::{self, BenefitListFilter, BenefitMovement};
use app::session::Session;
use app::{App, Error, benefits};
use app::{panel, quick_search};
use domain::{BenefitCode, BranchCode, Entity, FilterCode, Rejection, SituationCode, SituationKind};
use std::sync::Arc;
use storage::{DatabaseOptions, QueryWeight, sql};
use testkit::{Database, StillClock, app_on, both_engines, eight_at_once};
use wire::read;

const ADMINISTRATOR: &str = demo::ADMINISTRATOR;
const OPERATOR: &str = "operador@demo.example";

async fn loaded(database: &Database) -> App {
    // A busy machine is not what is tested here.
    let minute = std::time::Duration::from_mins(1);
    let patient =
        DatabaseOptions { unit_timeout: minute, point_timeout: minute, ..DatabaseOptions::default() };
    let app = app_on(database.open_with(&patient).await, Arc::new(StillClock::default()), 1);
    let wanted =
        demo::DemoLoadOptions { members: 600, seed: 7, password: demo::PASSWORD.to_owned(), months: Some(2) };
    demo::load_demo(&app, &wanted, &mut |_| {}).await.unwrap();
    app
}

async fn entered(app: &App, login: &str) -> Arc<Session> {
    let address = "127.0.0.1".parse::<std::net::IpAddr>().unwrap().into();
    let token = access::log_in_program(app, login, demo::PASSWORD, address).await.unwrap().token;
    app::session::load_session(app, &token).await.unwrap()
}

fn now<T>(done: Result<WriteOutcome<T>, Error>) -> T {
    done.and_then(WriteOutcome::into_fresh).unwrap()
}

fn named(name: &str, is_shared: bool) -> FilterDraft {
    FilterDraft { name: name.to_owned(), query: "uf=SP".to_owned(), is_shared }
}

async fn move_to(app: &App, caller: &Session, benefit: BenefitCode, to: SituationCode) {
    let input = format!("{{\"codSituacao\": {to}, \"motivo\": \"teste\"}}");
    let input = read::read_body(input.as_bytes()).unwrap();
    now(benefits::change_benefit_situation(app, caller, benefit, input, IdempotentWrite::without_key()).await);
}

fn default(registers: &app::register_snapshot::TenantRegisters, kind: SituationKind) -> SituationCode {
    registers.default_situation(Entity::Benefit, kind).unwrap().code
}

#[both_engines]
async fn a_filter_is_its_owners_and_of_whom_he_shares_it_with(database: Database) {
    let app = loaded(&database).await;
    let (admin, operator) = (entered(&app, ADMINISTRATOR).await, entered(&app, OPERATOR).await);
    let own = saved_filters::save_filter(&app, &operator, FilterableList::Members, named("Meus", false))
        .await
        .unwrap();
    let shared =
        saved_filters::save_filter(&app, &operator, FilterableList::Members, named("De todos", true))
            .await
            .unwrap();
    saved_filters::save_filter(&app, &operator, FilterableList::Benefits, named("Outra lista", true))
        .await
        .unwrap();
    // The same name, whatever its case, is the same filter.
    assert_eq!(
        saved_filters::save_filter(&app, &operator, FilterableList::Members, named("MEUS", false))
            .await
            .unwrap(),
        own
    );
    let seen = |all: Vec<saved_filters::SavedFilter>| all.into_iter().map(|one| one.code).collect::<Vec<_>>();
    assert_eq!(
        seen(saved_filters::list_filters(&app, &operator, FilterableList::Members).await.unwrap()),
        [own, shared]
    );
    assert_eq!(
        seen(saved_filters::list_filters(&app, &admin, FilterableList::Members).await.unwrap()),
        [shared]
    );
    // What is not shared is nobody else's business, and what is, an administrator's too.
    let gone = |result: Result<_, Error>| matches!(result, Err(Error::NotFound { .. }));
    assert!(gone(saved_filters::change_filter(&app, &admin, own, ("Meu", false)).await));
    assert!(gone(saved_filters::delete_filter(&app, &operator, FilterCode::new(99)).await));
    let renamed = saved_filters::change_filter(&app, &admin, shared, ("Novo nome", true)).await.unwrap();
    assert_eq!((renamed.name.as_str(), renamed.owner), ("Novo nome", operator.user));
    let admins = saved_filters::save_filter(&app, &admin, FilterableList::Members, named("Do chefe", true))
        .await
        .unwrap();
    assert!(gone(saved_filters::delete_filter(&app, &operator, admins).await));
    assert_eq!(saved_filters::delete_filter(&app, &operator, own).await.unwrap().name, "MEUS");
    assert_eq!(
        seen(saved_filters::list_filters(&app, &operator, FilterableList::Members).await.unwrap()),
        [shared, admins]
    );
    assert!(
        saved_filters::save_filter(&app, &operator, FilterableList::Members, named("  ", false))
            .await
            .is_err()
    );
    assert!(
        saved_filters::save_filter(&app, &operator, FilterableList::Members, named(&"n".repeat(61), false))
            .await
            .is_err()
    );
}

#[both_engines]
async fn eight_at_once_keep_as_many_filters_as_there_may_be(database: Database) {
    let app = loaded(&database).await;
    let operator = entered(&app, OPERATOR).await;
    for number in 0..28 {
        saved_filters::save_filter(
            &app,
            &operator,
            FilterableList::Members,
            named(&format!("f{number}"), false),
        )
        .await
        .unwrap();
    }
    let kept = eight_at_once(|number| {
        let (app, operator) = (app.clone(), Arc::clone(&operator));
        async move {
            saved_filters::save_filter(
                &app,
                &operator,
                FilterableList::Members,
                named(&format!("g{number}"), false),
            )
            .await
        }
    })
    .await;
    assert_eq!(kept.iter().filter(|one| one.is_ok()).count(), 2);
    for refused in kept.into_iter().filter_map(Result::err) {
        let Error::Refused(problems) = refused else { panic!("{refused:?}") };
        assert_eq!(problems, [Rejection::TooManyFilters { most: 30 }]);
    }
}

#[both_engines]
async fn columns_are_remembered_by_user_and_list(database: Database) {
    let app = loaded(&database).await;
    let (admin, operator) = (entered(&app, ADMINISTRATOR).await, entered(&app, OPERATOR).await);
    let chosen = vec!["email".to_owned(), "loja".to_owned()];
    saved_filters::save_chosen_columns(&app, &operator, FilterableList::Members, vec!["loja".to_owned()])
        .await
        .unwrap();
    saved_filters::save_chosen_columns(&app, &operator, FilterableList::Members, chosen.clone())
        .await
        .unwrap();
    assert_eq!(
        saved_filters::read_chosen_columns(&app, &operator, FilterableList::Members).await.unwrap(),
        Some(chosen)
    );
    assert_eq!(
        saved_filters::read_chosen_columns(&app, &operator, FilterableList::Benefits).await.unwrap(),
        None
    );
    assert_eq!(
        saved_filters::read_chosen_columns(&app, &admin, FilterableList::Members).await.unwrap(),
        None
    );
    saved_filters::save_chosen_columns(&app, &operator, FilterableList::Benefits, Vec::new()).await.unwrap();
    assert_eq!(
        saved_filters::read_chosen_columns(&app, &operator, FilterableList::Benefits).await.unwrap(),
        Some(Vec::new())
    );
}

/// Months as they are kept, beside the same counted row by row.
async fn months_agree(app: &App) {
    let counted = "SELECT 1 AS turn, SUBSTR(registered_on, 1, 7) AS month, branch, COUNT(*) AS rows FROM listing
             WHERE benefit IS NOT NULL GROUP BY SUBSTR(registered_on, 1, 7), branch
         UNION ALL SELECT 2 AS turn, SUBSTR(cancelled_on, 1, 7) AS month, branch, COUNT(*) AS rows FROM benefits
             WHERE cancelled_on IS NOT NULL GROUP BY SUBSTR(cancelled_on, 1, 7), branch
         ORDER BY turn, month, branch";
    let kept =
        "SELECT turn, month, branch, rows FROM monthly_tally WHERE rows <> 0 ORDER BY turn, month, branch";
    let mut both = Vec::new();
    for text in [counted, kept] {
        let rows = app.db.query(QueryWeight::Search, sql(text)).await.unwrap();
        let row = |row: &storage::Row| -> (i64, String, i64, i64) {
            (
                row.get("turn").unwrap(),
                row.get("month").unwrap(),
                row.get("branch").unwrap(),
                row.get("rows").unwrap(),
            )
        };
        both.push(rows.iter().map(row).collect::<Vec<_>>());
    }
    assert!(!both[0].is_empty());
    assert_eq!(both[0], both[1]);
}

#[both_engines]
async fn months_count_what_was_registered_and_what_is_cancelled(database: Database) {
    let app = loaded(&database).await;
    let (admin, operator) = (entered(&app, ADMINISTRATOR).await, entered(&app, OPERATOR).await);
    months_agree(&app).await;
    let active = BenefitListFilter { month: None, branch: None, situation: None };
    let registers = app::register_snapshot::load_registers(&app, admin.scope.tenant()).await.unwrap();
    let situations = [SituationKind::Active, SituationKind::Cancelled].map(|kind| default(&registers, kind));
    let part = BenefitListFilter { situation: Some(situations[0]), ..active };
    let benefit = search::list_filtered_benefits(&app, &admin, part, 1).await.unwrap().rows[0].clone();
    let present =
        async || panel::read_benefit_figures(&app, &admin).await.unwrap().months.last().unwrap().clone();
    let before = present().await;
    move_to(&app, &admin, benefit.code, situations[1]).await;
    months_agree(&app).await;
    assert_eq!(present().await.cancelled, before.cancelled + 1);
    // In another branch it is counted there; and where it is taken back, nowhere.
    let other = if benefit.benefit.branch.get() == 1 { 2 } else { 1 };
    let view = benefits::read_full_benefit(&app, &admin, benefit.code).await.unwrap();
    let input = format!("{{\"codLoja\": {other}, \"versao\": {}}}", view.benefit.version);
    let input = read::read_body(input.as_bytes()).unwrap();
    now(benefits::change_benefit(&app, &admin, benefit.code, input, IdempotentWrite::without_key()).await);
    months_agree(&app).await;
    move_to(&app, &admin, benefit.code, situations[0]).await;
    months_agree(&app).await;
    assert_eq!(present().await, before);
    // Whoever sees one branch sees the months of that branch, and their rows are as many as were counted.
    for caller in [&admin, &operator] {
        for month in panel::read_benefit_figures(&app, caller).await.unwrap().months {
            for (turn, count) in [
                (BenefitMovement::Registered, month.registered),
                (BenefitMovement::Cancelled, month.cancelled),
            ] {
                let part = BenefitListFilter {
                    month: Some((turn, month.month.clone())),
                    ..BenefitListFilter::default()
                };
                let page = search::list_filtered_benefits(&app, caller, part, 1).await.unwrap();
                assert_eq!((page.total, page.rows.len() as i64), (count, count.min(100)), "{month:?}");
            }
        }
    }
}

#[both_engines]
async fn whoever_reads_a_whole_list_misses_none_that_stays_while_others_go(database: Database) {
    let app = loaded(&database).await;
    let (admin, operator) = (entered(&app, ADMINISTRATOR).await, entered(&app, OPERATOR).await);
    let registers = app::register_snapshot::load_registers(&app, admin.scope.tenant()).await.unwrap();
    let [active, cancelled] =
        [SituationKind::Active, SituationKind::Cancelled].map(|kind| default(&registers, kind));
    let everything = BenefitListFilter { month: None, branch: None, situation: None };
    let in_use = BenefitListFilter { situation: Some(active), ..everything.clone() };
    let members =
        || read::read_query([("situacaoBeneficio".to_owned(), "ATIVO".to_owned())].into_iter()).unwrap();
    for caller in [&operator, &admin] {
        let mut wanted = Vec::new();
        for number in 1.. {
            let page = search::list_filtered_benefits(&app, caller, in_use.clone(), number).await.unwrap();
            wanted.extend(page.rows.iter().map(|row| row.code));
            if wanted.len() as i64 >= page.total {
                break;
            }
        }
        let (mut parts, mut rows, mut after) = (Vec::new(), Vec::new(), (Some(0), Some(0)));
        while after != (None, None) {
            if let Some(place) = after.0 {
                let read = search::list_benefits_after(
                    &app,
                    caller,
                    &in_use,
                    place,
                    domain::AuditedOperation::ExportList,
                )
                .await
                .unwrap();
                parts.extend(read.rows.iter().map(|row| row.code));
                after.0 = read.next;
            }
            if let Some(place) = after.1 {
                let read = search::list_members_after(
                    &app,
                    caller,
                    members(),
                    place,
                    domain::AuditedOperation::ExportList,
                )
                .await
                .unwrap();
                rows.extend(read.rows.iter().map(|row| row.benefit.as_ref().unwrap().code));
                after.1 = read.next;
            }
            // Some that were read go: by their number, the next page would begin so many further on.
            for code in wanted.drain(..3.min(wanted.len())) {
                move_to(&app, caller, code, cancelled).await;
            }
        }
        assert!(parts.len() > 100 || Arc::ptr_eq(caller, &operator), "more than a page: {}", parts.len());
        for stays in &wanted {
            assert!(parts.contains(stays) && rows.contains(stays), "{stays}");
        }
        let mut once = parts.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), parts.len(), "nor any twice");
        // All of them, in the order of their codes.
        let (mut all, mut after) = (Vec::new(), Some(0));
        while let Some(place) = after {
            let read = search::list_benefits_after(
                &app,
                caller,
                &everything,
                place,
                domain::AuditedOperation::ExportList,
            )
            .await
            .unwrap();
            all.extend(read.rows.iter().map(|row| row.code));
            after = read.next;
        }
        assert!(all.is_sorted());
        assert_eq!(all.len() as i64, search::list_benefits(&app, caller, 1).await.unwrap().total);
    }
}

#[both_engines]
async fn a_part_of_the_list_is_what_the_caller_sees_of_it(database: Database) {
    let app = loaded(&database).await;
    let (admin, operator) = (entered(&app, ADMINISTRATOR).await, entered(&app, OPERATOR).await);
    let figures = panel::read_benefit_figures(&app, &admin).await.unwrap();
    for (situation, count) in &figures.by_situation {
        let part = BenefitListFilter { situation: Some(*situation), ..BenefitListFilter::default() };
        let page = search::list_filtered_benefits(&app, &admin, part, 1).await.unwrap();
        assert_eq!((page.total, page.rows.len() as i64), (*count, (*count).min(100)));
        assert!(page.rows.iter().all(|row| row.benefit.situation == *situation));
    }
    for (branch, count) in &figures.by_branch {
        let part = BenefitListFilter { branch: Some(*branch), ..BenefitListFilter::default() };
        let page = search::list_filtered_benefits(&app, &admin, part.clone(), 1).await.unwrap();
        assert_eq!(page.total, *count);
        let seen = search::list_filtered_benefits(&app, &operator, part, 1).await.unwrap().total;
        assert_eq!(seen, if operator.scope.can_see(*branch) { *count } else { 0 });
    }
    let nowhere = BenefitListFilter { branch: Some(BranchCode::new(999)), ..BenefitListFilter::default() };
    assert_eq!(search::list_filtered_benefits(&app, &admin, nowhere, 1).await.unwrap().total, 0);
}

#[both_engines]
async fn what_waits_is_counted_for_each_as_far_as_he_sees(database: Database) {
    let app = loaded(&database).await;
    let (admin, operator) = (entered(&app, ADMINISTRATOR).await, entered(&app, OPERATOR).await);
    let (all, some) = (
        panel::read_pending_work(&app, &admin).await.unwrap(),
        panel::read_pending_work(&app, &operator).await.unwrap(),
    );
    let claims = |work: &panel::PendingWork| work.claims.iter().flat_map(|(_, ages)| *ages).sum::<i64>();
    let deals = |work: &panel::PendingWork| work.deals.iter().map(|(_, count)| count).sum::<i64>();
    let counted = async |caller: &Session, text: &'static str| -> i64 {
        let rows = app.db.query(QueryWeight::Search, sql(text)).await.unwrap();
        let own = rows.iter().filter(|row| caller.scope.can_see(row.get("branch").unwrap()));
        own.map(|row| row.get::<i64>("it").unwrap()).sum()
    };
    let open_claims = "SELECT branch, COUNT(*) AS it FROM claims WHERE closed_at IS NULL GROUP BY branch";
    let open_deals = "SELECT branch, COUNT(*) AS it FROM deals WHERE situation = 1 GROUP BY branch";
    for (caller, work) in [(&admin, &all), (&operator, &some)] {
        assert_eq!(claims(work), counted(caller, open_claims).await);
        assert_eq!(deals(work), counted(caller, open_deals).await);
    }
    assert!(claims(&all) + deals(&all) > 0);
    let late = app::cases::list_overdue_cases(&app, &admin, 1).await.unwrap().total;
    assert_eq!(all.late.iter().map(|(_, count)| count).sum::<i64>(), late);
    assert!(some.receivers.is_empty() && some.failed_mails == 0);
}

#[both_engines]
async fn one_search_understands_what_people_type(database: Database) {
    let app = loaded(&database).await;
    let admin = entered(&app, ADMINISTRATOR).await;
    let people = async |text: &str| {
        let found = quick_search::search_everything(&app, &admin, text).await.unwrap();
        found.rows.iter().map(|row| row.person.code).collect::<std::collections::BTreeSet<_>>()
    };
    let one = app.db.query(
        QueryWeight::Search,
        sql("SELECT person, number FROM phones WHERE tenant = 1 ORDER BY person, position LIMIT 1"),
    );
    let one = one.await.unwrap();
    let (person, number): (i32, String) = (one[0].get("person").unwrap(), one[0].get("number").unwrap());
    let person = domain::PersonCode::new(person);
    assert!(people(&number).await.contains(&person));
    assert!(people(&number[2..]).await.contains(&person), "without its area code");
    let one = sql("SELECT d.card, d.cpf, b.person FROM dependents d JOIN benefits b ON b.tenant = d.tenant
         AND b.code = d.benefit WHERE d.cpf IS NOT NULL AND d.card IS NOT NULL ORDER BY d.code LIMIT 1");
    let one = app.db.query(QueryWeight::Search, one).await.unwrap();
    let holder = domain::PersonCode::new(one[0].get("person").unwrap());
    let card: String = one[0].get("card").unwrap();
    let cpf: String = one[0].get("cpf").unwrap();
    let grouped = format!("{} {} {}", &card[..4], &card[4..8], &card[8..]);
    for text in [&card, &grouped, &cpf] {
        assert!(people(text).await.contains(&holder), "the dependent's {text}");
    }
    let found = quick_search::search_everything(&app, &admin, "7").await.unwrap();
    let kinds: std::collections::BTreeSet<_> =
        found.cases.iter().map(|one| format!("{:?}", one.case.kind())).collect();
    assert_eq!(kinds.len(), 4, "{kinds:?}");
    assert!(found.cases.iter().all(|one| one.case.head().protocol == 7));
    assert!(!found.rows.is_empty(), "the benefit number 7");
}

#[both_engines]
async fn a_dependent_is_not_overwritten_by_who_saw_an_older_benefit(database: Database) {
    let app = loaded(&database).await;
    let admin = entered(&app, ADMINISTRATOR).await;
    let one = sql("SELECT d.code, d.benefit FROM dependents d JOIN benefits b ON b.tenant = d.tenant AND b.code = d.benefit
         WHERE d.active AND b.cancelled_on IS NULL ORDER BY d.code LIMIT 1");
    let one = app.db.query(QueryWeight::Search, one).await.unwrap();
    let (code, benefit): (i32, i32) = (one[0].get("code").unwrap(), one[0].get("benefit").unwrap());
    let seen =
        benefits::read_full_benefit(&app, &admin, BenefitCode::new(benefit)).await.unwrap().benefit.version;
    let input = |name: &str| {
        let text = format!(
            "{{\"codBeneficio\": {benefit}, \"codDependente\": {code}, \"nome\": \"{name}\", \"parentesco\": \"FILHO\"}}"
        );
        read::read_body(text.as_bytes()).unwrap()
    };
    let first = (input("Primeiro Nome"), Some(seen));
    now(dependents::save_dependent_if_unchanged(&app, &admin, first, IdempotentWrite::without_key()).await);
    let second = (input("Segundo Nome"), Some(seen));
    let Err(Error::Refused(problems)) =
        dependents::save_dependent_if_unchanged(&app, &admin, second, IdempotentWrite::without_key())
            .await
            .map(|_| ())
    else {
        panic!("an old version is refused")
    };
    let [Rejection::OldVersion { requested_version, current_version, fields, .. }] = &problems[..] else {
        panic!("{problems:?}")
    };
    assert_eq!((*requested_version, *current_version), (seen, seen + 1));
    let name = fields.iter().find(|one| one.field == "nome").unwrap();
    assert_eq!((name.sent.as_deref(), name.now.as_deref()), (Some("Segundo Nome"), Some("Primeiro Nome")));
    // Whoever says nothing of what he saw overwrites, as programs do.
    now(dependents::save_dependent(&app, &admin, input("Terceiro Nome"), IdempotentWrite::without_key())
        .await);
}
