//! The report at the end of a mirror run, in Portuguese, for the operator.

use exchange::mirror_store::{MirrorNoteGroup, StoredMirror};
use std::fmt::Write;
use std::time::Duration;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct MirrorRunReport {
    pub mirror: StoredMirror,
    pub base_name: String,
    pub is_new: bool,
    pub requests: u64,
    pub written: u64,
    pub took: Duration,
    pub noted: Vec<MirrorNoteGroup>,
    /// Operations that the source refused or does not have.
    pub unread: Vec<String>,
    pub uncarried_titles: UncarriedTitleCounts,
    /// The title types of charging rules, of which no mirrored title is, though there are some of people with benefits.
    pub unmatched_charging_types: Vec<String>,
}

/// How many titles the source counts that are not carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UncarriedTitleCounts {
    pub settled: u64,
    /// Not posted yet.
    pub pending: u64,
    pub cost_sharing: u64,
}

/// Data that a mirror does not contain. Of all but money, the API exposes nothing.
pub const NOT_MIRRORED: &[&str] = &[
    "títulos cancelados, pendentes e de rateio, e os liquidados, menos os a receber que vencem deste mês em diante (para que não se cobre de novo)",
    "as linhas de cada título, a sua parcela e o que se pagou de multa e juros (daqui em diante valem os tipos de título daqui)",
    "créditos dos associados e saldos das contas (entram por planilha: Importar)",
    "usuários, senhas e permissões (quem é citado aparece pelo nome, sem poder entrar)",
    "receptores de gatilhos e o que já foi entregue",
    "vistorias, chamados (help desk) e consultas médicas",
    "o histórico das situações de antes deste espelho, com os seus codHistorico",
    "anotações, anexos e descrições dos eventos, e as datas em que se encerraram",
    "observação, código de integração e código FIPE dos benefícios",
    "código de integração, CNPJ da empresa, preferências de contato e outros telefones dos associados (os de quem tem evento vêm com ele)",
    "a loja, o consultor e o representante do próprio associado, onde um benefício tem os seus",
    "leads inativos sem negócio, e o consultor de cada lead",
    "vendedores, planos, tipos e campos inativos que nenhum registro cita",
    "o valor e o tipo dos planos que nenhum benefício, dependente ou negócio mostra",
    "o token dos cartões de crédito no gateway: daqui não se cobra",
    "horas: a interface só diz o dia de cadastro, alteração e abertura",
];

impl MirrorRunReport {
    pub fn render(&self) -> String {
        let mut text = String::new();
        let StoredMirror { tenant, source, since, .. } = &self.mirror;
        let kind = match (self.is_new, since) {
            (true, _) => "criada agora e lida inteira".to_owned(),
            (false, None) => "lida inteira".to_owned(),
            (false, Some(day)) => format!("com o que mudou desde {}", day.to_br()),
        };
        let _ = writeln!(text, "Espelho de {source} na base {tenant} ({}), {kind}.", self.base_name);
        let seconds = self.took.as_secs_f64().max(0.001);
        let _ = writeln!(
            text,
            "{} requisições em {}; {} registros gravados ({:.0} por segundo).",
            self.requests,
            format_duration(self.took),
            self.written,
            self.written as f64 / seconds
        );
        if self.unread.is_empty() && self.noted.is_empty() {
            let _ = writeln!(text, "Tudo o que a origem ofereceu foi lido.");
        }
        if !self.unread.is_empty() {
            let _ = writeln!(text, "\nNão pôde ser lido:");
            for line in &self.unread {
                let _ = writeln!(text, "  - {line}");
            }
        }
        if !self.noted.is_empty() {
            let _ = writeln!(
                text,
                "\nNão pôde ser tomado como veio (amparo mirror --list-problems mostra um por um):"
            );
            for MirrorNoteGroup { kind, field, reason, count, first } in &self.noted {
                let subject = if *count == 1 {
                    format!("{kind} {first}")
                } else {
                    format!("{count} × {kind} (o primeiro: {first})")
                };
                let _ = writeln!(text, "  - {subject}, {field}: {reason}");
            }
        }
        for name in &self.unmatched_charging_types {
            let _ = writeln!(
                text,
                "\nNenhum título espelhado é do tipo que a regra de cobrança usa ({name}): a cobrança do mês cobraria de novo os \
                 meses que eles já cobram. Troque o tipo na regra pelo que as mensalidades têm na origem e espelhe de novo \
                 antes de cobrar, ou comece a cobrar aqui depois do último vencimento deles."
            );
        }
        let UncarriedTitleCounts { settled, pending, cost_sharing } = self.uncarried_titles;
        if settled + pending + cost_sharing > 0 {
            let _ = writeln!(
                text,
                "\nTítulos da origem que não são trazidos: {settled} liquidados, {pending} pendentes, {cost_sharing} de rateio."
            );
        }
        let _ = writeln!(text, "\nO espelho não traz:");
        for line in NOT_MIRRORED {
            let _ = writeln!(text, "  - {line}");
        }
        text.trim_end().to_owned()
    }
}

fn format_duration(span: Duration) -> String {
    match span.as_secs() {
        0 => format!("{} ms", span.as_millis()),
        seconds @ 1..=119 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}
