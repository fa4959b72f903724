//! The pages that are asked for, and the codes in their addresses, drawn from the lists themselves.

use super::{Failure, Visitor};

/// A page, by several addresses that are asked for in turns.
pub struct Asked {
    pub name: &'static str,
    pub paths: Vec<String>,
    pub may_be_absent: bool,
}

/// What stands in addresses.
pub struct Codes {
    people: Vec<String>,
    benefits: Vec<String>,
    documents: Vec<String>,
    months: Vec<String>,
}

/// Pages of a list that codes are drawn from.
const DRAWN: usize = 5;
/// Codes of each kind.
const SOME: usize = 60;

/// What stands behind each of these in a page, up to a sign that ends it.
fn behind(page: &str, begin: &str) -> Vec<String> {
    let rest = page.split(begin).skip(1);
    let texts = rest.filter_map(|rest| rest.split(['"', '<', '?', '/']).next());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

impl Codes {
    pub fn draw(visitor: &mut Visitor) -> Result<Codes, Failure> {
        let (mut people, mut benefits, mut documents) = (Vec::new(), Vec::new(), Vec::new());
        for number in 1..=DRAWN {
            let list =
                visitor.page(&format!("/console/associados?situacaoBeneficio=ATIVO&pagina={number}"))?;
            let is_number = |text: &String| text.bytes().all(|byte| byte.is_ascii_digit());
            people.extend(behind(&list.body, "/console/associados/").into_iter().filter(is_number));
            benefits.extend(behind(&list.body, "/console/beneficios/").into_iter().filter(is_number));
            documents.extend(behind(&list.body, "class=\"nowrap number\">"));
        }
        let panel = visitor.page("/console")?;
        let mut months = behind(&panel.body, "beneficios?entrada=");
        months.dedup();
        for drawn in [&mut people, &mut benefits, &mut documents] {
            // Spread over what was read: rows that follow each other are too much alike.
            let step = (drawn.len() / SOME).max(1);
            *drawn = drawn.iter().step_by(step).take(SOME).cloned().collect();
        }
        if people.is_empty() || benefits.is_empty() {
            return Err("the database does not hold the demonstration".into());
        }
        Ok(Codes { people, benefits, documents, months })
    }
}

pub fn all(codes: &Codes) -> Vec<Asked> {
    let one = |name, path: &str| Asked { name, paths: vec![path.to_owned()], may_be_absent: false };
    let some = |name, paths: Vec<String>| Asked { name, paths, may_be_absent: false };
    let maybe = |name, path: &str| Asked { may_be_absent: true, ..one(name, path) };
    let each = |all: &[String], begin: &str, end: &str| -> Vec<String> {
        all.iter().map(|code| format!("{begin}{code}{end}")).collect()
    };
    let (person, benefit) = ("/console/associados/", "/console/beneficios/");
    vec![
        one("painel", "/console"),
        one("associados", "/console/associados"),
        one("associados, page 9", "/console/associados?pagina=9"),
        one("associados by situation", "/console/associados?situacaoBeneficio=CANCELADO"),
        one("associados by name", "/console/associados?nome=maria+silva"),
        one("associados by a rare name", "/console/associados?nome=zu"),
        one("associados by state", "/console/associados?uf=SP&situacaoBeneficio=ATIVO"),
        one("associados by branch", "/console/associados?codLoja=1"),
        some("associado", each(&codes.people, person, "")),
        some("associado, form", each(&codes.people, person, "/alterar")),
        some("benefício, new", each(&codes.people, person, "/beneficios/novo?tipo=veicular")),
        one("benefícios", "/console/beneficios"),
        one("benefícios by situation", "/console/beneficios?situacaoBeneficio=INADIMPLENTE"),
        some("benefícios of a month, in", each(&codes.months, "/console/beneficios?entrada=", "")),
        some("benefícios of a month, out", each(&codes.months, "/console/beneficios?saida=", "")),
        some("benefício", each(&codes.benefits, benefit, "")),
        some("benefício, form", each(&codes.benefits, benefit, "/alterar")),
        some("benefício, situation", each(&codes.benefits, benefit, "/situacao")),
        some("benefício, card", each(&codes.benefits, benefit, "/cartao")),
        some("search by document or phone", each(&codes.documents, "/console/busca?q=", "")),
        one("search by name", "/console/busca?q=maria"),
        one("search by number", "/console/busca?q=77"),
        maybe("eventos", "/console/eventos"),
        maybe("eventos, late", "/console/eventos?atrasado=true"),
        maybe("vistorias", "/console/vistorias"),
        maybe("help desk", "/console/help-desk"),
        maybe("consultas", "/console/consultas"),
        maybe("vendas", "/console/vendas"),
        maybe("cadastros", "/console/cadastros"),
        maybe("gatilhos", "/console/gatilhos"),
        maybe("usuários", "/console/usuarios"),
        maybe("auditoria", "/console/auditoria"),
        maybe("e-mails", "/console/emails"),
        one("conta", "/console/conta"),
        one("sobre", "/console/sobre"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_out_of_links() {
        let page = r#"<a href="/console/associados/77">x</a><a href="/console/associados/78?a=b">"#;
        assert_eq!(behind(page, "/console/associados/"), ["77", "78"]);
    }
}
