//! The plans of a benefit: one more, one less, another price. Each can be taken back at once.

use super::{fields, what};
use crate::form::Form;
use crate::notice::{Undo, tell, tell_undo};
use crate::page::{Refusal, show};
use crate::records::{Problems, Spec, Values, in_cents, inputs, json, plain_money, typed};
use crate::sheet::{Sheet, sheet};
use crate::visitor::{Guest, Number, Part, redirect, root};
use app::benefits::{self, View};
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{BenefitCode, ItemCode};
use wire::read;
use wire::records::{ItemAlteracaoInput, ItemBeneficioInput};

const SPECS: &[Spec] = &[
    Spec::choice("codPlano", "Plano"),
    Spec::money("valor", "Valor").hinted("Em branco, é o preço do plano."),
    Spec::masked("dataInclusao", "Desde", "data").hinted("Em branco, hoje."),
];

/// `GET /console/beneficios/{codigo}/itens`
pub async fn new(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    form(&app, &guest, BenefitCode::new(code), (Values::new(), Problems::default())).await
}

async fn form(
    app: &App,
    guest: &Guest,
    code: BenefitCode,
    (values, problems): (Values, Problems),
) -> Response {
    let view = match benefits::whole(app, guest.session(), code).await {
        Ok(view) => view,
        Err(error) => return show::<super::Page>(guest, Err(error)),
    };
    let has = |plan| view.benefit.plans.iter().any(|(own, _)| *own == plan);
    let choices = |_: &str| fields::plans(&view.registers, |plan| !has(plan.code));
    let made = Sheet {
        current: "beneficios",
        title: "Incluir um plano".to_owned(),
        note: format!("{}, de {}", what(&view.registers, &view.benefit), view.holder.name),
        back: format!("{}/console/beneficios/{code}", root(app)),
        version: None,
        sections: vec![("Plano".to_owned(), inputs(SPECS, &values, &problems, choices))],
        problems,
        button: "Incluir",
    };
    sheet(app, guest, made).await
}

/// `POST /console/beneficios/{codigo}/itens`
pub async fn add(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let code = BenefitCode::new(code);
    let values = typed(SPECS, &sent);
    let mut given = in_cents(SPECS, &values);
    given.retain(|_, text| !text.is_empty());
    let problems = match read::body::<ItemBeneficioInput>(&json(&given, &[])) {
        Err(unread) => Problems::new(unread.problems.into_lines(), SPECS),
        Ok(input) => match benefits::add_item(&app, guest.session(), code, input, Once::each_time())
            .await
            .and_then(Done::now)
        {
            Ok(added) => {
                let mut response = redirect(&format!("{}/console/beneficios/{code}", root(&app)));
                let action = format!("/console/beneficios/{code}/itens/{}", added.item.code);
                let undo = Undo::new(action, &[("ativo", "false")]);
                tell_undo(&mut response, &format!("O plano {} foi incluído.", added.plan.name), &undo);
                return response;
            }
            Err(Error::Refused(problems)) => Problems::refused(&problems, SPECS),
            Err(error) => return show::<super::Page>(&guest, Err(error)),
        },
    };
    form(&app, &guest, code, (values, problems)).await
}

/// `POST /console/beneficios/{codigo}/itens/{parte}`: `ativo`, or `valor` with the price that it had in `era`.
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Part(code, item): Part,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let codes = (BenefitCode::new(code), ItemCode::new(item));
    let mut response = redirect(&format!("{}/console/beneficios/{code}", root(&app)));
    let given = [("ativo", sent.text("ativo").to_owned()), ("valor", plain_money(sent.text("valor")))];
    let mut record = serde_json::Map::new();
    let given = given.into_iter().filter(|(_, text)| !text.is_empty());
    record.extend(given.map(|(name, text)| match text.as_str() {
        "true" | "false" => (name.to_owned(), (text == "true").into()),
        _ => (name.to_owned(), text.into()),
    }));
    if !sent.text("versao").is_empty() {
        record.insert("versao".to_owned(), sent.text("versao").into());
    }
    let record = serde_json::Value::Object(record).to_string();
    let input = match read::body::<ItemAlteracaoInput>(record.as_bytes()) {
        Ok(input) => input,
        Err(unread) => {
            tell(&mut response, &format!("Nada mudou. {}", unread.problems.into_lines().join(" ")));
            return response;
        }
    };
    match benefits::change_item(&app, guest.session(), codes, input, Once::each_time())
        .await
        .and_then(Done::now)
    {
        Ok(view) => {
            let (text, undo) = told(&view, codes.1, &sent);
            tell_undo(&mut response, &text, &undo);
        }
        Err(Error::Refused(problems)) => {
            let problems: Vec<String> = problems.iter().map(wire::refusal::sentence).collect();
            tell(&mut response, &format!("Nada mudou: {}", problems.join(" ")));
        }
        Err(error) => return show::<super::Page>(&guest, Err(error)),
    }
    response
}

/// What is said of a change, and the form that takes it back.
fn told(view: &View, item: ItemCode, sent: &Form) -> (String, Undo) {
    let plan = view.items.iter().find(|one| one.code == item).and_then(|one| view.registers.plan(one.plan));
    let name = plan.map_or("", |plan| &plan.name);
    let version = view.benefit.version.to_string();
    let action = format!("/console/beneficios/{}/itens/{item}", view.code);
    match sent.text("ativo") {
        "false" => (
            format!("O plano {name} foi retirado."),
            Undo::new(action, &[("ativo", "true"), ("versao", &version)]),
        ),
        "true" => (
            format!("O plano {name} voltou."),
            Undo::new(action, &[("ativo", "false"), ("versao", &version)]),
        ),
        _ => (
            format!("O valor do plano {name} foi alterado."),
            Undo::new(
                action,
                &[("valor", sent.text("era")), ("era", sent.text("valor")), ("versao", &version)],
            ),
        ),
    }
}
