//! The dashboard, the alert rules, their documentation and the emitters name only metrics and labels that exist.

use super::{files, read, root};
use metric_list::{ALL_METRICS, MetricDescription, MetricKind};
use std::collections::BTreeSet;
use std::process::Command;

#[path = "../../src/measurement/metric_list.rs"]
#[allow(dead_code, reason = "the binary uses the rest")]
mod metric_list;

const DASHBOARD: &str = "deploy/grafana/amparo.json";
const ALERTS: &str = "deploy/prometheus/amparo-alerts.yml";
const RUNBOOKS: &str = "docs/runbooks.pt-BR.md";
/// Labels that Prometheus adds, and that of the buckets of a histogram.
const FOREIGN_LABELS: [&str; 4] = ["job", "instance", "le", "severity"];
/// Labels whose values depend on what happens.
const OPEN_LABELS: [&str; 4] = ["route", "method", "status", "version"];

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The metric of a name in an expression, which for a histogram has an ending.
fn find_metric(name: &str) -> Option<&'static MetricDescription> {
    let by_name = |name: &str| ALL_METRICS.iter().find(|metric| metric.name == name);
    let histogram = ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|ending| by_name(name.strip_suffix(ending)?))
        .filter(|metric| metric.kind == MetricKind::Histogram);
    histogram.or_else(|| by_name(name).filter(|metric| metric.kind != MetricKind::Histogram))
}

/// The names of metrics in a text, each with what follows it.
fn list_names(text: &str) -> Vec<(&str, &str)> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        let (word, after) = (&rest[start..end], &rest[end..]);
        if word.starts_with("amparo_") || word.starts_with("process_") {
            names.push((word, after));
        }
        rest = after;
    }
    names
}

/// The selectors in braces: label, and the values that it is compared with.
fn list_selectors(after: &str) -> Vec<(&str, Vec<&str>)> {
    let Some(inside) = after.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
        return Vec::new();
    };
    let pairs = inside.0.split(',').filter(|pair| !pair.trim().is_empty());
    let parsed = pairs.map(|pair| {
        let (label, value) = pair.trim().split_once(['=', '!']).unwrap_or_else(|| panic!("{pair}"));
        (label, value.trim_start_matches(['=', '~']).trim_matches('"').split('|').collect())
    });
    parsed.collect()
}

/// Fails for a metric, a label or a value of a label that does not exist.
fn check_expression(expression: &str, place: &str) {
    for (name, after) in list_names(expression) {
        let metric = find_metric(name).unwrap_or_else(|| panic!("{place}: no metric {name}"));
        for (label, values) in list_selectors(after) {
            if FOREIGN_LABELS.contains(&label) {
                continue;
            }
            let known = metric.labels.iter().find(|(known, _)| *known == label);
            let (_, known) = known.unwrap_or_else(|| panic!("{place}: {name} has no label {label}"));
            for value in values.iter().filter(|_| !OPEN_LABELS.contains(&label)) {
                assert!(known.contains(value), "{place}: {name} has no {label}=\"{value}\"");
            }
        }
    }
    let labels: BTreeSet<&str> =
        ALL_METRICS.iter().flat_map(|metric| metric.labels).map(|(name, _)| *name).collect();
    for group in ["by (", "on ("].iter().flat_map(|word| expression.split(word).skip(1)) {
        for label in group.split(')').next().unwrap().split(',').map(str::trim) {
            assert!(labels.contains(label) || FOREIGN_LABELS.contains(&label), "{place}: no label {label}");
        }
    }
}

/// The texts under this key, at any depth.
fn collect_texts(value: &serde_json::Value, key: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, inner) in fields {
                match inner.as_str().filter(|_| name == key) {
                    Some(text) => found.push(text.to_owned()),
                    None => collect_texts(inner, key, found),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|inner| collect_texts(inner, key, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let dashboard: serde_json::Value = serde_json::from_str(&read(DASHBOARD)).unwrap();
    for key in ["expr", "query"] {
        let mut expressions = Vec::new();
        collect_texts(&dashboard, key, &mut expressions);
        assert!(expressions.len() > 2, "{key}");
        expressions.iter().for_each(|expression| check_expression(expression, DASHBOARD));
    }
    let mut sources = Vec::new();
    collect_texts(&dashboard, "uid", &mut sources);
    assert!(sources.iter().all(|uid| uid == "${datasource}" || uid == "amparo"), "{sources:?}");
}

#[test]
fn every_metric_is_on_the_dashboard() {
    let dashboard = read(DASHBOARD);
    let shown: BTreeSet<&str> =
        list_names(&dashboard).into_iter().filter_map(|(name, _)| Some(find_metric(name)?.name)).collect();
    // The first is of little use beside the resident memory, the second beside the backups that were made.
    let left_out = ["process_virtual_memory_bytes", "amparo_backup_scheduled"];
    for metric in ALL_METRICS.iter().filter(|metric| !left_out.contains(&metric.name)) {
        assert!(shown.contains(metric.name), "{} is not on the dashboard", metric.name);
    }
}

/// The parts of a rule file that begin with the name of an alert.
fn list_alerts() -> Vec<String> {
    read(ALERTS).split("- alert: ").skip(1).map(str::to_owned).collect()
}

#[test]
fn alerts_watch_metrics_that_exist() {
    let alerts = list_alerts();
    assert!(alerts.len() > 20);
    for alert in &alerts {
        let expression = alert.split_once("expr: >-").unwrap().1.split("labels:").next().unwrap();
        check_expression(expression, ALERTS);
    }
}

/// As GitHub builds it.
fn build_anchor(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-")
}

#[test]
fn every_alert_says_what_to_do() {
    // The headings of the runbooks that an alert may lead to.
    let headings = [
        "Disco cheio",
        "Banco só para leitura",
        "Receptor falhando",
        "Certificado",
        "Relógio",
        "Cópias atrasadas",
        "E-mails parados",
        "Servidor lento ou com erros",
    ];
    let runbooks = std::fs::read_to_string(root().join(RUNBOOKS)).ok();
    for alert in list_alerts() {
        let name = alert.lines().next().unwrap();
        for part in ["severity: ", "summary: ", "description: >-"] {
            assert!(alert.contains(part), "{name} has no {part}");
        }
        let anchor =
            alert.split_once(&format!("runbook: {RUNBOOKS}#")).map(|(_, rest)| rest.lines().next().unwrap());
        let heading = headings.iter().find(|heading| Some(build_anchor(heading).as_str()) == anchor);
        let heading = heading.unwrap_or_else(|| panic!("{name} leads to {anchor:?}"));
        if let Some(runbooks) = &runbooks {
            assert!(
                runbooks.lines().any(|line| line.trim_start_matches('#').trim() == *heading),
                "{heading}"
            );
        }
        let text = alert.split_whitespace().collect::<Vec<_>>().join(" ");
        let commands: Vec<&str> =
            text.split('`').skip(1).step_by(2).filter(|one| one.starts_with("amparo ")).collect();
        assert!(!commands.is_empty(), "{name} names no command");
        for command in commands {
            let verbs = command.split(' ').skip(1);
            let output =
                Command::new(env!("CARGO_BIN_EXE_amparo")).args(verbs).arg("--help").output().unwrap();
            assert!(output.status.success(), "{name}: {command}");
        }
    }
}

/// Emitters name their metric in the macro, so that all of them are found here.
#[test]
fn everything_that_is_emitted_is_in_the_list() {
    let mut sources = Vec::new();
    for folder in std::fs::read_dir(root().join("crates")).unwrap() {
        files(&folder.unwrap().path().join("src"), "rs", &mut sources);
    }
    let mut emitted = BTreeSet::new();
    for path in &sources {
        let text = std::fs::read_to_string(path).unwrap();
        for (kind, start) in [
            (MetricKind::Counter, "metrics::counter!(\""),
            (MetricKind::Gauge, "metrics::gauge!(\""),
            (MetricKind::Histogram, "metrics::histogram!(\""),
        ] {
            for rest in text.split(start).skip(1) {
                let name = rest.split('"').next().unwrap();
                let metric = ALL_METRICS.iter().find(|metric| metric.name == name);
                let metric =
                    metric.unwrap_or_else(|| panic!("{}: {name} is not in the list", path.display()));
                assert_eq!(metric.kind, kind, "{name}");
                emitted.insert(metric.name);
            }
        }
    }
    let never: Vec<&str> =
        ALL_METRICS.iter().map(|metric| metric.name).filter(|name| !emitted.contains(name)).collect();
    assert!(never.is_empty(), "never emitted: {never:?}");
}

#[test]
fn the_table_of_the_operations_manual_is_the_list() {
    let manual = read("docs/operations.md");
    let table = manual.split_once("| medida | o que conta |").unwrap().1.split("\n\n").next().unwrap();
    let told: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .flat_map(list_names)
        .map(|(name, _)| name)
        .collect();
    let known: BTreeSet<&str> = ALL_METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(told, known);
    for document in ["docs/operations.md", RUNBOOKS, "docs/runbooks.md"] {
        for (name, after) in list_names(&read(document)) {
            // What stands before `::` is the target of a log; files and databases have one word behind `amparo_`.
            let is_metric = !after.starts_with("::") && name.matches('_').count() > 1;
            assert!(
                !is_metric || find_metric(name).is_some() || known.contains(name),
                "{name} in {document}"
            );
        }
    }
}
