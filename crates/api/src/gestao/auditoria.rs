//! `/gestao/auditoria`: who did and saw what, for administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Query};
use crate::failure::Failure;
use app::audit::{self, AccessResult, Question, Told, What};
use app::base::registers;
use axum::extract;
use domain::{Moment, PersonCode, TimeZone, UserCode};
use std::collections::HashMap;
use wire::records::{AuditoriaQuery, AuditoriaTO, PessoaVistaTO, RegistroAuditoriaTO};

/// `GET /gestao/auditoria`
pub async fn page(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<AuditoriaQuery>,
) -> Result<Answer<AuditoriaTO>, Failure> {
    let after = query.after.set().map_or(0, wire::read::Between::get);
    let question = Question { after, person: query.person.set(), user: query.user.set() };
    let page = audit::page(&state.app, &caller, question).await?;
    let names = audit::user_names(&state.app, &caller).await?;
    let registers = registers(&state.app, caller.scope.tenant()).await?;
    let items = page.entries.into_iter().map(|one| record(&registers.zone, &names, one)).collect();
    Ok(Answer(AuditoriaTO { itens: items, proximo: page.reached, tem_mais: page.has_more }))
}

fn record(zone: &TimeZone, names: &HashMap<UserCode, String>, told: Told) -> RegistroAuditoriaTO {
    let seen = |(person, at): (PersonCode, Moment)| PessoaVistaTO {
        cod_pessoa: person.get(),
        data_hora: at.to_offset_iso(zone),
    };
    let result = told.result.map(|result| match result {
        AccessResult::Success => "sucesso",
        AccessResult::Failure => "falha",
        AccessResult::Throttled => "bloqueado",
    });
    let (kind, people, detail) = match told.what {
        What::Looked(people) => ("leitura", people, None),
        What::Changed(_, detail) if result.is_some() => ("acesso", Vec::new(), detail),
        What::Changed(person, detail) => {
            ("alteracao", person.map(|person| (person, told.at)).into_iter().collect(), detail)
        }
    };
    RegistroAuditoriaTO {
        cod_auditoria: told.code,
        data_hora: told.at.to_offset_iso(zone),
        cod_usuario: told.user.map(UserCode::get),
        nome_usuario: told.user.and_then(|user| names.get(&user)).cloned(),
        operacao: told.operation,
        tipo: kind,
        endereco: told.address,
        resultado: result,
        vezes: told.times,
        pessoas: people.into_iter().map(seen).collect(),
        detalhe: detail,
    }
}
