//! The forms by which a case is opened and altered. Whom it is about is chosen first, by the one search.

use super::fields::{label, sections, specs, values};
use super::list::staff;
use super::{Kind, Words, types, words};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::{Badge, badge, plans};
use crate::page::{Refusal, page, show};
use crate::person::STATES;
use crate::records::{Input, Problems, Values, inputs, json, typed};
use crate::visitor::{Guest, Number, Query, redirect, root, tell};
use app::base::Registers;
use app::cases::{self, Case, Checked, Whole};
use app::once::{Done, Once};
use app::people::{self, View};
use app::searches::Found;
use app::{App, Error, dependents, find};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{BenefitCode, CaseKind, PersonCode, Rejection, shown};
use serde_json::{Value, json};
use wire::records::{
    CasoQuery, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, VistoriaGestaoInput,
};
use wire::{names, read};

/// Somebody whom it may be about, by one of his benefits.
struct Candidate {
    person: i32,
    name: String,
    document: String,
    benefit: Option<CandidateBenefit>,
}

struct CandidateBenefit {
    code: i32,
    what: String,
    sequence: i32,
    situation: Badge,
}

#[derive(Template)]
#[template(path = "console/caso_quem.html")]
struct Who {
    frame: Frame,
    words: Words,
    query: String,
    rows: Vec<Candidate>,
    has_more: bool,
}

/// Something that is looked at in an inspection, as the form shows it.
struct CheckInput {
    number: usize,
    item: String,
    fits: &'static str,
    note: String,
}

#[derive(Template)]
#[template(path = "console/caso_form.html")]
struct Write {
    frame: Frame,
    title: String,
    person: i32,
    holder: String,
    back: String,
    version: Option<i64>,
    sections: Vec<(&'static str, Vec<Input>)>,
    checklist: Vec<CheckInput>,
    others: Vec<String>,
    is_refused: bool,
    /// Nothing can be opened before the association has types of it.
    has_no_types: bool,
    /// Since when another version stands, and in what both differ: the field, what was typed, what stands.
    old: Option<(String, Vec<(String, String, String)>)>,
}

/// `GET /console/eventos/novo`
pub async fn new(State(app): State<App>, guest: Guest, Kind(kind): Kind, query: Query) -> Response {
    match query.text("codPessoa").parse() {
        Ok(person) => {
            let person = PersonCode::new(person);
            let values = match usual(&app, &guest, kind, person, query.text("codBeneficio")).await {
                Ok(values) => values,
                Err(error) => return show::<Write>(&guest, Err(error)),
            };
            shown(&app, &guest, kind, Filled::new(person, values)).await
        }
        Err(_) => show(&guest, who(&app, &guest, kind, &query).await),
    }
}

/// What a new one mostly has.
async fn usual(
    app: &App,
    guest: &Guest,
    kind: CaseKind,
    person: PersonCode,
    benefit: &str,
) -> Result<Values, Error> {
    let view = people::member_whole(app, guest.session(), person).await?;
    let benefit = match &view.benefits[..] {
        [(only, _)] if benefit.is_empty() => only.to_string(),
        _ => benefit.to_owned(),
    };
    let mut values = Values::from([("codBeneficio", benefit)]);
    if kind == CaseKind::Claim {
        values.insert("prioridade", names::priority(domain::Priority::Medium).to_owned());
        values.insert("envolvido", names::involved(domain::Involved::Member).to_owned());
    }
    Ok(values)
}

/// Whom it is about.
async fn who(app: &App, guest: &Guest, kind: CaseKind, query: &Query) -> Result<Who, Error> {
    let words = words(kind);
    let frame = Frame::of(app, guest, words.path).await?;
    let text: String = query.text("q").chars().take(200).collect();
    let found = match find::find(app, guest.session(), &text).await {
        Err(Error::Refused(_)) => find::Finds::default(),
        found => found?,
    };
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let rows: Vec<Candidate> = found.rows.iter().map(|one| candidate(&registers, one)).collect();
    let has_more = found.total > rows.len() as i64;
    Ok(Who { frame, words, query: text, rows, has_more })
}

fn candidate(registers: &Registers, found: &Found) -> Candidate {
    let benefit = found.benefit.as_ref().map(|one| CandidateBenefit {
        code: one.code.get(),
        what: one.plate.clone().unwrap_or_else(|| plans(registers, &one.plans)),
        sequence: one.sequence,
        situation: badge(registers, one.situation),
    });
    let document = found.person.document.as_deref().map(shown::document).unwrap_or_default();
    Candidate { person: found.person.code.get(), name: found.person.name.clone(), document, benefit }
}

/// What stands in a form, and what is wrong with it.
struct Filled {
    person: PersonCode,
    values: Values,
    problems: Vec<String>,
    /// `None` of something new.
    had: Option<Box<Whole>>,
    version: Option<i64>,
    checklist: Vec<Checked>,
    old: Option<(String, Vec<(String, String, String)>)>,
}

impl Filled {
    fn new(person: PersonCode, values: Values) -> Filled {
        let (problems, checklist) = (Vec::new(), Vec::new());
        Filled { person, values, problems, had: None, version: None, checklist, old: None }
    }
}

async fn shown(app: &App, guest: &Guest, kind: CaseKind, filled: Filled) -> Response {
    let is_refused = !filled.problems.is_empty() || filled.old.is_some();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    match made(app, guest, kind, filled, is_refused).await {
        Ok(template) => page(status, &template),
        Err(error) => show::<Write>(guest, Err(error)),
    }
}

async fn made(
    app: &App,
    guest: &Guest,
    kind: CaseKind,
    filled: Filled,
    is_refused: bool,
) -> Result<Write, Error> {
    let words = words(kind);
    let frame = Frame::of(app, guest, words.path).await?;
    let context = Context::of(app, guest, kind, &filled).await?;
    let problems = Problems::new(filled.problems, &specs(kind));
    let sections = sections(kind).iter().map(|(title, specs)| {
        (*title, inputs(specs, &filled.values, &problems, |name| context.choices(name)))
    });
    let place = format!("{}/console/{}", root(app), words.path);
    let (title, back) = match &filled.had {
        Some(had) => (
            format!("Alterar {} {}", words.one.to_lowercase(), had.told.case.head().protocol),
            format!("{place}/{}", had.told.code),
        ),
        None => (words.new.to_owned(), place),
    };
    // A line to write one more.
    let further = (kind == CaseKind::Inspection && filled.had.is_some()).then(|| Checked {
        item: String::new(),
        fits: None,
        note: None,
    });
    let checklist = filled.checklist.into_iter().chain(further).enumerate().map(|(number, one)| CheckInput {
        number,
        item: one.item,
        fits: one.fits.map_or("", |fits| if fits { "sim" } else { "nao" }),
        note: one.note.unwrap_or_default(),
    });
    Ok(Write {
        title,
        person: filled.person.get(),
        holder: context.holder.clone(),
        back,
        version: filled.version,
        sections: sections.collect(),
        checklist: checklist.collect(),
        others: problems.others,
        is_refused,
        has_no_types: kind != CaseKind::Appointment && types(&context.registers, kind).is_empty(),
        old: filled.old,
        frame,
    })
}

/// What the choices of a form are made of.
struct Context {
    kind: CaseKind,
    registers: std::sync::Arc<Registers>,
    branches: Vec<(String, String)>,
    staff: Vec<(String, String)>,
    benefits: Vec<(String, String)>,
    dependents: Vec<(String, String)>,
    drivers: Vec<(String, String)>,
    holder: String,
}

impl Context {
    async fn of(app: &App, guest: &Guest, kind: CaseKind, filled: &Filled) -> Result<Context, Error> {
        let caller = guest.session();
        let registers = app::base::registers(app, caller.scope.tenant()).await?;
        // Whoever sees a case need not see its member, who may belong to another branch.
        let view = match people::member_whole(app, caller, filled.person).await {
            Ok(view) => Some(view),
            Err(Error::NoSuch { .. }) if filled.had.is_some() => None,
            Err(error) => return Err(error),
        };
        let told = filled.had.as_ref().map(|had| &had.told);
        let holder = view.as_ref().map(|view| view.profile.name.clone());
        let holder = holder.or_else(|| told.map(|told| told.name.clone())).unwrap_or_default();
        let branches = registers.branches_of(&caller.scope);
        Ok(Context {
            kind,
            branches: branches.map(|one| (one.code.to_string(), one.name.clone())).collect(),
            staff: responsibles(app, guest, filled).await?,
            benefits: benefits(&registers, view.as_ref(), filled),
            dependents: match kind {
                CaseKind::Appointment => going(app, guest, filled).await?,
                _ => Vec::new(),
            },
            drivers: drivers(filled, &holder),
            holder,
            registers,
        })
    }

    fn choices(&self, name: &str) -> Vec<(String, String)> {
        let same = |text: &str| (text.to_owned(), text.to_owned());
        match name {
            "codLoja" => self.branches.clone(),
            "codResponsavel" => self.staff.clone(),
            "codBeneficio" => self.benefits.clone(),
            "codDependente" => self.dependents.clone(),
            "codCondutor" => self.drivers.clone(),
            "codClinica" => {
                named(self.registers.clinics.iter().map(|one| (one.active, one.code.get(), &one.name)))
            }
            "codMedico" => {
                named(self.registers.doctors.iter().map(|one| (one.active, one.code.get(), &one.name)))
            }
            "codTipoEvento" | "codTipoVistoria" | "codTipoHelpDesk" | "codEspecialidade" => {
                types(&self.registers, self.kind)
            }
            "prioridade" => domain::Priority::ALL.iter().map(|one| same(names::priority(*one))).collect(),
            "envolvido" => domain::Involved::ALL.iter().map(|one| same(names::involved(*one))).collect(),
            "local.uf" => STATES.iter().map(|state| same(state)).collect(),
            _ => Vec::new(),
        }
    }
}

fn named<'r>(all: impl Iterator<Item = (bool, i32, &'r String)>) -> Vec<(String, String)> {
    all.filter(|(active, ..)| *active).map(|(_, code, name)| (code.to_string(), name.clone())).collect()
}

/// Those who may see to it, and whoever does already.
async fn responsibles(app: &App, guest: &Guest, filled: &Filled) -> Result<Vec<(String, String)>, Error> {
    let mut all = staff(app, guest).await?;
    if let Some(told) = filled.had.as_ref().map(|had| &had.told)
        && let (Some(code), Some(name)) = (told.case.head().responsible, &told.responsible)
        && !all.iter().any(|(known, _)| *known == code.to_string())
    {
        all.push((code.to_string(), name.clone()));
    }
    Ok(all)
}

/// The benefits of the member, and the one that it is about, whoever sees it.
fn benefits(registers: &Registers, view: Option<&View>, filled: &Filled) -> Vec<(String, String)> {
    let all = view.into_iter().flat_map(|view| &view.benefits);
    let line = |code: BenefitCode, what: &str| (code.to_string(), format!("{what} (nº {code})"));
    let mut all: Vec<_> = all.map(|(code, one)| line(*code, &crate::benefit::what(registers, one))).collect();
    if let Some(had) = &filled.had
        && let Some(code) = had.told.case.head().benefit
        && !all.iter().any(|(known, _)| *known == code.to_string())
    {
        all.push(line(code, had.benefit.as_deref().unwrap_or_default()));
    }
    all
}

fn drivers(filled: &Filled, holder: &str) -> Vec<(String, String)> {
    let mut all = vec![(filled.person.to_string(), format!("{holder} (o próprio associado)"))];
    if let Some(had) = &filled.had
        && let Case::Claim(claim) = &had.told.case
        && let (Some(driver), Some(name)) = (claim.driver, &had.other)
        && driver != filled.person
    {
        all.push((driver.to_string(), name.clone()));
    }
    all
}

/// The dependents of the benefit that is chosen.
async fn going(app: &App, guest: &Guest, filled: &Filled) -> Result<Vec<(String, String)>, Error> {
    let chosen = filled.values.get("codBeneficio").and_then(|text| text.parse().ok()).map(BenefitCode::new);
    let Some(benefit) = chosen else { return Ok(Vec::new()) };
    match dependents::list(app, guest.session(), benefit).await {
        Ok(all) => Ok(all.rows.iter().map(|(code, one)| (code.to_string(), one.name.clone())).collect()),
        Err(Error::NoSuch { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// What was typed, as the record that it is; with what of it leads nowhere.
async fn record(
    app: &App,
    guest: &Guest,
    kind: CaseKind,
    filled: &Filled,
) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut values = filled.values.clone();
    let (mut further, mut problems) = (Vec::new(), Vec::new());
    if kind == CaseKind::Claim {
        let (typed, cpf) = (values.remove("relacionados"), values.remove("condutorCpf"));
        if let Some(cpf) = cpf.filter(|text| !text.is_empty()) {
            match by_document(app, guest, &cpf).await? {
                Some(person) => drop(values.insert("codCondutor", person.to_string())),
                None => problems
                    .push("condutorCpf: não há ninguém com este CPF nas lojas que você vê.".to_owned()),
            }
        }
        let codes = related(app, guest, &typed.unwrap_or_default(), &mut problems).await?;
        further.push(("relacionados", codes));
    }
    match &filled.had {
        None => {
            values.retain(|_, text| !text.is_empty());
            further.push(("codPessoa", filled.person.get().into()));
        }
        Some(_) => {
            further.push(("versao", filled.version.into()));
            if kind == CaseKind::Inspection {
                let one =
                    |one: &Checked| json!({"item": one.item, "conforme": one.fits, "observacao": one.note});
                further.push(("checklist", filled.checklist.iter().map(one).collect()));
            }
        }
    }
    Ok((json(&values, &further), problems))
}

async fn by_document(app: &App, guest: &Guest, text: &str) -> Result<Option<PersonCode>, Error> {
    if domain::Document::parse(text).is_err() {
        return Ok(None);
    }
    let found = find::find(app, guest.session(), text).await?;
    Ok(found.rows.first().map(|row| row.person.code))
}

/// The codes of the claims whose protocols were typed.
async fn related(app: &App, guest: &Guest, typed: &str, problems: &mut Vec<String>) -> Result<Value, Error> {
    let mut codes = Vec::new();
    for text in typed.split([',', ';', ' ']).filter(|text| !text.is_empty()).take(20) {
        let asked = std::iter::once(("protocolo".to_owned(), text.to_owned()));
        let found = match read::query::<CasoQuery>(asked) {
            Ok(query) => cases::list(app, guest.session(), CaseKind::Claim, query).await?.rows,
            Err(_) => Vec::new(),
        };
        match found.first() {
            Some(one) => codes.push(one.code),
            None => problems.push(format!("relacionados: não há evento de protocolo {text}.")),
        }
    }
    Ok(codes.into())
}

fn understood(kind: CaseKind, body: &[u8]) -> Result<cases::Input, Vec<String>> {
    macro_rules! read {
        ($record:ty, $input:ident) => {
            read::body::<$record>(body)
                .map(|sent| cases::Input::$input(Box::new(sent)))
                .map_err(|unread| unread.problems.into_lines())
        };
    }
    match kind {
        CaseKind::Claim => read!(EventoGestaoInput, Claim),
        CaseKind::Inspection => read!(VistoriaGestaoInput, Inspection),
        CaseKind::Ticket => read!(HelpDeskGestaoInput, Ticket),
        CaseKind::Appointment => read!(ConsultaGestaoInput, Appointment),
    }
}

/// Opens or alters; gives the case back, or the form with what is wrong.
async fn act(
    app: &App,
    guest: &Guest,
    kind: CaseKind,
    mut filled: Filled,
) -> Result<Result<Whole, Box<Filled>>, Error> {
    let (body, mut problems) = record(app, guest, kind, &filled).await?;
    let input = match understood(kind, &body) {
        Ok(input) if problems.is_empty() => input,
        Ok(_) => return Ok(Err(Box::new(Filled { problems, ..filled }))),
        Err(more) => {
            problems.extend(more);
            return Ok(Err(Box::new(Filled { problems, ..filled })));
        }
    };
    let caller = guest.session();
    let done = match &filled.had {
        None => cases::open(app, caller, input, Once::each_time()).await,
        Some(had) => cases::change(app, caller, (had.told.code, input), Once::each_time()).await,
    };
    match done.and_then(Done::now) {
        Ok(whole) => Ok(Ok(whole)),
        Err(Error::Refused(refused)) => {
            for problem in &refused {
                match problem {
                    Rejection::OldVersion { now, since, fields, .. } => {
                        let text =
                            |value: &Option<String>| value.clone().unwrap_or_else(|| "vazio".to_owned());
                        let rows = fields
                            .iter()
                            .map(|one| (label(kind, &one.field), text(&one.sent), text(&one.now)));
                        // Whoever has seen both may save his own.
                        filled.version = Some(*now);
                        filled.old = Some((since.clone(), rows.collect()));
                    }
                    problem => filled.problems.push(wire::refusal::text(problem)),
                }
            }
            Ok(Err(Box::new(filled)))
        }
        Err(error) => Err(error),
    }
}

async fn finish(app: &App, guest: &Guest, kind: CaseKind, filled: Filled, told: &str) -> Response {
    match act(app, guest, kind, filled).await {
        Ok(Ok(whole)) => {
            let head = whole.told.case.head();
            let to = format!("{}/console/{}/{}", root(app), words(kind).path, whole.told.code);
            let mut response = redirect(&to);
            tell(&mut response, &told.replace("{}", &head.protocol.to_string()));
            response
        }
        Ok(Err(filled)) => shown(app, guest, kind, *filled).await,
        Err(error) => show::<Write>(guest, Err(error)),
    }
}

/// `POST /console/eventos/novo`
pub async fn create(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(person) = sent.text("codPessoa").parse() else { return Refusal::NotThere.into_response() };
    let person = PersonCode::new(person);
    let filled = Filled::new(person, typed(&specs(kind), &sent));
    let words = words(kind);
    finish(&app, &guest, kind, filled, &format!("{} {} com o protocolo {{}}.", words.one, words.opened)).await
}

/// `GET /console/eventos/{codigo}/alterar`
pub async fn edit(State(app): State<App>, guest: Guest, Kind(kind): Kind, Number(code): Number) -> Response {
    match cases::one(&app, guest.session(), kind, code).await {
        Ok(whole) => {
            let head = whole.told.case.head();
            let filled = Filled {
                version: Some(head.version.into()),
                checklist: match &whole.told.case {
                    Case::Inspection(own) => own.checklist.clone(),
                    _ => Vec::new(),
                },
                ..Filled::new(head.person, values(&whole))
            };
            let filled = Filled { had: Some(Box::new(whole)), ..filled };
            shown(&app, &guest, kind, filled).await
        }
        Err(error) => show::<Write>(&guest, Err(error)),
    }
}

/// `POST /console/eventos/{codigo}/alterar`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let whole = match cases::one(&app, guest.session(), kind, code).await {
        Ok(whole) => whole,
        Err(error) => return show::<Write>(&guest, Err(error)),
    };
    let filled = Filled {
        version: sent.text("versao").parse().ok(),
        checklist: checklist(&sent),
        ..Filled::new(whole.told.case.head().person, typed(&specs(kind), &sent))
    };
    let filled = Filled { had: Some(Box::new(whole)), ..filled };
    finish(&app, &guest, kind, filled, "As alterações foram salvas.").await
}

/// The lines of a checklist, each with what was found; one without a name is gone.
fn checklist(sent: &Form) -> Vec<Checked> {
    let lines = sent.all("item").zip(sent.all("conforme")).zip(sent.all("notaItem"));
    let lines = lines.map(|((item, fits), note)| Checked {
        item: item.trim().to_owned(),
        fits: match fits {
            "sim" => Some(true),
            "nao" => Some(false),
            _ => None,
        },
        note: Some(note.trim().to_owned()).filter(|note| !note.is_empty()),
    });
    lines.filter(|line| !line.item.is_empty()).collect()
}
