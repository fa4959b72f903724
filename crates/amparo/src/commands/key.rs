//! `amparo key rotate`: a new key for the old one, while servers run. `amparo key replace`: the way on when the key is lost.

use super::output::{build_spinner, join_first};
use super::{open_app, print_line, resolve_key_file};
use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::lost_key::{self, LostSecrets};
use clap::ArgMatches;
use std::process::ExitCode;
use std::time::Duration;
use storage::DatabaseAddress;
use vault::RotationWait;

/// How long the servers may take to have a new key: many heartbeats.
const SERVER_WAIT_LIMIT: Duration = Duration::from_mins(2);

/// How many receivers a message lists.
const MOST_NAMED: usize = 50;

pub async fn rotate_key(settings: &ServerSettings) -> Result<ExitCode, FatalError> {
    let key_file = resolve_key_file(settings, &DatabaseAddress::parse(&settings.database)?)?;
    let app = open_app(settings).await?;
    let spinner = build_spinner("{spinner} {msg}");
    let on_wait = |awaited: &[String]| {
        spinner.set_message(format!(
            "aguardando que estes servidores recebam a chave nova: {}",
            awaited.join(", ")
        ));
    };
    let wait = RotationWait { limit: SERVER_WAIT_LIMIT, on_wait: &on_wait };
    let rotated = vault::rotate_server_key(app.key_context(), &key_file, wait).await;
    spinner.finish_and_clear();
    app.db.close().await;
    let rotation = rotated?;
    print_line(&format!(
        "A chave em {} é nova, e só ela abre os segredos (cifrados de novo: {}). As cópias de segurança feitas até agora trazem a \
         antiga e continuam valendo; faça agora uma nova com `amparo backup create`.",
        key_file.display(),
        rotation.sealed_again
    ));
    if rotation.unreadable > 0 {
        print_line(&format!(
            "Segredos que nenhuma das chaves abre, e que ficaram como estavam: {}.",
            rotation.unreadable
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn replace_lost_key(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let key_file = resolve_key_file(settings, &DatabaseAddress::parse(&settings.database)?)?;
    if !arguments.get_flag("give-up-secrets") {
        return Err(FatalError::new(format!(
            "Procure antes a chave antiga, nas cópias de segurança ou noutro servidor, e ponha-a em {}; se ela se perdeu de vez, \
             --give-up-secrets faz uma nova e abandona os segredos dos receptores, os segundos fatores e os tokens dos cartões.",
            key_file.display()
        )));
    }
    let app = open_app(settings).await?;
    let replaced = lost_key::replace_lost_key(&app, &key_file).await;
    app.db.close().await;
    let LostSecrets { receivers, second_factors, credit_cards } = replaced?;
    print_line(&format!(
        "Há uma chave nova em {}; guarde uma cópia dela longe do banco (`amparo backup create` a inclui). Associados, benefícios, \
         vendas, históricos, usuários e senhas continuam como estavam.",
        key_file.display()
    ));
    if !receivers.is_empty() {
        let named = receivers.iter().map(|(tenant, code)| format!("{code} da base {tenant}"));
        let named = join_first(named, MOST_NAMED);
        print_line(&format!(
            "Receptores pausados, com segredo novo e sem cabeçalhos ({}): {}. Para cada um: escreva os cabeçalhos de novo, mostre o \
             segredo com `amparo receiver rotate`, entregue-o a quem recebe e retome com `amparo receiver resume`. Nenhum gatilho se perdeu.",
            receivers.len(),
            named
        ));
    }
    if second_factors > 0 {
        print_line(&format!(
            "Usuários que agora entram só com a senha, até ligarem de novo o segundo fator: {second_factors}."
        ));
    }
    if credit_cards > 0 {
        print_line(&format!(
            "Cartões de crédito cujo token de gateway deve ser informado de novo: {credit_cards}."
        ));
    }
    Ok(ExitCode::SUCCESS)
}
