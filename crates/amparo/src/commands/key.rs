//! `amparo key replace`: the way on when the server key is lost.

use super::output::join_first;
use super::{open_app, print_line, resolve_key_file};
use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::lost_key::{self, LostSecrets};
use clap::ArgMatches;
use std::process::ExitCode;
use storage::DatabaseAddress;

/// How many receivers a message lists.
const MOST_NAMED: usize = 50;

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
