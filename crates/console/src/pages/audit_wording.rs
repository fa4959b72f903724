//! Audit entries in plain language: `benefício 77 cancelado` becomes *cancelou o benefício 77*, with a link to the
//! record. Unknown texts are shown as stored.

/// A sentence about an action: the words before the record, the record with its link, the words after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ActionPhrase {
    pub before: String,
    pub thing: String,
    /// Relative to the console's root.
    pub link: Option<String>,
    pub after: String,
}

impl ActionPhrase {
    fn from_text(text: impl Into<String>) -> ActionPhrase {
        ActionPhrase { before: text.into(), ..ActionPhrase::default() }
    }
}

/// Records in audit entries: word, article, path of the page (`#` stands for the code).
const RECORDS: &[(&str, &str, &str)] = &[
    ("benefício", "o", "/beneficios/#"),
    ("evento", "o", "/eventos/#"),
    ("vistoria", "a", "/vistorias/#"),
    ("chamado", "o", "/help-desk/#"),
    ("consulta", "a", "/consultas/#"),
    ("negócio", "o", "/vendas/#"),
    ("lead", "o", "/vendas/leads"),
    ("usuário", "o", "/usuarios/#"),
    ("receptor", "o", "/gatilhos"),
    ("arquivo", "o", "/arquivos/#"),
    ("importação", "a", "/importar/#"),
];

/// Stored action texts and their wording: `~` stands for the article.
const DEEDS: &[(&str, &str)] = &[
    ("criado", "criou ~"),
    ("aberto", "abriu ~"),
    ("alterado", "alterou ~"),
    ("cancelado", "cancelou ~"),
    ("reativado", "reativou ~"),
    ("anotado", "escreveu uma anotação n~"),
    ("anexado", "anexou ~"),
    ("removido", "removeu ~"),
    ("restaurado", "restaurou ~"),
    ("pausado", "pausou ~"),
    ("retomado", "retomou ~"),
    ("testado", "testou ~"),
    ("colunas mapeadas", "escolheu as colunas d~"),
    ("conferência iniciada", "mandou conferir ~"),
    ("conferida", "terminou de conferir ~"),
    ("iniciada", "iniciou ~"),
    ("pausada", "pausou ~"),
    ("retomada", "retomou ~"),
    ("concluída", "concluiu ~"),
    ("desfazer iniciado", "mandou desfazer ~"),
    ("desfeita", "desfez ~"),
    ("ganho", "ganhou ~"),
    ("perdido", "deu como perdido ~"),
    ("reaberto", "reabriu ~"),
    ("desfeito", "desfez a mudança d~"),
    ("mudou de situação", "mudou a situação d~"),
    ("mudou de etapa", "mudou a etapa d~"),
    ("recebeu outra senha", "deu outra senha para ~"),
    ("trocou a própria senha", "trocou a senha d~"),
    ("trocou a senha por um link", "trocou por um link a senha d~"),
    ("recebeu um link de senha", "pediu um link de senha para ~"),
    ("entrou no console", "entrou no console como ~"),
    ("entrou no console com o segundo fator", "entrou no console, com o segundo fator, como ~"),
    (
        "entrou no console com um código de recuperação",
        "entrou no console, com um código de recuperação, como ~",
    ),
    ("entrou pela API", "entrou pela API como ~"),
    ("entrou pela API com o segundo fator", "entrou pela API, com o segundo fator, como ~"),
    ("acertou a senha", "acertou a senha d~"),
    ("usou um código de recuperação", "usou um código de recuperação d~"),
    ("teve a entrada recusada", "não conseguiu entrar como ~"),
    ("teve a senha recusada", "errou a senha d~"),
    ("teve um código recusado", "errou um código d~"),
    ("teve a entrada bloqueada", "foi impedido de entrar como ~"),
    ("teve as sessões encerradas", "encerrou as sessões d~"),
    ("ligou o segundo fator", "ligou o segundo fator d~"),
    ("ficou sem o segundo fator", "retirou o segundo fator d~"),
    ("recebeu novos códigos de recuperação", "fez novos códigos de recuperação d~"),
];

/// Describes a change. A change to a member's own record names no record, because its page already shows the member.
pub fn describe_change(detail: &str, is_of_person: bool) -> ActionPhrase {
    let (head, rest) = detail.split_once(": ").map_or((detail, ""), |(head, rest)| (head, rest));
    if is_of_person && (head == "criado" || head == "alterado") {
        let verb = if head == "criado" { "criou" } else { "alterou" };
        return ActionPhrase {
            before: format!("{verb} o cadastro"),
            after: format_note(rest),
            ..ActionPhrase::default()
        };
    }
    parse_record_change(head, rest)
        .or_else(|| parse_register_change(head, rest))
        .or_else(|| parse_other_change(head, rest))
        .unwrap_or_else(|| ActionPhrase::from_text(detail))
}

/// `benefício 77 cancelado`
fn parse_record_change(head: &str, rest: &str) -> Option<ActionPhrase> {
    let (word, behind) = head.split_once(' ')?;
    let (code, done) = behind.split_once(' ')?;
    let (_, article, path) = RECORDS.iter().find(|(known, ..)| *known == word)?;
    let number: i32 = code.parse().ok()?;
    let thing = format!("{word} {number}");
    let link = Some(path.replace('#', code));
    if let Some((_, phrase)) = DEEDS.iter().find(|(known, _)| *known == done) {
        return Some(ActionPhrase {
            before: phrase.replace('~', article),
            thing,
            link,
            after: format_note(rest),
        });
    }
    if let Some(to) = done.strip_prefix("passou a ") {
        let after = format!(" para {to}{}", format_note(rest));
        return Some(ActionPhrase { before: format!("passou {article}"), thing, link, after });
    }
    if let Some(lines) = done.strip_prefix("recebida, com ") {
        return Some(ActionPhrase {
            before: "enviou o arquivo da".to_owned(),
            thing,
            link,
            after: format_note(lines),
        });
    }
    if let Some(source) = done.strip_prefix("criado d") {
        return Some(ActionPhrase {
            before: format!("criou {article}"),
            thing,
            link,
            after: format!(" a partir d{source}"),
        });
    }
    Some(ActionPhrase {
        before: format!("mexeu n{article}"),
        thing,
        link,
        after: format!(": {done}{}", format_note(rest)),
    })
}

/// `plano 5: cadastro`, `plano 5: nome, valor`
fn parse_register_change(head: &str, rest: &str) -> Option<ActionPhrase> {
    let (path, code) = head.split_once(' ')?;
    let register = registers::find_register(path)?;
    code.parse::<i32>().ok()?;
    let (verb, after) = match rest {
        "cadastro" => ("cadastrou", String::new()),
        _ => ("alterou", format_note(rest)),
    };
    let (article, one) = register.words.the_one.split_once(' ').unwrap_or(("o", register.words.one));
    Some(ActionPhrase {
        before: format!("{verb} {article}"),
        thing: format!("{one} {code}"),
        link: Some(format!("/cadastros/{path}/{code}")),
        after,
    })
}

/// Changes whose text has a special form.
fn parse_other_change(head: &str, rest: &str) -> Option<ActionPhrase> {
    if head == "base alterada" {
        return Some(ActionPhrase::from_text(format!("alterou os dados da associação{}", format_note(rest))));
    }
    if let Some(deliveries) = head.strip_suffix(" reenviadas") {
        return Some(ActionPhrase::from_text(format!("reenviou {deliveries}")));
    }
    head.strip_suffix(" trocado")
        .map(|what| ActionPhrase::from_text(format!("trocou o {what}{}", format_note(rest))))
}

fn format_note(rest: &str) -> String {
    if rest.is_empty() { String::new() } else { format!(" ({rest})") }
}

/// How a person's record was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAccessKind {
    /// A single record, opened directly.
    SingleRecord,
    /// One of several, in a list or a search.
    RecordList,
    /// The open validation, which needs no credential.
    OpenValidation,
}

pub fn classify_access(operation: &str) -> RecordAccessKind {
    if operation == "POST /ext/beneficio/validacao" {
        return RecordAccessKind::OpenValidation;
    }
    if operation.contains('{') { RecordAccessKind::SingleRecord } else { RecordAccessKind::RecordList }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(detail: &str) -> (String, Option<String>) {
        let deed = describe_change(detail, false);
        let gap = if deed.thing.is_empty() { "" } else { " " };
        (format!("{}{gap}{}{}", deed.before, deed.thing, deed.after), deed.link)
    }

    #[test]
    fn what_was_done_is_said_as_people_say_it() {
        for (detail, expected, link) in [
            ("benefício 77 cancelado", "cancelou o benefício 77", Some("/beneficios/77")),
            (
                "benefício 7 alterado: item 3 retirado",
                "alterou o benefício 7 (item 3 retirado)",
                Some("/beneficios/7"),
            ),
            (
                "benefício 8 criado do negócio 5",
                "criou o benefício 8 a partir do negócio 5",
                Some("/beneficios/8"),
            ),
            ("benefício 8 mudou de situação", "mudou a situação do benefício 8", Some("/beneficios/8")),
            ("vistoria 4 passou a APROVADA", "passou a vistoria 4 para APROVADA", Some("/vistorias/4")),
            ("chamado 9 anotado", "escreveu uma anotação no chamado 9", Some("/help-desk/9")),
            ("usuário 3 teve as sessões encerradas", "encerrou as sessões do usuário 3", Some("/usuarios/3")),
            (
                "usuário 3 teve a entrada bloqueada: tentativas demais na conta",
                "foi impedido de entrar como o usuário 3 (tentativas demais na conta)",
                Some("/usuarios/3"),
            ),
            (
                "usuário 3 trocou a senha por um link",
                "trocou por um link a senha do usuário 3",
                Some("/usuarios/3"),
            ),
            ("negócio 5 virou outra coisa", "mexeu no negócio 5: virou outra coisa", Some("/vendas/5")),
            ("plano 5: cadastro", "cadastrou o plano 5", Some("/cadastros/plano/5")),
            ("plano 5: nome, valor", "alterou o plano 5 (nome, valor)", Some("/cadastros/plano/5")),
            (
                "importação 7 recebida, com 5 linhas",
                "enviou o arquivo da importação 7 (5 linhas)",
                Some("/importar/7"),
            ),
            ("importação 7 desfazer iniciado", "mandou desfazer a importação 7", Some("/importar/7")),
            ("base alterada: nome", "alterou os dados da associação (nome)", None),
            ("12 entregas do receptor 3 reenviadas", "reenviou 12 entregas do receptor 3", None),
            ("segredo do receptor 3 trocado", "trocou o segredo do receptor 3", None),
            ("arquivo 12 anexado: no evento 7", "anexou o arquivo 12 (no evento 7)", Some("/arquivos/12")),
            ("algo de que ninguém sabe", "algo de que ninguém sabe", None),
        ] {
            assert_eq!(said(detail), (expected.to_owned(), link.map(str::to_owned)), "{detail}");
        }
        assert_eq!(describe_change("alterado", true), ActionPhrase::from_text("alterou o cadastro"));
    }

    #[test]
    fn a_list_is_told_from_a_single_look() {
        assert_eq!(classify_access("GET /gestao/associado/{codPessoa}"), RecordAccessKind::SingleRecord);
        assert_eq!(classify_access("GET /console/busca"), RecordAccessKind::RecordList);
        assert_eq!(classify_access("POST /ext/beneficio/validacao"), RecordAccessKind::OpenValidation);
    }
}
