//! All checks, in the order in which they are printed.

use super::{
    CheckFinding, attachments, backups, certificate, database, files, installation, mail, receivers,
};
use crate::commands::{build_app, resolve_public_url};
use crate::settings::ServerSettings;
use app::App;
use storage::{DatabaseAddress, DatabaseOptions, SchemaPolicy};

const DATABASE: &str = "banco de dados";

pub async fn examine_installation(settings: &ServerSettings) -> Vec<CheckFinding> {
    let mut findings =
        vec![installation::check_variables(settings), installation::check_open_files(settings)];
    match DatabaseAddress::parse(&settings.database) {
        Ok(address) => {
            findings.push(certificate::check_certificate(settings, &address));
            findings.push(mail::check_transport(settings, &address).await);
            findings.extend(files::check_space(settings, &address));
            findings.extend(files::check_modes(settings, &address));
            findings.push(backups::check_backups(settings, &address).await);
            findings.extend(examine_database(settings, &address).await);
        }
        Err(error) => findings.push(CheckFinding::from_error(DATABASE, error)),
    }
    findings
}

/// What can be checked only if the database opens.
async fn examine_database(settings: &ServerSettings, address: &DatabaseAddress) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    let options = DatabaseOptions { search_timeout: database::LONGEST_LOOK, ..settings.storage.options() };
    let (db, migrated) = match storage::open_database(address, &options, SchemaPolicy::Inspect).await {
        Ok(opened) => opened,
        Err(error) => return vec![CheckFinding::from_error(DATABASE, error)],
    };
    match db.describe_version().await {
        Ok(name) => findings.push(CheckFinding::ok(DATABASE, format!("{name} em {address}."))),
        Err(error) => return vec![CheckFinding::from_error(DATABASE, app::Error::from(error))],
    }
    findings.extend(database::check_transport(&db).await);
    let newest = storage::newest_schema();
    if migrated.from != newest {
        let found = migrated.from;
        let text = format!("versão {found}, e este programa usa a {newest}; rode `amparo migrate`.");
        findings.push(CheckFinding::fault("esquema", text));
        db.close().await;
        return findings;
    }
    findings.push(CheckFinding::ok("esquema", format!("versão {newest}, a deste programa.")));
    match build_app(db, &resolve_public_url(settings, "http", &settings.listen)) {
        Ok(app) => findings.extend(examine_content(settings, address, &app).await),
        Err(error) => findings.push(CheckFinding::from_error("senhas", error)),
    }
    findings
}

async fn examine_content(
    settings: &ServerSettings,
    address: &DatabaseAddress,
    app: &App,
) -> Vec<CheckFinding> {
    let (processes, is_served) = database::check_processes(settings, address, app).await;
    let mut findings = vec![
        database::check_writing(app).await,
        database::check_pages(app).await,
        database::check_activity(app).await,
        database::check_durability(app).await,
        database::check_clocks(app).await,
        processes,
        database::check_key(settings, address, app).await,
        database::check_tenants(app).await,
    ];
    findings.extend(database::check_partial_restore(app).await);
    findings.push(attachments::check_attachments(settings, address, app).await);
    findings.extend(receivers::check_receivers(app).await);
    findings.push(mail::check_queue(app).await);
    findings.push(installation::check_port(&settings.listen, is_served).await);
    app.db.close().await;
    findings
}
