//! What a member has besides his benefits, the newest of each, and everything that happened to him as one timeline.

use crate::cases as pages;
use crate::members::{Badge, badge};
use crate::show::moment;
use crate::visitor::Guest;
use app::base::Registers;
use app::cases::{self, Item};
use app::happened::{Happened, History, What};
use app::people::View;
use app::{App, Error, deals};
use domain::{BenefitCode, CaseKind, DealState, Moment, PersonCode};
use std::collections::BTreeMap;
use wire::read;

/// Of each kind so many are shown; a link leads to the others.
const SOME: usize = 5;
/// Of the timeline so much is seen at once, and so much can be opened.
const EVENTS: usize = 20;
const MOST_EVENTS: usize = 200;

/// Cases or deals of a member.
pub struct Section {
    pub title: &'static str,
    pub all: String,
    pub total: i64,
    pub lines: Vec<Line>,
}

pub struct Line {
    pub link: String,
    pub name: String,
    pub kind: String,
    pub when: String,
    pub situation: Option<Badge>,
    /// Where it has no situation of the registers.
    pub state: &'static str,
    pub is_late: bool,
    at: Moment,
}

/// Something that happened, as the timeline tells it.
pub struct Event {
    pub when: String,
    pub who: String,
    pub situation: Option<Badge>,
    pub text: String,
    pub link: Option<String>,
    pub at: Moment,
}

/// The newest cases of each kind, and the newest deals.
pub async fn sections(
    app: &App,
    guest: &Guest,
    root: &str,
    (person, name): (PersonCode, &str),
) -> Result<Vec<Section>, Error> {
    let mut all = Vec::new();
    for kind in CaseKind::ALL {
        let of_person = std::iter::once(("codPessoa".to_owned(), person.to_string()));
        let Ok(query) = read::query(of_person) else { continue };
        let page = cases::list(app, guest.session(), kind, query).await?;
        let words = pages::words(kind);
        let lines = page.rows.iter().take(SOME).map(|item| case_line(&page.registers, item, root, app.now()));
        all.push(Section {
            title: words.many,
            all: format!("{root}/console/{}?codPessoa={person}", words.path),
            total: page.total,
            lines: lines.collect(),
        });
    }
    let (found, registers) = deals::of_person(app, guest.session(), person).await?;
    let lines = found.iter().take(SOME).map(|one| Line {
        link: format!("{root}/console/vendas/{}", one.code),
        name: one.deal.title.clone().unwrap_or_else(|| format!("Negócio {}", one.deal.sequence)),
        kind: registers.stage(one.deal.stage).map_or_else(String::new, |stage| stage.name.clone()),
        when: one.deal.created_at.date_in(&registers.zone).to_br(),
        situation: None,
        state: match one.deal.state {
            DealState::Open => "Em aberto",
            DealState::Won => "Ganho",
            DealState::Lost => "Perdido",
        },
        is_late: false,
        at: one.deal.created_at,
    });
    all.push(Section {
        title: "Negócios",
        all: format!(
            "{root}/console/vendas?filtro={}",
            form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>()
        ),
        total: found.len() as i64,
        lines: lines.collect(),
    });
    all.retain(|section| section.total > 0);
    Ok(all)
}

fn case_line(registers: &Registers, item: &Item, root: &str, now: Moment) -> Line {
    let head = item.case.head();
    Line {
        link: format!("{root}{}", pages::at(item)),
        name: format!("Protocolo {}", head.protocol),
        kind: pages::type_name(registers, &item.case),
        when: moment(head.opened_at, &registers.zone),
        situation: Some(badge(registers, head.situation)),
        state: "",
        is_late: cases::due(registers, head).is_some_and(|due| due < now),
        at: head.opened_at,
    }
}

/// What a field is called on pages, of a member or of a benefit.
fn field(name: &str) -> String {
    let known = super::fields::SPECS.iter().chain(crate::benefit::SPECS);
    let found = known.into_iter().find(|spec| spec.name == name).map(|spec| spec.label);
    found.map_or_else(|| name.to_owned(), str::to_owned)
}

/// One thing that happened; `of` is what each benefit is called.
fn event(registers: &Registers, one: Happened, of: &BTreeMap<BenefitCode, (String, String)>) -> Event {
    let (situation, text, link) = match one.what {
        What::Situation { to, reason, benefit, .. } => {
            let (name, link) = of.get(&benefit).cloned().unwrap_or_default();
            let text = [name, reason.unwrap_or_default()].into_iter().filter(|part| !part.is_empty());
            let text = text.collect::<Vec<_>>().join(" — ");
            (Some(badge(registers, to)), text, Some(link).filter(|link| !link.is_empty()))
        }
        What::Field { name, before, after } if name == "arquivo" => {
            (None, crate::files::happened(before.as_deref(), after.as_deref()), None)
        }
        What::Field { name, before, after } => {
            let text = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
            (None, format!("{}: de {} para {}", field(&name), text(before), text(after)), None)
        }
    };
    let who = one.user_name.unwrap_or_else(|| "Sistema".to_owned());
    Event { when: moment(one.at, &registers.zone), who, situation, text, link, at: one.at }
}

/// The newest first, as much as anybody looks through.
pub fn told(history: History, of: &BTreeMap<BenefitCode, (String, String)>) -> Timeline {
    let History { happened, registers } = history;
    let events = happened.into_iter().rev().take(MOST_EVENTS).map(|one| event(&registers, one, of));
    Timeline::of(events.collect())
}

/// What is seen at once, and what can be opened.
pub struct Timeline {
    pub newest: Vec<Event>,
    pub older: Vec<Event>,
}

impl Timeline {
    fn of(mut events: Vec<Event>) -> Timeline {
        let older = events.split_off(EVENTS.min(events.len()));
        Timeline { newest: events, older }
    }

    /// The same with what a member began: his cases and deals.
    pub fn with(self, sections: &[Section], view: &View) -> Timeline {
        let mut events: Vec<Event> = self.newest.into_iter().chain(self.older).collect();
        let begun = sections.iter().flat_map(|section| section.lines.iter().map(move |line| (section, line)));
        events.extend(begun.map(|(section, line)| Event {
            when: moment(line.at, &view.registers.zone),
            who: section.title.to_owned(),
            situation: None,
            text: format!("{} — {}", line.name, line.kind),
            link: Some(line.link.clone()),
            at: line.at,
        }));
        events.push(Event {
            when: moment(view.profile.created_at, &view.registers.zone),
            who: view.registers.branch_name(view.profile.branch).to_owned(),
            situation: None,
            text: "Cadastro do associado".to_owned(),
            link: None,
            at: view.profile.created_at,
        });
        events.sort_by_key(|event| std::cmp::Reverse(event.at));
        Timeline::of(events)
    }
}

#[cfg(test)]
impl Section {
    pub fn sample(with: crate::rendered::Sample) -> Section {
        let line = || Line {
            link: with.text(),
            name: with.text(),
            kind: with.text(),
            when: with.text(),
            situation: with.maybe(|| with.badge()),
            state: "Aberto",
            is_late: true,
            at: Moment::from_millis(0),
        };
        Section { title: "Eventos", all: with.text(), total: 9, lines: with.many(line) }
    }
}
