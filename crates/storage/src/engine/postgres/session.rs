//! One connection, with the statements prepared on it.

use super::values::{Kind, Raw};
use crate::db::Failure;
use crate::engine::texts::Texts;
use crate::engine::{Options, dialect, refuse_nul};
use crate::row::{Column, Columns, Page};
use crate::{Cost, Error, Executed, Row, Statement, Watch};
use futures_util::future::join_all;
use futures_util::{StreamExt, pin_mut};
use std::error::Error as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Knows how to connect, and how long a statement may take on the connection.
pub struct Connector {
    config: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    settings: String,
    connect_timeout: Duration,
    /// How long an answer may take: a little longer than the server's own limits, for a server that has frozen.
    limit: Duration,
    watch: Option<Watch>,
}

/// The index of names (`dialect::names`). Its order is disguised: the server would walk the keys, hoping to meet the words.
const NAMES: [&str; 4] = ["key", "(n.key + 0)", "n.words @@ name_query", "tsvector"];

/// How much longer than the server itself we wait for the server.
const GRACE: Duration = Duration::from_secs(1);
/// A dead peer is noticed after this long.
const SILENCE: Duration = Duration::from_secs(10);

impl Connector {
    pub fn new(
        config: &tokio_postgres::Config,
        options: &Options,
        statement: Duration,
    ) -> Result<Connector, Error> {
        let mut config = config.clone();
        config.connect_timeout(options.connect_timeout).tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("amparo");
        }
        let (millis, unit) = (statement.as_millis(), options.unit_timeout.as_millis());
        // The server's patience with a silent process ends after ours with a unit, so that a unit that dawdles is
        // refused alone and only a process that froze loses its connection.
        let silent = unit + 1000;
        let settings = format!(
            "SET statement_timeout = {millis}; SET lock_timeout = {unit};
             SET idle_in_transaction_session_timeout = {silent}; SET standard_conforming_strings = on;
             SET default_transaction_isolation = 'read committed'; SET jit = off"
        );
        let limit = statement.max(options.unit_timeout) + GRACE;
        Ok(Connector {
            config,
            tls: tls(options)?,
            settings,
            connect_timeout: options.connect_timeout,
            limit,
            watch: options.watch.clone(),
        })
    }

    pub async fn connect(&self) -> Result<Session, Error> {
        let connecting = async {
            let (client, connection) =
                self.config.connect(self.tls.clone()).await.map_err(|e| failure(&e))?;
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::warn!(%error, "a database connection ended");
                }
            });
            client.batch_execute(&self.settings).await.map_err(|e| failure(&e))?;
            Ok::<_, Failure>(client)
        };
        match tokio::time::timeout(self.connect_timeout, connecting).await {
            Ok(client) => Ok(Session {
                client: client.map_err(|failure| failure.error)?,
                tls: self.tls.clone(),
                limit: self.limit,
                prepared: Mutex::default(),
                spoilt: AtomicBool::new(false),
                told: self.watch.clone().map(|watch| (watch, Mutex::new(Instant::now()))),
            }),
            Err(_) => Err(Error::Unavailable("no answer from the database server".to_owned())),
        }
    }
}

fn tls(options: &Options) -> Result<MakeRustlsConnect, Error> {
    let unreadable = |what: String| Error::Unavailable(format!("certificate authority: {what}"));
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &options.ca_file {
        use rustls::pki_types::{CertificateDer, pem::PemObject};
        for certificate in CertificateDer::pem_file_iter(path).map_err(|e| unreadable(e.to_string()))? {
            let certificate = certificate.map_err(|e| unreadable(e.to_string()))?;
            roots.add(certificate).map_err(|e| unreadable(e.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| unreadable(e.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

pub struct Session {
    client: tokio_postgres::Client,
    tls: MakeRustlsConnect,
    limit: Duration,
    prepared: Mutex<Texts<Arc<OnceCell<Prepared>>>>,
    /// Left in a state that nobody should inherit: a transaction of unknown outcome, a statement cut off.
    spoilt: AtomicBool,
    /// Who is told of every statement, and when the last of them ended.
    told: Option<(Watch, Mutex<Instant>)>,
}

struct Prepared {
    statement: tokio_postgres::Statement,
    /// Where the server is sent another text than was written.
    text: Option<Box<str>>,
    columns: Columns,
    kinds: Vec<Kind>,
}

impl Session {
    pub fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// Whether the failure was the end of this connection, by the server's word (57P01 and its like come a moment
    /// before the connection closes) or by its silence.
    pub fn is_lost(&self, error: &Error) -> bool {
        !self.is_open() || matches!(error, Error::Unavailable(text) if text.contains("(57P"))
    }

    /// Lets nobody use a connection that the server has ended.
    pub fn spoil_if_lost(&self, error: &Error) {
        if self.is_lost(error) {
            self.spoil();
        }
    }

    pub fn is_usable(&self) -> bool {
        self.is_open() && !self.spoilt.load(Ordering::Relaxed)
    }

    pub fn spoil(&self) {
        self.spoilt.store(true, Ordering::Relaxed);
    }

    /// Asks the server to end what it is doing for nobody, and lets nobody inherit the connection.
    pub fn cancel(&self) {
        self.spoil();
        let (token, tls) = (self.client.cancel_token(), self.tls.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { drop(token.cancel_query(tls).await) });
        }
    }

    pub async fn all(&self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        self.answered(self.fetch(statement)).await
    }

    /// Asks for all of them at once, in their order.
    pub async fn several(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, Failure> {
        for statement in statements {
            self.prepare(statement).await?;
        }
        let all = join_all(statements.iter().map(|statement| self.fetch(statement)));
        self.answered(async { all.await.into_iter().collect() }).await
    }

    async fn fetch(&self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        let prepared = self.prepare(statement).await?;
        let prepared = prepared.get().expect("a statement is prepared before it is used");
        let begun = self.begin();
        let rows = self.rows(statement, prepared).await;
        self.tell(begun, statement, prepared, rows.as_ref().map_or(0, Vec::len));
        rows
    }

    async fn rows(&self, statement: &Statement, prepared: &Prepared) -> Result<Vec<Row>, Failure> {
        let stream =
            self.client.query_raw(&prepared.statement, statement.values()).await.map_err(|e| failure(&e))?;
        pin_mut!(stream);
        let mut page = Page::new(Arc::clone(&prepared.columns), (0, 0));
        while let Some(row) = stream.next().await {
            let row = row.map_err(|e| failure(&e))?;
            for (at, kind) in prepared.kinds.iter().enumerate() {
                let Raw(raw) = row.try_get(at).map_err(|e| failure(&e))?;
                page.push(kind.read(raw).map_err(|e| Error::Broken(e.to_string()))?)?;
            }
        }
        Ok(page.rows())
    }

    /// Waits for an answer, but not for ever: a server that has frozen answers nobody and closes nothing.
    async fn answered<T>(&self, answer: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        match tokio::time::timeout(self.limit, answer).await {
            Ok(answer) => answer,
            Err(_) => {
                self.spoil();
                Err(Error::Unavailable("the database server does not answer".to_owned()).into())
            }
        }
    }

    pub async fn execute(&self, statement: &Statement) -> Result<u64, Failure> {
        let prepared = self.prepare(statement).await?;
        let prepared = prepared.get().expect("a statement is prepared before it is used");
        let begun = self.begin();
        let touched = self.client.execute_raw(&prepared.statement, statement.values()).await;
        let rows = touched.as_ref().map_or(0, |touched| usize::try_from(*touched).unwrap_or(usize::MAX));
        self.tell(begun, statement, prepared, rows);
        touched.map_err(|e| failure(&e))
    }

    fn begin(&self) -> Option<Instant> {
        self.told.is_some().then(Instant::now)
    }

    /// Tells whoever watches that a statement has ended. Statements travel behind each other: what one of them waited
    /// for those before it is not its own.
    fn tell(&self, begun: Option<Instant>, statement: &Statement, prepared: &Prepared, rows: usize) {
        let (Some((watch, last)), Some(begun)) = (&self.told, begun) else { return };
        let now = Instant::now();
        let before = std::mem::replace(&mut *last.lock().expect("a moment is never poisoned"), now);
        let cost = Cost { took: now.saturating_duration_since(begun.max(before)), steps: 0, rows };
        let text = prepared.text.as_deref().unwrap_or(statement.text());
        watch.tell(&Executed { text, values: statement.values(), cost });
    }

    /// Sends all statements at once. They are polled in their order, and the first poll sends.
    pub async fn batch(&self, statements: &[Statement]) -> Result<(), Failure> {
        for statement in statements {
            self.prepare(statement).await?;
        }
        let all = join_all(statements.iter().map(|statement| self.execute(statement))).await;
        // The first that failed says why; those behind it only say that the transaction is spoilt.
        all.into_iter().find_map(Result::err).map_or(Ok(()), Err)
    }

    /// Runs statements without parameters: BEGIN, SAVEPOINT and their like.
    pub async fn control(&self, text: &str) -> Result<(), Error> {
        let run = async { self.client.batch_execute(text).await.map_err(|e| failure(&e)) };
        self.answered(run).await.map_err(|failure| failure.error)
    }

    /// Each text is prepared once, whoever asks at the same time.
    async fn prepare(&self, statement: &Statement) -> Result<Arc<OnceCell<Prepared>>, Failure> {
        refuse_nul(statement)?;
        let cell = {
            let mut known = self.prepared.lock().expect("the statements are never poisoned");
            Arc::clone(known.get(statement, |_| Arc::default()))
        };
        if cell.initialized() {
            return Ok(cell);
        }
        let prepare = || async {
            let named = dialect::names(statement.text(), NAMES).map(String::into_boxed_str);
            let text = named.as_deref().unwrap_or(statement.text());
            let statement = self.client.prepare(text).await.map_err(|e| failure(&e))?;
            let columns = statement.columns().iter().map(|column| Column::from(column.name())).collect();
            let kind = |column: &tokio_postgres::Column| {
                Kind::of(column.type_()).ok_or_else(|| {
                    let (name, kind) = (column.name(), column.type_());
                    Error::Broken(format!("column {name} of type {kind}: cast it to one of the four"))
                })
            };
            let kinds = statement.columns().iter().map(kind).collect::<Result<_, Error>>()?;
            Ok::<_, Failure>(Prepared { statement, text: named, columns, kinds })
        };
        cell.get_or_try_init(prepare).await?;
        Ok(cell)
    }
}

pub fn failure(error: &tokio_postgres::Error) -> Failure {
    let Some(told) = error.as_db_error() else {
        // Not the server's words: the connection's, or ours for a parameter that does not fit.
        let text = error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
        let is_ours = text.contains("serializing") || text.contains("deserializing");
        return if is_ours { Error::Broken(text).into() } else { Error::Unavailable(text).into() };
    };
    let text = format!("{} ({})", told.message(), told.code().code());
    let code = told.code();
    if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
        return Failure { error: Error::Unavailable(text), passing: true };
    }
    let error = match *code {
        SqlState::UNIQUE_VIOLATION => Error::Conflict(told.constraint().unwrap_or(&text).to_owned()),
        SqlState::QUERY_CANCELED => Error::TooSlow,
        SqlState::LOCK_NOT_AVAILABLE | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
            Error::Unavailable(text)
        }
        // 08 connection, 28 credential, 3D no such database, 53 resources, 57P administrator, 58 system.
        _ if ["08", "28", "3D", "53", "57", "58"].contains(&&code.code()[..2]) => Error::Unavailable(text),
        _ => Error::Broken(text),
    };
    error.into()
}
