//! A deal that is won becomes a member with a benefit, in one step: what will be created is shown before, and everything that
//! is missing is told beside its field.

use super::fields::{choices, field};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page as answer, show};
use crate::records::{
    Conflict, Input, Kind, Problems, Spec, Values, inputs, json, plain_money, typed, typed_money,
};
use crate::show::money;
use crate::visitor::{Guest, Number, redirect, root};
use app::base::Registers;
use app::deals::{self, View};
use app::once::{Done, Once};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{BenefitKind, DealCode, DealState, Entity, Rejection, SituationKind};
use serde_json::json as value;
use std::collections::BTreeMap;
use wire::read;
use wire::records::GanhoInput;

const MEMBER: &[Spec] = &[field("cpfCnpj", "CPF ou CNPJ", Kind::Masked("documento"), 20)];

const BENEFIT: &[Spec] = &[
    field("codLoja", "Loja", Kind::Choice, 100),
    field("situacao", "Começa como", Kind::Choice, 100),
    field("dataAdesao", "Adesão", Kind::Masked("data"), 10),
    field("diaVencimento", "Dia de vencimento", Kind::Choice, 100),
    field("planos", "Planos", Kind::Many, 100),
    field("observacao", "Observação do benefício", Kind::Area, 4_000),
];

const VEHICLE: &[Spec] = &[
    field("placa", "Placa", Kind::Text, 10),
    field("marca", "Marca", Kind::Text, 100),
    field("modelo", "Modelo", Kind::Text, 200),
    field("anoFabricacao", "Ano de fabricação", Kind::Number, 4),
    field("anoModelo", "Ano do modelo", Kind::Number, 4),
    field("cor", "Cor", Kind::Text, 50),
    field("chassi", "Chassi", Kind::Text, 17),
    field("renavam", "Renavam", Kind::Text, 20),
    field("valorVeiculo", "Valor do veículo", Kind::Money, 20),
    field("valorProtegido", "Valor protegido", Kind::Money, 20),
    field("valorParticipacao", "Participação", Kind::Money, 20),
];

#[derive(Template)]
#[template(path = "console/negocio_ganhar.html")]
struct Page {
    frame: Frame,
    code: i32,
    name: String,
    version: i64,
    /// What will be there afterwards.
    creates: Vec<String>,
    triggers: String,
    sections: Vec<(&'static str, Vec<Input>)>,
    conflict: Option<Conflict>,
    others: Vec<String>,
    is_refused: bool,
}

/// What was typed, by which version of the deal, and what was wrong with it.
struct Again {
    values: Values,
    version: i64,
    lines: Vec<String>,
    conflict: Option<Conflict>,
}

/// Whether what was sold protects a vehicle.
fn is_vehicle(registers: &Registers, view: &View) -> bool {
    let deal = &view.found.deal;
    let first = deal.plans.first().and_then(|code| registers.plan(*code)).map(|plan| plan.kind);
    first.or(deal.kind) == Some(BenefitKind::Vehicle)
}

fn sections(registers: &Registers, view: &View) -> Vec<(&'static str, &'static [Spec])> {
    let mut all: Vec<(&'static str, &'static [Spec])> = vec![("Associado", MEMBER), ("Benefício", BENEFIT)];
    if is_vehicle(registers, view) {
        all.push(("Veículo", VEHICLE));
    }
    all
}

/// What the deal and its lead already say.
fn known(app: &App, registers: &Registers, view: &View) -> Values {
    let (deal, lead) = (&view.found.deal, &view.lead.lead);
    let plans: Vec<String> = deal.plans.iter().map(ToString::to_string).collect();
    let pending = registers.default_situation(Entity::Benefit, SituationKind::Pending);
    let cents = |cents: Option<i64>| cents.map(typed_money).unwrap_or_default();
    let mut values = Values::from([
        ("cpfCnpj", lead.document.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("codLoja", deal.branch.to_string()),
        ("situacao", pending.map_or_else(String::new, |one| one.name.clone())),
        ("dataAdesao", app.now().date_in(&registers.zone).to_br()),
        ("planos", plans.join(",")),
        ("valorProtegido", cents(deal.vehicle.protected)),
        ("valorParticipacao", cents(deal.vehicle.participation)),
    ]);
    for (name, text) in super::fields::vehicle(deal) {
        if let Some(own) = name.strip_prefix("veiculo.") {
            values.insert(own, text);
        }
    }
    values
}

/// What will be created, sentence by sentence.
fn creates(registers: &Registers, view: &View, values: &Values) -> Vec<String> {
    let text = |name: &str| values.get(name).map_or("", String::as_str);
    let plans = registers
        .plans
        .iter()
        .filter(|plan| text("planos").split(',').any(|code| code == plan.code.to_string()));
    let plans: Vec<_> = plans.collect();
    let named: Vec<String> =
        plans.iter().map(|plan| format!("{} ({})", plan.name, money(plan.price))).collect();
    let total = money(plans.iter().map(|plan| plan.price).sum());
    let mut all = vec![match text("cpfCnpj") {
        "" => format!("{} torna-se associado; falta o CPF ou CNPJ.", view.found.name),
        document => format!(
            "{} torna-se associado com o documento {document}. Se alguém já é associado com ele, o benefício é dessa pessoa.",
            view.found.name
        ),
    }];
    all.push(match named.is_empty() {
        true => "Um benefício; falta escolher o plano.".to_owned(),
        false => format!("Um benefício com {}: {total} por mês.", named.join(", ")),
    });
    if is_vehicle(registers, view) {
        let what = [text("placa"), text("marca"), text("modelo")];
        let what: Vec<&str> = what.into_iter().filter(|text| !text.is_empty()).collect();
        all.push(if what.is_empty() {
            "O veículo; falta dizer qual.".to_owned()
        } else {
            format!("O veículo {}.", what.join(" "))
        });
    }
    match view.dependents.len() {
        0 => {}
        1 => all.push(format!("Um dependente: {}.", view.dependents[0].1.name)),
        many => all.push(format!("{many} dependentes, cada um com o seu cartão.")),
    }
    all.push("O negócio fica como ganho, ligado ao benefício.".to_owned());
    all
}

async fn form(app: &App, guest: &Guest, code: DealCode, again: Option<Again>) -> Response {
    match made(app, guest, code, again).await {
        Ok(template) if template.is_refused => answer(StatusCode::BAD_REQUEST, &template),
        made => show(guest, made),
    }
}

async fn made(app: &App, guest: &Guest, code: DealCode, again: Option<Again>) -> Result<Page, Error> {
    let (view, registers) = deals::whole(app, guest.session(), code).await?;
    let frame = Frame::of(app, guest, "vendas").await?;
    let Again { values, version, lines, conflict } = again.unwrap_or_else(|| Again {
        values: known(app, &registers, &view),
        version: view.found.deal.version,
        lines: Vec::new(),
        conflict: None,
    });
    let parts = sections(&registers, &view);
    let all: Vec<Spec> = parts.iter().flat_map(|(_, specs)| specs.iter().copied()).collect();
    let is_refused = !lines.is_empty() || conflict.is_some();
    let problems = Problems::new(lines, &all);
    let fields = |specs: &[Spec]| {
        inputs(specs, &values, &problems, |name| match name {
            "situacao" => {
                let all = registers.situations_of(Entity::Benefit);
                all.map(|one| (one.name.clone(), one.name.clone())).collect()
            }
            "diaVencimento" => {
                registers.due_days.iter().map(|day| (day.to_string(), format!("Dia {day}"))).collect()
            }
            other => choices(&registers, guest, &BTreeMap::new(), &values, other),
        })
    };
    Ok(Page {
        code: code.get(),
        name: view.found.name.clone(),
        // Whoever has seen how it stands may go on.
        version: conflict.as_ref().map_or(version, |one| one.version),
        creates: creates(&registers, &view, &values),
        triggers: crate::situation::told(registers.receivers_of(Entity::Benefit).len()),
        sections: parts.iter().map(|(title, specs)| (*title, fields(specs))).collect(),
        conflict,
        others: problems.others,
        is_refused,
        frame,
    })
}

/// `GET /console/vendas/{codigo}/ganhar`
pub async fn page(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let code = DealCode::new(code);
    match deals::whole(&app, guest.session(), code).await {
        // What was decided already is seen on its page.
        Ok((view, _)) if view.found.deal.state != DealState::Open => {
            redirect(&format!("{}/console/vendas/{code}", root(&app)))
        }
        Ok(_) => form(&app, &guest, code, None).await,
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

/// What was typed, as the record that is sent: what is empty is left to the deal and its lead.
fn record(values: &Values, version: &str) -> Vec<u8> {
    let mut values = values.clone();
    values.retain(|_, text| !text.is_empty());
    let plans = values.remove("planos").unwrap_or_default();
    let plans: Vec<&str> = plans.split(',').filter(|code| !code.is_empty()).collect();
    for name in ["valorVeiculo", "valorProtegido", "valorParticipacao"] {
        if let Some(text) = values.get_mut(name) {
            *text = plain_money(text);
        }
    }
    let plans = (!plans.is_empty()).then(|| ("planos", value!(plans)));
    let more: Vec<_> = plans.into_iter().chain([("versao", value!(version))]).collect();
    json(&values, &more)
}

/// `POST /console/vendas/{codigo}/ganhar`
pub async fn win(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let code = DealCode::new(code);
    let specs: Vec<Spec> = MEMBER.iter().chain(BENEFIT).chain(VEHICLE).copied().collect();
    let values = typed(&specs, &sent);
    let mut conflict = None;
    let lines: Vec<String> = match read::body::<GanhoInput>(&record(&values, sent.text("versao"))) {
        Err(unread) => unread.problems.into_lines(),
        Ok(input) => {
            let done = deals::win(&app, guest.session(), code, input, Once::each_time()).await;
            match done.and_then(Done::now) {
                Ok(won) => {
                    let benefit = won.found.deal.benefit.map(|code| code.to_string()).unwrap_or_default();
                    let mut response = redirect(&format!("{}/console/beneficios/{benefit}", root(&app)));
                    tell(
                        &mut response,
                        &format!("Negócio ganho: {} agora é associado, com este benefício.", won.found.name),
                    );
                    return response;
                }
                Err(Error::Refused(problems)) => {
                    conflict = Conflict::among(&problems, str::to_owned);
                    let others = problems.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
                    others.map(wire::refusal::text).collect()
                }
                Err(error) => return show::<Page>(&guest, Err(error)),
            }
        }
    };
    let lines = lines.into_iter().map(|line| line.replacen("codPlano: ", "planos: ", 1)).collect();
    let version = sent.text("versao").parse().unwrap_or_default();
    form(&app, &guest, code, Some(Again { values, version, lines, conflict })).await
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/negocio_ganhar.html", |with| {
    let page = |conflict| {
        crate::rendered::text(&Page {
            frame: with.frame(),
            code: 7,
            name: with.text(),
            version: 3,
            creates: with.many(|| with.text()),
            triggers: with.text(),
            sections: with.many(|| ("Quem é", with.inputs())),
            conflict,
            others: with.many(|| with.text()),
            is_refused: with.is_full(),
        })
    };
    [page(None), page(with.maybe(|| with.conflict()))].concat()
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_left_to_the_deal_and_its_lead() {
        let values = Values::from([
            ("cpfCnpj", String::new()),
            ("planos", "3,4".to_owned()),
            ("valorVeiculo", "78.500,00".to_owned()),
        ]);
        let sent: serde_json::Value = serde_json::from_slice(&record(&values, "2")).unwrap();
        assert_eq!(sent, value!({"planos": ["3", "4"], "valorVeiculo": "78500.00", "versao": "2"}));
    }
}
