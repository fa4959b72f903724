//! Tenants and users: what is refused, who sees whom, and eight callers at once on every write.

use app::access::users::{self, InitialPassword, NewUserInput};
use app::tenants::{self, NewTenantInput};
use app::{App, Error};
use domain::{
    BranchCode, DisplayName, Email, InputField, MoneyRights, Password, Rejection, Role, Scope, TenantId,
};
use testkit::{World, both_engines, eight_at_once};

fn tenant(name: &str) -> NewTenantInput {
    NewTenantInput {
        name: name.to_owned(),
        branch: "Matriz".to_owned(),
        time_zone: "America/Sao_Paulo".to_owned(),
        hosts: Vec::new(),
        make_default: false,
    }
}

fn user(tenant: TenantId, email: &str) -> NewUserInput {
    NewUserInput {
        tenant,
        name: DisplayName::parse(InputField::Name, "Ana Prova").unwrap(),
        email: Email::parse(email).unwrap(),
        role: Role::Operator,
        branches: vec![BranchCode::new(2)],
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password: InitialPassword::Chosen(Password::parse("uma senha longa").unwrap()),
    }
}

const GOOD_TOKENS: &str = "SELECT k.hash FROM tokens k
    JOIN users u ON u.tenant = k.tenant AND u.code = k.user_code AND u.generation = k.generation";

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<Rejection> {
    match result {
        Err(Error::Refused(problems)) => problems,
        other => panic!("not refused: {other:?}"),
    }
}

#[both_engines]
async fn a_caller_sees_the_users_of_his_branches_and_nobody_else(world: World) {
    let seen = users::list_users(world.app(), &world.operator.scope()).await.unwrap();
    assert_eq!(
        seen.iter().map(|user| user.code).collect::<Vec<_>>(),
        [world.operator.code, world.integration.code]
    );
    let all = users::list_users(world.app(), &world.administrator.scope()).await.unwrap();
    assert_eq!(all.len(), 53);
    assert!(all.iter().all(|user| user.email.ends_with("@aqui.example")));
    let nobody = Scope::for_role(world.here, Role::Integration, []);
    assert!(users::list_users(world.app(), &nobody).await.unwrap().is_empty());
}

#[both_engines]
async fn a_user_needs_branches_and_all_unknown_ones_are_named(world: World) {
    let nowhere = NewUserInput { branches: Vec::new(), ..user(world.here, "a@b.example") };
    assert_eq!(refused(users::create_user(world.app(), nowhere).await), [Rejection::NoBranch]);
    let branches = [9, 2, 8].map(BranchCode::new).to_vec();
    let elsewhere = NewUserInput { branches, ..user(world.here, "a@b.example") };
    let problems = refused(users::create_user(world.app(), elsewhere).await);
    assert_eq!(problems, [8, 9].map(|code| Rejection::UnknownBranch(BranchCode::new(code))));
}

#[both_engines]
async fn eight_at_once_with_one_address_make_one_user(world: World) {
    let created = eight_at_once(|number| {
        let app = world.app().clone();
        let tenant = if number % 2 == 0 { world.here } else { world.there };
        async move { users::create_user(&app, user(tenant, "Unica@Prova.example")).await }
    })
    .await;
    assert_eq!(created.iter().filter(|result| result.is_ok()).count(), 1);
    for failed in created.into_iter().filter(Result::is_err) {
        assert_eq!(refused(failed), [Rejection::EmailTaken("unica@prova.example".to_owned())]);
    }
}

#[both_engines]
async fn eight_users_at_once_get_eight_codes(world: World) {
    let created =
        eight_at_once(|number| {
            let (app, tenant) = (world.app().clone(), world.here);
            async move {
                users::create_user(&app, user(tenant, &format!("p{number}@prova.example"))).await.unwrap()
            }
        })
        .await;
    let mut codes: Vec<i32> = created.into_iter().map(|user| user.code.get()).collect();
    codes.sort_unstable();
    assert_eq!(codes, (54..=61).collect::<Vec<_>>());
}

#[both_engines]
async fn eight_tenants_at_once_are_eight_and_one_default_stays(world: World) {
    let created = eight_at_once(|number| {
        let app = world.app().clone();
        async move { tenants::create_tenant(&app, &tenant(&format!("Base {number}"))).await.unwrap() }
    })
    .await;
    let mut ids: Vec<i32> = created.iter().map(|created| created.tenant.get()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (3..=10).collect::<Vec<_>>());
    assert!(created.iter().all(|created| !created.is_default && created.branch == BranchCode::new(1)));
    assert_eq!(tenants::find_default_tenant(world.db()).await.unwrap(), Some(world.here));
}

#[both_engines]
async fn a_host_belongs_to_one_tenant(world: World) {
    let hosted = NewTenantInput { hosts: vec!["App.Prova.example".to_owned()], ..tenant("Com host") };
    let created = eight_at_once(|_| {
        let (app, hosted) = (world.app().clone(), hosted.clone());
        async move { tenants::create_tenant(&app, &hosted).await }
    })
    .await;
    assert_eq!(created.iter().filter(|result| result.is_ok()).count(), 1);
    for failed in created.into_iter().filter(Result::is_err) {
        assert_eq!(refused(failed), [Rejection::HostTaken("app.prova.example".to_owned())]);
    }
}

#[both_engines]
async fn the_last_administrator_stays_however_many_try(world: World) {
    let second = NewUserInput {
        role: Role::Administrator,
        branches: Vec::new(),
        ..user(world.here, "segundo@aqui.example")
    };
    users::create_user(world.app(), second).await.unwrap();
    let results = eight_at_once(|number| {
        let (app, tenant) = (world.app().clone(), world.here);
        let email = if number % 2 == 0 { "admin@aqui.example" } else { "segundo@aqui.example" };
        async move { users::disable_user(&app, tenant, email).await }
    })
    .await;
    assert!(results.iter().any(Result::is_ok));
    let left = users::list_users(world.app(), &world.administrator.scope()).await.unwrap();
    let active = left.iter().filter(|user| user.role == Role::Administrator && user.active).count();
    assert_eq!(active, 1);
}

#[both_engines]
async fn a_user_of_another_tenant_answers_like_one_who_is_not_there(world: World) {
    let app: &App = world.app();
    for email in [world.stranger.email.as_str(), "ninguem@aqui.example"] {
        let unknown = [Rejection::UnknownUser(email.to_owned())];
        assert_eq!(refused(users::disable_user(app, world.here, email).await), unknown);
        assert_eq!(refused(users::reset_password(app, world.here, email, "uma senha longa").await), unknown);
    }
}

#[both_engines]
async fn disabling_and_resetting_end_the_sessions_and_may_be_repeated(world: World) {
    let tokens = || async { world.db().query(storage::QueryWeight::Point, storage::sql(GOOD_TOKENS)).await };
    for (number, act) in ["end", "reset", "disable", "disable"].into_iter().enumerate() {
        insert_token(&world, &number.to_string()).await;
        assert_eq!(tokens().await.unwrap().len(), 1, "{act}");
        let (app, email) = (world.app(), world.operator.email.as_str());
        match act {
            "reset" => users::reset_password(app, world.here, email, "outra senha longa").await.unwrap(),
            "end" => users::end_sessions_by_email(app, world.here, email).await.unwrap(),
            _ => users::disable_user(app, world.here, email).await.unwrap(),
        }
        assert!(tokens().await.unwrap().is_empty(), "{act}");
    }
    let eight = eight_at_once(|number| {
        let (app, tenant, email) = (world.app().clone(), world.here, world.operator.email.clone());
        async move { users::reset_password(&app, tenant, &email, &format!("senha número {number}")).await }
    });
    assert!(eight.await.iter().all(Result::is_ok));
}

async fn insert_token(world: &World, name: &str) {
    let input = (world.here, world.operator.code, name.as_bytes().to_vec());
    let unit =
        world.db().write(storage::WriteLane::foreground(world.here), input, |tx, (tenant, user, hash)| {
            let insert = storage::sql(
                "INSERT INTO tokens (tenant, hash, user_code, generation, created_at, expires_at)
             SELECT tenant, $3, code, generation, 0, 0 FROM users WHERE tenant = $1 AND code = $2",
            )
            .arg(*tenant)
            .arg(*user)
            .arg(&hash[..]);
            Box::pin(tx.execute(insert))
        });
    unit.await.unwrap();
}

#[both_engines]
async fn a_command_without_a_tenant_means_the_default(world: World) {
    assert_eq!(tenants::resolve_tenant(world.app(), None).await.unwrap().id, world.here);
    assert_eq!(tenants::resolve_tenant(world.app(), Some(world.there)).await.unwrap().id, world.there);
    let unknown = TenantId::new(99);
    assert_eq!(
        refused(tenants::resolve_tenant(world.app(), Some(unknown)).await),
        [Rejection::UnknownTenant(unknown)]
    );
}
