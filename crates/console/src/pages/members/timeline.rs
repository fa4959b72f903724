//! Related records of a member, the newest of each kind, and the timeline of the member's history.

use crate::pages::attachments::describe_file_change;
use crate::pages::cases as pages;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_moment;
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use app::cases::{self, ResolvedCase};
use app::members::MemberView;
use app::record_timeline::{RecordChange, RecordChangeDetail, RecordHistory};
use app::register_snapshot::TenantRegisters;
use app::sales::deals;
use app::{App, Error};
use domain::{BenefitCode, CaseKind, DealState, Moment, PersonCode};
use std::collections::BTreeMap;
use wire::read;

/// Related records shown per kind; a link leads to the others.
const EVENTS_PER_KIND: usize = 5;
/// Events shown at first, and events shown in total after expanding.
const SHOWN_EVENTS: usize = 20;
const MOST_EVENTS: usize = 200;

/// Cases of one kind, or deals, of a member.
pub struct RelatedRecordSection {
    pub title: &'static str,
    /// Heading of the column with the type of a case or the stage of a deal.
    pub kind_title: &'static str,
    pub all: String,
    pub total: i64,
    pub lines: Vec<RelatedRecordLine>,
}

pub struct RelatedRecordLine {
    pub link: String,
    pub name: String,
    pub kind: String,
    pub when: String,
    pub situation: Option<SituationBadge>,
    /// For records without a situation from the registers.
    pub state: &'static str,
    pub is_late: bool,
    at: Moment,
}

pub struct TimelineEvent {
    pub when: String,
    pub who: String,
    pub situation: Option<SituationBadge>,
    pub text: String,
    pub link: Option<String>,
    pub at: Moment,
}

/// The newest cases of each kind, and the newest deals.
pub async fn list_related_sections(
    app: &App,
    user: &SignedInUser,
    root: &str,
    (person, name): (PersonCode, &str),
) -> Result<Vec<RelatedRecordSection>, Error> {
    let mut all = Vec::new();
    for kind in CaseKind::ALL {
        let of_person = std::iter::once(("codPessoa".to_owned(), person.to_string()));
        let Ok(query) = read::read_query(of_person) else { continue };
        let page = cases::list_cases(app, user.session(), kind, query).await?;
        let words = pages::describe_case_kind(kind);
        let lines = page
            .rows
            .iter()
            .take(EVENTS_PER_KIND)
            .map(|item| build_case_line(&page.registers, item, root, app.now()));
        all.push(RelatedRecordSection {
            title: words.many,
            kind_title: "Tipo",
            all: format!("{root}/console/{}?codPessoa={person}", words.path),
            total: page.total,
            lines: lines.collect(),
        });
    }
    let (found, registers) = deals::list_person_deals(app, user.session(), person).await?;
    let lines = found.iter().take(EVENTS_PER_KIND).map(|one| RelatedRecordLine {
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
    all.push(RelatedRecordSection {
        title: "Negócios",
        kind_title: "Etapa",
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

fn build_case_line(
    registers: &TenantRegisters,
    item: &ResolvedCase,
    root: &str,
    now: Moment,
) -> RelatedRecordLine {
    let head = item.case.head();
    RelatedRecordLine {
        link: format!("{root}{}", pages::build_case_path(item)),
        name: format!("Protocolo {}", head.protocol),
        kind: pages::find_type_name(registers, &item.case),
        when: format_moment(head.opened_at, &registers.zone),
        situation: Some(build_situation_badge(registers, head.situation)),
        state: "",
        is_late: cases::compute_due_moment(registers, head).is_some_and(|due| due < now),
        at: head.opened_at,
    }
}

/// Label of a member's or benefit's field.
fn find_field_label(name: &str) -> String {
    let known = super::fields::SPECS.iter().chain(crate::pages::benefits::fields::SPECS);
    let found = known.into_iter().find(|spec| spec.name == name).map(|spec| spec.label);
    found.map_or_else(|| name.to_owned(), str::to_owned)
}

/// `benefits_by_code` has the names of the member's benefits.
fn build_timeline_event(
    registers: &TenantRegisters,
    one: RecordChange,
    benefits_by_code: &BTreeMap<BenefitCode, (String, String)>,
) -> TimelineEvent {
    let (situation, text, link) = match one.what {
        RecordChangeDetail::Situation { to, reason, benefit, .. } => {
            let (name, link) = benefits_by_code.get(&benefit).cloned().unwrap_or_default();
            let text = [name, reason.unwrap_or_default()].into_iter().filter(|part| !part.is_empty());
            let text = text.collect::<Vec<_>>().join(" — ");
            (Some(build_situation_badge(registers, to)), text, Some(link).filter(|link| !link.is_empty()))
        }
        RecordChangeDetail::Field { name, before, after } if name == "arquivo" => {
            (None, describe_file_change(before.as_deref(), after.as_deref()), None)
        }
        RecordChangeDetail::Field { name, before, after } => {
            let text = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
            (None, format!("{}: de {} para {}", find_field_label(&name), text(before), text(after)), None)
        }
    };
    let who = one.user_name.unwrap_or_else(|| "Sistema".to_owned());
    TimelineEvent { when: format_moment(one.at, &registers.zone), who, situation, text, link, at: one.at }
}

/// Newest first, at most `MOST_EVENTS`.
pub fn build_timeline(
    history: RecordHistory,
    benefits_by_code: &BTreeMap<BenefitCode, (String, String)>,
) -> EventTimeline {
    let RecordHistory { happened, registers } = history;
    let events = happened
        .into_iter()
        .rev()
        .take(MOST_EVENTS)
        .map(|one| build_timeline_event(&registers, one, benefits_by_code));
    EventTimeline::from_events(events.collect())
}

/// Events shown at first, and events shown after expanding.
pub struct EventTimeline {
    pub newest: Vec<TimelineEvent>,
    pub older: Vec<TimelineEvent>,
}

impl EventTimeline {
    fn from_events(mut events: Vec<TimelineEvent>) -> EventTimeline {
        let older = events.split_off(SHOWN_EVENTS.min(events.len()));
        EventTimeline { newest: events, older }
    }

    /// Adds the member's cases and deals as events.
    pub fn with_sections(self, sections: &[RelatedRecordSection], view: &MemberView) -> EventTimeline {
        let mut events: Vec<TimelineEvent> = self.newest.into_iter().chain(self.older).collect();
        let lines = sections.iter().flat_map(|section| section.lines.iter().map(move |line| (section, line)));
        events.extend(lines.map(|(section, line)| TimelineEvent {
            when: format_moment(line.at, &view.registers.zone),
            who: section.title.to_owned(),
            situation: None,
            text: format!("{} — {}", line.name, line.kind),
            link: Some(line.link.clone()),
            at: line.at,
        }));
        events.push(TimelineEvent {
            when: format_moment(view.profile.created_at, &view.registers.zone),
            who: view.registers.branch_name(view.profile.branch).to_owned(),
            situation: None,
            text: "Cadastro do associado".to_owned(),
            link: None,
            at: view.profile.created_at,
        });
        events.sort_by_key(|event| std::cmp::Reverse(event.at));
        EventTimeline::from_events(events)
    }
}

#[cfg(test)]
impl RelatedRecordSection {
    pub fn sample(with: crate::template_tests::SampleContent) -> RelatedRecordSection {
        let line = || RelatedRecordLine {
            link: with.text(),
            name: with.text(),
            kind: with.text(),
            when: with.text(),
            situation: with.option_of(|| with.badge()),
            state: "Aberto",
            is_late: true,
            at: Moment::from_millis(0),
        };
        RelatedRecordSection {
            title: "Eventos",
            kind_title: "Tipo",
            all: with.text(),
            total: 9,
            lines: with.list_of(line),
        }
    }
}
