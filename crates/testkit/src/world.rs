//! The world that tests start in. It is hostile: a second tenant uses the same codes, the caller works in one branch of
//! three, and whatever he may see is outnumbered fifty to one by what he may not. On a database that several processes
//! may serve there are two, taking turns. What each tenant registered is in `registers.rs`. A test that wants less builds
//! less, by name.

use crate::registers::{HERE, Registers, THERE};
use crate::{Database, Engine, Fixture, SeededChance, StillClock};
use app::tenants::NewTenantInput;
use app::{App, HashCost, PasswordHasher};
use domain::{
    BranchCode, DisplayName, Email, InputField, Moment, MoneyRights, Password, Role, Scope, SellerCode,
    SellerKind, TenantId, UserCode,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use storage::access::users;
use storage::registers::branches;
use storage::registers::sellers::NewSellerRow;
use storage::server::counters::{self, Counter};
use storage::server::versions;
use storage::{Db, Error, QueryWeight, Tx, WriteLane, sql};

/// Somebody who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub tenant: TenantId,
    pub code: UserCode,
    pub email: String,
    pub role: Role,
    pub branches: Vec<BranchCode>,
}

impl Caller {
    pub fn scope(&self) -> Scope {
        Scope::for_role(self.tenant, self.role, self.branches.iter().copied())
    }
}

pub struct World {
    pub clock: Arc<StillClock>,
    /// The tenant that tests act in, and its administrator.
    pub here: TenantId,
    pub administrator: Caller,
    /// The default caller: an operator of branch 2.
    pub operator: Caller,
    /// A program, with branches 2 and 3.
    pub integration: Caller,
    /// The other tenant, with the same codes for other things.
    pub there: TenantId,
    pub stranger: Caller,
    processes: Vec<App>,
    turn: AtomicUsize,
    // Last, so that it goes when nobody uses it any more.
    pub database: Database,
}

/// How many others there are for each user the default caller may see.
pub const CROWD: usize = 50;
/// Everybody's, in both tenants.
pub const PASSWORD: &str = "senha de teste";

impl Fixture for World {
    async fn make(engine: Engine) -> World {
        World::hostile(engine).await
    }
}

impl World {
    pub async fn hostile(engine: Engine) -> World {
        let database = Database::hostile(engine).await;
        let clock = Arc::new(StillClock::default());
        let first = process(&database, &clock, 1).await;
        let mut processes = vec![first];
        if engine == Engine::Postgres {
            let files = processes[0].files.clone();
            processes.push(App { files, ..process(&database, &clock, 2).await });
        }
        let [administrator, operator, integration] = callers(TENANTS[0], "aqui");
        let [_, stranger, _] = callers(TENANTS[1], "ali");
        World {
            clock,
            here: TENANTS[0],
            administrator,
            operator,
            integration,
            there: TENANTS[1],
            stranger,
            processes,
            turn: AtomicUsize::new(0),
            database,
        }
    }

    /// The process whose turn it is.
    pub fn app(&self) -> &App {
        &self.processes[self.turn.fetch_add(1, Ordering::Relaxed) % self.processes.len()]
    }

    pub fn processes(&self) -> &[App] {
        &self.processes
    }

    /// Renames a situation of a tenant, as its administrator would.
    pub async fn rename_situation(&self, tenant: TenantId, from: &'static str, to: &'static str) {
        let renamed =
            self.db().write(WriteLane::foreground(tenant), (tenant, from, to), |tx, (tenant, from, to)| {
                Box::pin(async move {
                    let rename = sql(
                        "UPDATE situations SET name = $3, folded_name = $4 WHERE tenant = $1 AND name = $2",
                    );
                    let renamed = tx
                        .execute(rename.arg(*tenant).arg(*from).arg(*to).arg(domain::fold_text(to)))
                        .await?;
                    versions::raise_registers_version(tx, *tenant).await?;
                    Ok::<_, Error>(renamed)
                })
            });
        assert!(renamed.await.unwrap() > 0, "{from} is a situation");
    }

    /// The text of the last mail to an address that is still to be sent.
    pub async fn last_mail_to(&self, address: &str) -> String {
        let last = sql(
            "SELECT text_body FROM mails WHERE tenant = $1 AND recipient = $2 ORDER BY code DESC LIMIT 1",
        );
        let rows = self.db().query(QueryWeight::Search, last.arg(self.here).arg(address)).await.unwrap();
        rows[0].get("text_body").unwrap()
    }

    pub fn db(&self) -> &Db {
        &self.app().db
    }
}

/// Here and there.
const TENANTS: [TenantId; 2] = [TenantId::new(1), TenantId::new(2)];

/// An administrator, an operator of branch 2, and a program of branches 2 and 3.
fn callers(tenant: TenantId, domain: &str) -> [Caller; 3] {
    let known = [
        (1, "admin", Role::Administrator, &[][..]),
        (2, "operador", Role::Operator, &[2]),
        (3, "programa", Role::Integration, &[2, 3]),
    ];
    known.map(|(code, name, role, branches)| Caller {
        tenant,
        code: UserCode::new(code),
        email: format!("{name}@{domain}.example"),
        role,
        branches: branches.iter().copied().map(BranchCode::new).collect(),
    })
}

/// Founds both associations in an empty database. Its chance is another than that of tests, which would repeat it.
pub async fn fill(db: Db) {
    let app = app_on(db, Arc::new(StillClock::default()), 0);
    let hash = app.passwords.hash(Password::parse(PASSWORD).unwrap(), &*app.random_source).await.unwrap();
    let both = [("Associação Aqui", "aqui", &HERE), ("Associação Ali", "ali", &THERE)];
    for ((name, domain, registers), known) in both.into_iter().zip(TENANTS) {
        let tenant = tenant(&app, name, registers).await;
        assert_eq!(tenant, known);
        assert_eq!(people(&app.db, tenant, domain, &hash, registers).await, callers(tenant, domain));
    }
}

async fn process(database: &Database, clock: &Arc<StillClock>, seed: u64) -> App {
    let db = database.open().await;
    app_on(db, Arc::clone(clock), seed)
}

/// Where the people of the world find its server.
pub const PUBLIC_URL: &str = "https://amparo.example";

/// What the business needs, on a database: a still clock, seeded chance, cheap hashes.
pub fn app_on(db: Db, clock: Arc<StillClock>, seed: u64) -> App {
    let chance = Arc::new(SeededChance::new(seed));
    let passwords = PasswordHasher::new(HashCost::CHEAPEST, 2, &*chance).unwrap();
    let mut app = App::new(db, clock, chance, passwords);
    app.public_url = PUBLIC_URL.into();
    app.files = app::attachments::FileStore::in_memory();
    app.vault = Some(app::Vault::new(&crate::SERVER_KEY).unwrap());
    app
}

async fn tenant(app: &App, name: &str, registers: &Registers) -> TenantId {
    let new = NewTenantInput {
        name: name.to_owned(),
        branch: registers.branches[0].to_owned(),
        time_zone: domain::TimeZone::DEFAULT.to_owned(),
        hosts: Vec::new(),
        make_default: false,
    };
    app::tenants::create_tenant(app, &new).await.unwrap().tenant
}

/// Two further branches; an administrator, an operator of branch 2, a program of branches 2 and 3, and a crowd in the
/// other branches.
async fn people(
    db: &Db,
    tenant: TenantId,
    domain: &'static str,
    hash: &str,
    registers: &'static Registers,
) -> [Caller; 3] {
    let input = (tenant, domain, hash.to_owned(), registers);
    db.write(WriteLane::foreground(tenant), input, |tx, (tenant, domain, hash, registers)| {
        Box::pin(async move {
            for name in &registers.branches[1..] {
                branch(tx, *tenant, name).await?;
            }
            let administrator = user(tx, *tenant, Role::Administrator, "admin", domain, &[], hash).await?;
            let operator = user(tx, *tenant, Role::Operator, "operador", domain, &[2], hash).await?;
            let integration = user(tx, *tenant, Role::Integration, "programa", domain, &[2, 3], hash).await?;
            for number in 0..CROWD {
                let branch = if number % 2 == 0 { 1 } else { 3 };
                user(tx, *tenant, Role::Operator, &format!("pessoa{number}"), domain, &[branch], hash)
                    .await?;
            }
            sellers(tx, *tenant, registers.sellers).await?;
            registers.write(tx, *tenant, BEGINNING).await?;
            Ok::<_, Error>([administrator, operator, integration])
        })
    })
    .await
    .unwrap()
}

/// A consultant (1) and a representative (2) of branch 2, a consultant of branch 1 (3), and one who has left (4).
async fn sellers(tx: &mut Tx, tenant: TenantId, names: &str) -> Result<(), Error> {
    use SellerKind::{Consultant, Representative};
    let all = [(1, Consultant, 2), (2, Representative, 2), (3, Consultant, 1), (4, Consultant, 2)];
    let all = all.map(|(code, kind, branch)| NewSellerRow {
        code: SellerCode::new(code),
        kind,
        name: DisplayName::parse(InputField::Name, &format!("{names} {code}")).unwrap(),
        document: None,
        email: None,
        mobile: None,
        landline: None,
        district: None,
        city: None,
        state: None,
        branch: BranchCode::new(branch),
    });
    storage::registers::sellers::insert_sellers(tx, tenant, &all, BEGINNING).await?;
    let left = sql("UPDATE sellers SET active = FALSE WHERE tenant = $1 AND code = 4").arg(tenant);
    tx.execute(left).await.map(drop)
}

async fn branch(tx: &mut Tx, tenant: TenantId, name: &str) -> Result<(), Error> {
    let code = BranchCode::new(counters::reserve_number(tx, tenant, Counter::Branch).await?);
    branches::insert_branch(
        tx,
        tenant,
        code,
        &DisplayName::parse(InputField::Branch, name).unwrap(),
        BEGINNING,
    )
    .await
}

const BEGINNING: Moment = Moment::from_millis(1_700_000_000_000);

async fn user(
    tx: &mut Tx,
    tenant: TenantId,
    role: Role,
    name: &str,
    domain: &str,
    branches: &[i32],
    password_hash: &str,
) -> Result<Caller, Error> {
    let code = UserCode::new(counters::reserve_number(tx, tenant, Counter::User).await?);
    let email = Email::parse(&format!("{name}@{domain}.example")).unwrap();
    let branches: Vec<BranchCode> = branches.iter().copied().map(BranchCode::new).collect();
    let row = users::NewUserRow {
        tenant,
        code,
        name: &DisplayName::parse(InputField::Name, name).unwrap(),
        email: &email,
        role,
        branches: &branches,
        money_rights: MoneyRights::SEE_AND_SETTLE,
        gets_old_search_answer: false,
        password_hash,
        must_change_password: false,
        now: BEGINNING,
    };
    users::insert_user(tx, &row).await?;
    assert!(users::reserve_login(tx, &email, tenant, code).await?);
    Ok(Caller { tenant, code, email: email.to_string(), role, branches })
}
