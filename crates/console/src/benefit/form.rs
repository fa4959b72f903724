//! The forms by which a benefit begins and is changed. A new one begins with whose it is and of what kind.

use super::fields::{self, Added};
use super::what;
use crate::form::Form;
use crate::frame::Frame;
use crate::lists::usual;
use crate::members::{COLUMNS, Row, row};
use crate::notice::tell;
use crate::page::{Refusal, show};
use crate::records::{Problems, Spec, Values, in_cents, inputs, json, typed};
use crate::sheet::{Sheet, sheet};
use crate::visitor::{Guest, Number, Query, redirect, root};
use crate::words;
use app::base::Registers;
use app::benefits::{self, Benefit, Input, View};
use app::once::{Done, Once};
use app::{App, Error, find, people};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{BenefitCode, BenefitKind, PersonCode};
use wire::names;
use wire::read;

#[derive(Template)]
#[template(path = "console/beneficio_de_quem.html")]
struct Whose {
    frame: Frame,
    query: String,
    rows: Vec<Row>,
}

/// `GET /console/beneficios/novo`: whose is it?
pub async fn whose(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, whose_page(&app, &guest, query.text("q")).await)
}

async fn whose_page(app: &App, guest: &Guest, query: &str) -> Result<Whose, Error> {
    let frame = Frame::of(app, guest, "beneficios").await?;
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let found = match find::find(app, guest.session(), query).await {
        Err(Error::Refused(_)) => find::Finds::default(),
        other => other?,
    };
    let around = usual(COLUMNS);
    let mut rows: Vec<Row> =
        found.rows.iter().map(|found| row(&registers, found, &frame.root, &around)).collect();
    let mut seen = std::collections::BTreeSet::new();
    rows.retain(|row| seen.insert(row.person));
    Ok(Whose { query: query.to_owned(), rows, frame })
}

#[derive(Template)]
#[template(path = "console/beneficio_tipo.html")]
struct Which {
    frame: Frame,
    person: i32,
    name: String,
    /// Its name in the address, what people call it, how many plans of it are sold.
    kinds: Vec<(String, &'static str, usize)>,
}

fn slug(kind: BenefitKind) -> String {
    names::benefit_kind(kind).to_lowercase()
}

fn asked_kind(query: &Query) -> Option<BenefitKind> {
    BenefitKind::ALL.iter().copied().find(|kind| slug(*kind) == query.text("tipo"))
}

/// `GET /console/associados/{codigo}/beneficios/novo`: of which kind, and then everything else.
pub async fn new(State(app): State<App>, guest: Guest, Number(code): Number, query: Query) -> Response {
    let holder = match people::member_whole(&app, guest.session(), PersonCode::new(code)).await {
        Ok(holder) => holder,
        Err(error) => return show::<Which>(&guest, Err(error)),
    };
    match asked_kind(&query) {
        Some(kind) => {
            let written = Written { values: Values::new(), problems: Problems::default(), version: None };
            new_form(&app, &guest, &holder, kind, written).await
        }
        None => show(&guest, which(&app, &guest, &holder).await),
    }
}

async fn which(app: &App, guest: &Guest, holder: &people::View) -> Result<Which, Error> {
    let sold = |kind: BenefitKind| {
        holder.registers.plans.iter().filter(|plan| plan.active && plan.kind == kind).count()
    };
    let kinds = BenefitKind::ALL.iter().map(|kind| (slug(*kind), words::kind(*kind), sold(*kind)));
    Ok(Which {
        frame: Frame::of(app, guest, "associados").await?,
        person: holder.code.get(),
        name: holder.profile.name.clone(),
        kinds: kinds.collect(),
    })
}

/// What stands in a form.
struct Written {
    values: Values,
    problems: Problems,
    version: Option<i64>,
}

/// All fields of a form, those of the association's own behind the others.
fn sections(
    registers: &Registers,
    guest: &Guest,
    (kind, had): (BenefitKind, Option<&Benefit>),
    written: &Written,
) -> Vec<(String, Vec<crate::records::Input>)> {
    let is_new = had.is_none();
    let choices = |name: &str| fields::choices(registers, guest, kind, had, name);
    let mut own = inputs(fields::specs(kind, is_new), &written.values, &written.problems, choices);
    let vehicle = own.split_off(fields::of_benefit(is_new).min(own.len()));
    let added = fields::added(registers, kind);
    let added = fields::added_inputs(&added, &written.values, &written.problems);
    let all = [("Benefício", own), ("Veículo", vehicle), ("Dados adicionais", added)];
    let shown = all.into_iter().filter(|(_, inputs)| !inputs.is_empty());
    shown.map(|(title, inputs)| (title.to_owned(), inputs)).collect()
}

/// What was typed, in every field of the form.
fn typed_all(specs: &[Spec], added: &[Added], sent: &Form) -> Values {
    let added: Vec<Spec> = added.iter().map(|one| one.spec).collect();
    typed(specs, sent).into_iter().chain(typed(&added, sent)).collect()
}

async fn new_form(
    app: &App,
    guest: &Guest,
    holder: &people::View,
    kind: BenefitKind,
    written: Written,
) -> Response {
    let made = Sheet {
        current: "associados",
        title: format!("Novo benefício: {}", words::kind(kind)),
        note: format!("De {}", holder.profile.name),
        back: format!("{}/console/associados/{}", root(app), holder.code),
        version: None,
        sections: sections(&holder.registers, guest, (kind, None), &written),
        problems: written.problems,
        button: "Criar benefício",
    };
    sheet(app, guest, made).await
}

/// The fields that were typed, as a record reads them: without those that the association added.
fn plain(specs: &[Spec], values: &Values) -> Values {
    let own = |name: &str| specs.iter().any(|spec| spec.name == name);
    in_cents(specs, values).into_iter().filter(|(name, _)| own(name)).collect()
}

fn new_input(kind: BenefitKind, body: &[u8]) -> Result<Input, Vec<String>> {
    fn lines<T>(unread: read::Unread<T>) -> Vec<String> {
        unread.problems.into_lines()
    }
    match kind {
        BenefitKind::Vehicle => read::body(body).map(|input| Input::Vehicle(Box::new(input))).map_err(lines),
        _ => read::body(body).map(|input| Input::Basic(Box::new(input))).map_err(lines),
    }
}

/// `POST /console/associados/{codigo}/beneficios/novo`
pub async fn create(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    query: Query,
    sent: Result<Form, Refusal>,
) -> Response {
    let (sent, kind) = match (sent, asked_kind(&query)) {
        (Ok(sent), Some(kind)) => (sent, kind),
        (Err(refusal), _) => return refusal.into_response(),
        (Ok(_), None) => return Refusal::NotThere.into_response(),
    };
    let holder = match people::member_whole(&app, guest.session(), PersonCode::new(code)).await {
        Ok(holder) => holder,
        Err(error) => return show::<Which>(&guest, Err(error)),
    };
    let (specs, added) = (fields::specs(kind, true), fields::added(&holder.registers, kind));
    let values = typed_all(specs, &added, &sent);
    let mut own = plain(specs, &values);
    own.retain(|_, text| !text.is_empty());
    let document = holder.profile.document.as_ref().map(ToString::to_string);
    let further = [("cpfCnpj", document.into()), ("dadosAdicionais", fields::added_record(&added, &values))];
    let problems = match new_input(kind, &json(&own, &further)) {
        Err(lines) => told(lines, specs, &added),
        Ok(input) => {
            match benefits::save(&app, guest.session(), input, Once::each_time()).await.and_then(Done::now) {
                Ok(saved) => {
                    let mut response = redirect(&format!("{}/console/beneficios/{}", root(&app), saved.code));
                    tell(&mut response, &format!("Benefício criado. A situação é {}.", saved.situation));
                    return response;
                }
                Err(Error::Refused(problems)) => refused(&problems, specs, &added),
                Err(error) => return show::<Which>(&guest, Err(error)),
            }
        }
    };
    new_form(&app, &guest, &holder, kind, Written { values, problems, version: None }).await
}

fn every(specs: &[Spec], added: &[Added]) -> Vec<Spec> {
    specs.iter().copied().chain(added.iter().map(|one| one.spec)).collect()
}

fn told(lines: Vec<String>, specs: &[Spec], added: &[Added]) -> Problems {
    Problems::new(lines, &every(specs, added))
}

fn refused(problems: &[domain::Rejection], specs: &[Spec], added: &[Added]) -> Problems {
    Problems::refused(problems, &every(specs, added))
}

/// `GET /console/beneficios/{codigo}/alterar`
pub async fn edit(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let view = match benefits::whole(&app, guest.session(), BenefitCode::new(code)).await {
        Ok(view) => view,
        Err(error) => return show::<Which>(&guest, Err(error)),
    };
    let added = fields::added(&view.registers, view.benefit.kind);
    let values = fields::values(&view).into_iter().chain(fields::added_values(&added, &view.benefit));
    let version = Some(view.benefit.version);
    let written = Written { values: values.collect(), problems: Problems::default(), version };
    edit_form(&app, &guest, &view, written).await
}

async fn edit_form(app: &App, guest: &Guest, view: &View, written: Written) -> Response {
    let made = Sheet {
        current: "beneficios",
        title: format!("Alterar {}", what(&view.registers, &view.benefit)),
        note: format!(
            "De {}. Planos, dependentes e situação mudam na página do benefício.",
            view.holder.name
        ),
        back: format!("{}/console/beneficios/{}", root(app), view.code),
        version: written.version,
        sections: sections(&view.registers, guest, (view.benefit.kind, Some(&view.benefit)), &written),
        problems: written.problems,
        button: "Salvar",
    };
    sheet(app, guest, made).await
}

/// `POST /console/beneficios/{codigo}/alterar`
pub async fn change(
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
    let view = match benefits::whole(&app, guest.session(), code).await {
        Ok(view) => view,
        Err(error) => return show::<Which>(&guest, Err(error)),
    };
    let kind = view.benefit.kind;
    let (specs, added) = (fields::specs(kind, false), fields::added(&view.registers, kind));
    let values = typed_all(specs, &added, &sent);
    let version = sent.text("versao");
    let further = [("versao", version.into()), ("dadosAdicionais", fields::added_record(&added, &values))];
    let problems = match read::body(&json(&plain(specs, &values), &further)) {
        Err(unread) => told(unread.problems.into_lines(), specs, &added),
        Ok(input) => {
            match benefits::change_whole(&app, guest.session(), code, input, Once::each_time()).await {
                Ok(_) => {
                    let mut response = redirect(&format!("{}/console/beneficios/{code}", root(&app)));
                    tell(&mut response, "As alterações foram salvas.");
                    return response;
                }
                Err(Error::Refused(problems)) => refused(&problems, specs, &added),
                Err(error) => return show::<Which>(&guest, Err(error)),
            }
        }
    };
    edit_form(&app, &guest, &view, Written { values, problems, version: version.parse().ok() }).await
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/beneficio_de_quem.html", |with| {
        crate::rendered::text(&Whose {
            frame: with.frame(),
            query: with.text(),
            rows: with.many(|| with.row()),
        })
    }),
    ("console/beneficio_tipo.html", |with| {
        let kinds = with.many(|| (with.text(), "Veículo", 2));
        crate::rendered::text(&Which { frame: with.frame(), person: 7, name: with.text(), kinds })
    }),
];
