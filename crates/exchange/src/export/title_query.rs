//! The filters of exported titles, which are those of the list on the web.

use domain::finance::TitleSituation;
use domain::{Money, fold_text};
use finance::{DayRange, LatenessRange, TitleCriteria, TitleSearch};
use wire::read::{BoundedInt, FieldPatch, QueryDate};
use wire::records::TituloExportacaoQuery;
use wire::set_names;

pub(super) fn build_title_search(query: TituloExportacaoQuery) -> TitleSearch {
    let named: Option<Vec<String>> = query.situation.into_set().map(|names| {
        let names = names.split(',').map(|name| fold_text(name.trim()));
        names.filter(|name| !name.is_empty()).collect()
    });
    let overdue = fold_text(set_names::OVERDUE);
    let is_overdue = named.iter().flatten().any(|name| *name == overdue);
    let late = query.late_least.into_set().map(BoundedInt::get);
    let at_most = query.late_most.into_set().map(BoundedInt::get);
    let is_late = late.is_some() || at_most.is_some();
    let lateness = is_late.then(|| LatenessRange { at_least: late.unwrap_or(1), at_most });
    TitleSearch {
        criteria: TitleCriteria {
            launch_kinds: query.launch_kind.into_set().map(|kind| kind.0).into_iter().collect(),
            // An unknown name finds nothing.
            situations: match named {
                Some(names) => Some(names.iter().filter_map(|name| find_situation(name)).collect()),
                None => is_late.then(Vec::new),
            },
            person: query.person.into_set(),
            benefits: query.benefit.into_set().map(|benefit| vec![benefit]),
            branch: query.branch.into_set(),
            amount: query.amount.into_set().map(Money::cents),
            issued: build_range(query.issued_from, query.issued_to),
            due: build_range(query.due_from, query.due_to),
            settled: build_range(query.settled_from, query.settled_to),
            paid: build_range(query.paid_from, query.paid_to),
            ..TitleCriteria::default()
        },
        document: query.document.into_set(),
        plate: query.plate.into_set(),
        includes_overdue: is_overdue || is_late,
        lateness,
        ..TitleSearch::default()
    }
}

fn find_situation(name: &str) -> Option<TitleSituation> {
    TitleSituation::ALL.iter().copied().find(|one| fold_text(set_names::title_situation(*one)) == name)
}

fn build_range(from: FieldPatch<QueryDate>, to: FieldPatch<QueryDate>) -> DayRange {
    let day = |date: FieldPatch<QueryDate>| date.into_set().map(QueryDate::get);
    DayRange { from: day(from), to: day(to) }
}
