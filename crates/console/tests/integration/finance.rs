//! Money on the console: the list of titles, what is done with one of them, and who sees any of it.

use crate::scene::ConsoleScene;
use serde_json::json;
use std::time::Duration;
use testkit::{World, both_engines};

const TITLES: &str = "/console/financeiro/titulos";

/// A page with plain spaces inside amounts.
async fn read_page(scene: &ConsoleScene, token: &str, path: &str) -> String {
    let answer = scene.get(token, path).await.head;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body.replace('\u{a0}', " ")
}

/// A form that must be stored.
async fn store(scene: &ConsoleScene, path: &str, form: &str) {
    let answer = scene.post(&scene.administrator, path, form).await.head;
    assert_eq!(answer.status, 303, "{path} {form}: {answer:?}");
}

fn assert_shows(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text} is not shown in {page}");
    }
}

#[both_engines]
async fn the_list_is_filtered_and_summed(world: World) {
    let scene = ConsoleScene::on(world).await;
    let admin = &scene.administrator;
    let all = read_page(&scene, admin, TITLES).await;
    assert_shows(&all, &["2 títulos", "R$ 200,00", "R$ 180,00", "Título de Pessoa 1", "Título de Pessoa 2"]);
    for (query, texts) in [
        ("codLoja=1", ["1 título", "R$ 100,00", "Título de Pessoa 2"]),
        ("busca=111.222.331-24", ["1 título", "R$ 90,00", "Título de Pessoa 1"]),
        ("pessoa=2", ["1 título", "Pessoa 2", "Novo título"]),
        ("vencimentoDe=01/11/2026&vencimentoAte=31/12/2026", ["2 títulos", "R$ 200,00", "R$ 180,00"]),
        ("situacao=vencido", ["Nenhum título encontrado", "Vencido", "Filtrar"]),
        ("situacao=cobrado", ["2 títulos", "R$ 180,00", "situacao=ABERTO%2CLIQUIDADO"]),
        ("situacao=vencido60", ["Nenhum título encontrado", "Vencido há 31 a 60 dias", "Filtrar"]),
        ("busca=100,00", ["2 títulos", "Título de Pessoa 1", "Título de Pessoa 2"]),
        ("busca=R$+99,99&situacao=todas", ["Nenhum título encontrado", "Filtrar", "R$ 99,99"]),
        ("pagoDe=01/01/2020", ["2 títulos", "Recebido no período", "dataPagamentoInicial=01%2F01%2F2020"]),
        ("pagoAte=01/01/2020", ["Nenhum título encontrado", "Pago até", "Filtrar"]),
        ("pagoDe=ontem", ["“ontem” não é uma data", "Pago de", "Filtrar"]),
        ("ordem=recentes", ["2 títulos", "Vencimento mais antigo primeiro", "Título de Pessoa 1"]),
        ("tipo=debito", ["Nenhum título encontrado", "Débito", "Filtrar"]),
        ("vencimentoDe=ontem", ["“ontem” não é uma data", "Vencimento de", "Filtrar"]),
        ("busca=Maria", ["Procure por um CPF", "busca no alto", "Filtrar"]),
        ("busca=77", ["Não há título com o número 77", "value=\"77\"", "Filtrar"]),
    ] {
        assert_shows(&read_page(&scene, admin, &format!("{TITLES}?{query}")).await, &texts);
    }
    let found = scene.get(admin, &format!("{TITLES}?busca=2")).await.head;
    assert_eq!((found.status, found.header("location")), (303, Some("/console/financeiro/titulos/2")));
    scene.server.stop().await;
}

#[both_engines]
async fn payments_settle_a_title_and_what_is_left_is_credit(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, title) = (&scene.administrator, format!("{TITLES}/1"));
    let receive = format!("{title}/receber");
    let page = read_page(&scene, admin, &title).await;
    assert_shows(&page, &["Hoje, para quitar:", "R$ 90,00", "value=\"90,00\"", "Aberto", "Mensalidade"]);
    store(&scene, &receive, "valorPago=40,00&codTipoLiquidacao=3").await;
    assert_shows(&read_page(&scene, admin, &title).await, &["R$ 50,00", "Aberto", "R$ 40,00"]);
    store(&scene, &receive, "valorPago=60,00&codTipoLiquidacao=3").await;
    let page = read_page(&scene, admin, &title).await;
    assert_shows(&page, &["Liquidado", "R$ 50,00 do valor, R$ 10,00 a mais, que ficaram como crédito"]);
    assert!(!page.contains("id=\"receber\""), "{page}");
    let member = read_page(&scene, admin, "/console/associados/1").await;
    assert_shows(&member, &["Em dia", "Crédito de R$ 10,00", "Ver títulos", "Novo título"]);
    let receipt = read_page(&scene, admin, &format!("{title}/recibo/4")).await;
    assert_shows(&receipt, &["Recebemos de", "R$ 60,00", "Pessoa 1", "Pix"]);
    store(&scene, &format!("{title}/estornar/4"), "motivo=Pix+devolvido").await;
    let page = read_page(&scene, admin, &title).await;
    assert_shows(&page, &["Aberto", "Estornado em", "Motivo: Pix devolvido", "<del"]);
    scene.server.stop().await;
}

#[both_engines]
async fn money_that_no_title_takes_is_credit_and_goes_back(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, title, credits) =
        (&scene.administrator, format!("{TITLES}/1"), "/console/financeiro/creditos");
    let open = read_page(&scene, admin, &title).await;
    assert!(!open.contains("vira crédito"), "{open}");
    store(&scene, &format!("{title}/receber"), "valorPago=90,00&codTipoLiquidacao=3").await;
    let settled = read_page(&scene, admin, &title).await;
    assert_shows(
        &settled,
        &["Registrar pagamento recebido (vira crédito)", "?pessoa=1&amp;titulo=1#receber"],
    );
    let form = read_page(&scene, admin, &format!("{credits}?pessoa=1&titulo=1")).await;
    assert_shows(&form, &["Receber como crédito", "value=\"100,00\"", "value=\"1\"", "Nenhum movimento"]);
    for hidden in ["codGrupo", "confirmarRepetido", "Devolver"] {
        assert!(!form.contains(hidden), "{hidden}: {form}");
    }
    let paid = "codPessoa=1&valor=100,00&codTipoLiquidacao=3&codTitulo=1&observacao=Pago+de+novo";
    store(&scene, credits, paid).await;
    let page = read_page(&scene, admin, &format!("{credits}?pessoa=1")).await;
    assert_shows(
        &page,
        &["R$ 100,00", "Recebido como crédito em", "Pago de novo", "Título 1", "Devolver crédito"],
    );
    assert_shows(&read_page(&scene, admin, &title).await, &["Recebido como crédito", "R$ 100,00 em "]);
    let member = read_page(&scene, admin, "/console/associados/1").await;
    assert_shows(&member, &["Crédito de R$ 100,00", "Receber como crédito", "Devolver crédito"]);
    let refund = format!("{credits}/devolver");
    store(&scene, &refund, "codPessoa=1&valor=30,00&codTipoLiquidacao=3").await;
    let page = read_page(&scene, admin, &format!("{credits}?pessoa=1")).await;
    assert_shows(&page, &["−R$ 30,00", "Devolvido em", "R$ 70,00"]);
    let receipt = read_page(&scene, admin, &format!("{credits}/1/recibo")).await;
    assert_shows(
        &receipt,
        &["Recibo de crédito nº 1", "Recebemos de", "Pessoa 1", "R$ 100,00", "Pix", "Pago de novo"],
    );
    let receipt = read_page(&scene, admin, &format!("{credits}/2/recibo")).await;
    assert_shows(
        &receipt,
        &["Recibo de devolução nº 2", "Devolvemos a", "R$ 30,00", "do crédito que tinha conosco"],
    );
    assert!(!receipt.contains("não vale mais") && !receipt.contains("−R$"), "{receipt}");
    assert_eq!(scene.get(admin, &format!("{credits}/3/recibo")).await.head.status, 404);
    let refused = scene.post(admin, &refund, "codPessoa=1&valor=70,01&codTipoLiquidacao=3").await.head;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_shows(&refused.body, &["Passa do crédito da pessoa", "value=\"70,01\"", "Nada foi registrado."]);
    store(&scene, &format!("{credits}/1/estornar"), "codPessoa=1&motivo=Engano").await;
    let page = read_page(&scene, admin, &format!("{credits}?pessoa=1")).await;
    assert!(!page.contains("Motivo: Engano"), "a part of it went back: {page}");
    store(&scene, &format!("{credits}/2/estornar"), "codPessoa=1&motivo=Engano").await;
    let page = read_page(&scene, admin, &format!("{credits}?pessoa=1")).await;
    assert_shows(&page, &["Estornado em", "Motivo: Engano", "<del", "/console/financeiro/creditos/2/recibo"]);
    let receipt = read_page(&scene, admin, &format!("{credits}/2/recibo")).await;
    assert_shows(&receipt, &["Este pagamento foi estornado: o recibo não vale mais."]);
    scene.server.stop().await;
}

#[both_engines]
async fn the_same_payment_again_is_asked_about(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, credits) = (&scene.administrator, "/console/financeiro/creditos");
    let paid = "codPessoa=1&valor=100,00&codTipoLiquidacao=3";
    store(&scene, credits, paid).await;
    let asked = scene.post(admin, credits, paid).await.head;
    assert_eq!(asked.status, 400, "{asked:?}");
    assert_shows(&asked.body, &["name=\"confirmarRepetido\"", "O crédito 1 já registra", "value=\"100,00\""]);
    store(&scene, credits, &format!("{paid}&confirmarRepetido=sim")).await;
    let page = read_page(&scene, admin, &format!("{credits}?pessoa=1")).await;
    assert_shows(&page, &["R$ 200,00"]);
    assert!(!page.contains("confirmarRepetido") && !page.contains("pagina="), "{page}");
    let second = read_page(&scene, admin, &format!("{credits}?pessoa=1&pagina=2")).await;
    assert_shows(&second, &["Anterior", "Nenhum movimento"]);
    let audited = read_page(&scene, admin, "/console/auditoria").await;
    assert_shows(&audited, &["/console/financeiro/creditos?pessoa=1"]);
    scene.server.stop().await;
}

#[both_engines]
async fn a_form_sent_twice_is_stored_once(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, title) = (&scene.administrator, format!("{TITLES}/1"));
    let page = read_page(&scene, admin, &title).await;
    let token = page.split("name=\"envio\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("envio={token}&valorPago=20,00&codTipoLiquidacao=3");
    for _ in 0..3 {
        store(&scene, &format!("{title}/receber"), &form).await;
    }
    assert_shows(&read_page(&scene, admin, &title).await, &["R$ 70,00", "<small>2</small>"]);
    let other = format!("envio={token}&valorPago=30,00&codTipoLiquidacao=3");
    let answer = scene.post(admin, &format!("{title}/receber"), &other).await.head;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_shows(&answer.body, &["Este formulário já tinha sido enviado", "value=\"30,00\""]);
    let page = read_page(&scene, admin, &format!("{TITLES}/novo?pessoa=1")).await;
    let token = page.split("name=\"envio\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("envio={token}&codPessoa=1&codTipoTitulo=1&valor=90&parcelas=1");
    for _ in 0..2 {
        let answer = scene.post(admin, &format!("{TITLES}/novo"), &form).await.head;
        assert_eq!(answer.header("location"), Some("/console/financeiro/titulos/3"), "{answer:?}");
    }
    scene.server.stop().await;
}

#[both_engines]
async fn a_refused_form_keeps_what_was_typed(world: World) {
    let scene = ConsoleScene::on(world).await;
    let before = scene.read_database().await;
    for (path, form, texts) in [
        ("1/receber", "valorPago=&observacao=Fica", ["Informe quanto foi pago.", "Escolha o tipo", "Fica"]),
        (
            "1/receber",
            "valorPago=0,00&codTipoLiquidacao=3",
            ["Informe pelo menos R$ 0,01.", "id=\"p-valorPago\"", "value=\"0,00\""],
        ),
        (
            "1/receber",
            "valorPago=12,34&codTipoLiquidacao=3&dataPagamento=01/01/2031",
            ["id=\"p-dataPagamento\"", "value=\"12,34\"", "value=\"01/01/2031\""],
        ),
        ("1/cancelar", "motivo=Engano", ["O título já tem liquidação", "Nada foi salvo", "Receber"]),
        ("1/estornar/1", "motivo=", ["Informe o motivo.", "id=\"p-motivo\"", "Estornar"]),
        (
            "1/vencimento",
            "vencimento=31/02/2027&motivo=Pedido",
            ["id=\"p-vencimento\"", "31/02/2027", "Pedido"],
        ),
        ("1/liberar", "", ["O título não está à espera de liberação.", "Nada foi salvo", "Receber"]),
        (
            "novo",
            "codPessoa=1&valor=&parcelas=99&descricao=Fica",
            ["Informe o valor.", "id=\"p-parcelas\"", "value=\"Fica\""],
        ),
    ] {
        let answer = scene.post(&scene.administrator, &format!("{TITLES}/{path}"), form).await.head;
        assert_eq!(answer.status, 400, "{path} {form}: {answer:?}");
        assert_shows(&answer.body, &texts);
    }
    assert_eq!(before, scene.read_database().await);
    scene.server.stop().await;
}

#[both_engines]
async fn a_pix_code_is_generated_shown_and_printed(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, title) = (&scene.administrator, format!("{TITLES}/1"));
    let page = read_page(&scene, admin, &title).await;
    assert_shows(&page, &["Pagar com Pix", "Gerar código Pix"]);
    let print = scene.get(admin, &format!("{title}/pix")).await.head;
    assert_eq!((print.status, print.header("location")), (303, Some(title.as_str())));
    let made = scene.post(admin, &format!("{title}/pix"), "").await.head;
    let place = format!("{title}#pix");
    assert_eq!((made.status, made.header("location")), (303, Some(place.as_str())), "{made:?}");
    let page = read_page(&scene, admin, &title).await;
    let code = format!("B{}T1N1", scene.world.here);
    let shown =
        ["class=\"qr\"", "br.gov.bcb.pix0117pix@conta.example", "540590.00", code.as_str(), "R$ 90,00"];
    assert_shows(&page, &shown);
    assert!(!page.contains("Gerar código Pix"), "{page}");
    // The statement's identifier leads to the title, for those who see it.
    let (_, place) = page.split_once("No extrato:").unwrap();
    let (txid, _) = place.split_once('>').and_then(|(_, text)| text.split_once('<')).unwrap();
    assert!(txid.starts_with(&code) && txid.len() == code.len() + 6, "{txid}");
    for typed in [txid.to_owned(), txid.to_ascii_lowercase()] {
        let found = scene.get(admin, &format!("/console/busca?q={typed}")).await.head;
        assert_eq!((found.status, found.header("location")), (303, Some(title.as_str())), "{found:?}");
    }
    let unknown = format!("/console/busca?q={code}");
    assert_shows(&read_page(&scene, admin, &unknown).await, &["Nada foi encontrado"]);
    // The form that books the payment has the account that the code leads to.
    let (_, choices) = page.split_once("id=\"r-codContaFinanceira\"").unwrap();
    let (choices, _) = choices.split_once("</select>").unwrap();
    assert!(choices.contains("value=\"2\" selected"), "{choices}");
    let printed = read_page(&scene, admin, &format!("{title}/pix")).await;
    assert_shows(&printed, &shown);
    // What is paid takes no code any more.
    store(&scene, &format!("{title}/receber"), "valorPago=90,00&codTipoLiquidacao=3").await;
    assert!(!read_page(&scene, admin, &title).await.contains("Pagar com Pix"));
    let late = scene.post(admin, &format!("{title}/pix"), "").await.head;
    assert!(scene.is_refusal(admin, &late).await, "{late:?}");
    scene.server.stop().await;
}

/// What stands in the element with this identifier.
fn read_element<'p>(page: &'p str, id: &str) -> &'p str {
    let (_, behind) =
        page.split_once(&format!("id=\"{id}\">")).unwrap_or_else(|| panic!("no {id} in {page}"));
    behind.split_once('<').unwrap().0
}

#[both_engines]
async fn a_slip_is_issued_opened_and_found(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, title) = (&scene.administrator, format!("{TITLES}/1"));
    let open = format!("{title}/boleto");
    let page = read_page(&scene, admin, &title).await;
    assert_shows(&page, &["<h2>Boleto</h2>", "Emitir boleto"]);
    let document = scene.get(admin, &open).await.head;
    assert_eq!((document.status, document.header("location")), (303, Some(title.as_str())));
    let token = page.split("name=\"envio\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    for _ in 0..2 {
        let made = scene.post(admin, &open, &format!("envio={token}")).await.head;
        let place = format!("{title}#boleto");
        assert_eq!((made.status, made.header("location")), (303, Some(place.as_str())), "{made:?}");
    }
    assert_eq!(
        scene.read_table("slips").await.lines().filter(|row| row.contains("12387980000000001")).count(),
        1
    );
    let page = read_page(&scene, admin, &title).await;
    assert_shows(
        &page,
        &["Vencimento do boleto", "Valor do boleto", "R$ 90,00", "Abrir PDF", "sem senha até"],
    );
    assert!(!page.contains("Emitir boleto") && !page.contains("Emitir segunda via"), "{page}");
    // The document opens within the session alone, and by its link without one.
    let document = scene.get(&scene.operator, &open).await.head;
    assert_eq!((document.status, document.header("content-type")), (200, Some("application/pdf")));
    assert_eq!(document.header("cache-control"), Some("private, no-store"));
    assert_eq!(document.header("content-disposition"), Some("inline; filename=\"boleto-1.pdf\""));
    let link = read_element(&page, "link-do-boleto");
    let (_, path) = link.split_once("/documento/").unwrap();
    let opened = scene.get("", &format!("/documento/{path}")).await.head;
    assert_eq!((opened.status, opened.header("content-type")), (200, Some("application/pdf")));
    // Whatever of it is typed or scanned leads to the title, for those who see it.
    let line = read_element(&page, "linha-digitavel");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    assert_eq!((digits.len(), &digits[..3]), (47, "001"), "{line}");
    let slips = scene.read_table("slips").await;
    let barcode =
        slips.split('"').find(|text| text.len() == 44 && text.starts_with("001")).unwrap().to_owned();
    for typed in [line, &digits, &barcode] {
        let typed = typed.replace(' ', "+");
        for search in [format!("/console/busca?q={typed}"), format!("{TITLES}?busca={typed}")] {
            let found = scene.get(admin, &search).await.head;
            assert_eq!((found.status, found.header("location")), (303, Some(title.as_str())), "{search}");
        }
    }
    // So does what the bank statement shows of its Pix.
    let token = scene.server.token(&scene.world.administrator.email).await;
    let slip = scene.server.read("/ext/financeiro/titulo/1/boleto", &token).await.json();
    let pix = slip["chavePix"].as_str().unwrap();
    let at = pix.find(&format!("B{}S", scene.world.here)).unwrap();
    // Behind it stands the checksum.
    let txid = &pix[at..pix.len() - 8];
    for search in [format!("/console/busca?q={txid}"), format!("{TITLES}?busca={txid}")] {
        let found = scene.get(admin, &search).await.head;
        assert_eq!((found.status, found.header("location")), (303, Some(title.as_str())), "{search}");
    }
    let unknown = format!("{TITLES}?busca={}", barcode.replacen("12387980000000001", "12387980000000002", 1));
    assert_shows(&read_page(&scene, admin, &unknown).await, &["Não há título com este boleto"]);
    scene.server.stop().await;
}

#[both_engines]
async fn a_slip_that_holds_too_much_asks_for_a_second_copy(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (admin, title) = (&scene.administrator, format!("{TITLES}/1"));
    let slip = format!("{title}/boleto");
    store(&scene, &slip, "").await;
    let first = read_element(&read_page(&scene, admin, &title).await, "linha-digitavel").to_owned();
    store(&scene, &format!("{title}/receber"), "valorPago=40,00&codTipoLiquidacao=3").await;
    let page = read_page(&scene, admin, &title).await;
    assert_shows(&page, &["O título mudou, e este boleto não cobra mais", "R$ 50,00", "Emitir segunda via"]);
    assert!(!page.contains("link-do-boleto"), "nobody is to be sent it: {page}");
    store(&scene, &slip, "").await;
    let page = read_page(&scene, admin, &title).await;
    assert_ne!(read_element(&page, "linha-digitavel"), first);
    assert!(!page.contains("Emitir segunda via"), "{page}");
    // The first one still leads to its title.
    let found = scene.get(admin, &format!("/console/busca?q={}", first.replace(' ', "+"))).await.head;
    assert_eq!(found.header("location"), Some(title.as_str()));
    store(&scene, &format!("{title}/receber"), "valorPago=50,00&codTipoLiquidacao=3").await;
    assert!(!read_page(&scene, admin, &title).await.contains("id=\"boleto\""));
    for answer in [scene.get(admin, &slip).await.head, scene.post(admin, &slip, "").await.head] {
        assert!(scene.is_refusal(admin, &answer).await, "{answer:?}");
    }
    scene.server.stop().await;
}

#[both_engines]
async fn without_an_agreement_no_slip_is_issued(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (foreigner, title) = (&scene.foreigner, format!("{TITLES}/1"));
    let page = read_page(&scene, foreigner, &title).await;
    assert_shows(&page, &["emite boletos ainda", "/console/cadastros/contaFinanceira"]);
    assert!(!page.contains("Emitir boleto"), "{page}");
    let refused = scene.post(foreigner, &format!("{title}/boleto"), "").await.head;
    assert!(scene.is_refusal(foreigner, &refused).await, "{refused:?}");
    let notice = scene.follow_redirect(foreigner, &refused).await.body;
    assert_shows(&notice, &["Nenhuma conta que recebe por este título emite boletos; cadastre o convênio"]);
    // Of another branch, and of another association: as if there were none.
    store(&scene, &format!("{TITLES}/2/boleto"), "").await;
    let slips = scene.read_table("slips").await;
    let barcode = slips.split('"').find(|text| text.len() == 44 && text.starts_with("001")).unwrap();
    for token in [&scene.operator, foreigner] {
        let found = read_page(&scene, token, &format!("/console/busca?q={barcode}")).await;
        assert_shows(&found, &["Nada foi encontrado"]);
    }
    let slip = format!("{TITLES}/2/boleto");
    let opened = scene.get(&scene.operator, &slip).await.head;
    let issued = scene.post(&scene.operator, &slip, "").await.head;
    assert_eq!((opened.status, issued.status), (404, 404));
    scene.server.stop().await;
}

#[both_engines]
async fn a_title_is_cancelled_with_its_reason(world: World) {
    let scene = ConsoleScene::on(world).await;
    let admin = &scene.administrator;
    store(&scene, &format!("{TITLES}/2/estornar/2"), "motivo=Engano").await;
    store(&scene, &format!("{TITLES}/2/cancelar"), "motivo=Cobrado+em+dobro").await;
    let page = read_page(&scene, admin, &format!("{TITLES}/2")).await;
    assert_shows(&page, &["Cancelado", "Motivo: Cobrado em dobro"]);
    assert!(!page.contains("Mudar vencimento"), "{page}");
    scene.server.stop().await;
}

#[both_engines]
async fn who_is_late_is_told_on_top_of_the_page(world: World) {
    let scene = ConsoleScene::on(world).await;
    scene.world.clock.pass(Duration::from_hours(24 * 60));
    let admin = scene.server.console_token(&scene.world.administrator.email).await;
    for path in ["/console/associados/1", "/console/beneficios/1"] {
        let page = read_page(&scene, &admin, path).await;
        assert_shows(&page, &["1 em atraso, R$ 90,00", "Ver títulos", "Novo título"]);
        assert_shows(&page, &["<a href=\"/console/financeiro/titulos/1#receber\">Receber</a>"]);
    }
    let page = read_page(&scene, &admin, &format!("{TITLES}?situacao=vencido")).await;
    assert_shows(&page, &["2 títulos", "vencido há "]);
    let page = read_page(&scene, &admin, &format!("{TITLES}/1")).await;
    assert_shows(&page, &["R$ 90,00 do valor + R$ ", "de multa", "de juros"]);
    scene.server.stop().await;
}

#[both_engines]
async fn money_is_for_those_who_may_see_it(world: World) {
    let scene = ConsoleScene::on(world).await;
    assert_eq!(scene.get(&scene.operator, &format!("{TITLES}/2")).await.head.status, 404);
    let menu = "/console/financeiro\"";
    assert_shows(&read_page(&scene, &scene.operator, "/console").await, &[menu]);
    let token = scene.server.token(&scene.world.administrator.email).await;
    let path = "/gestao/usuario/2";
    let user = json!({"versao": 1, "permissoesFinanceiras": []}).to_string();
    let headers = [("Authorization", format!("Bearer {token}"))];
    let headers = [("Authorization", headers[0].1.as_str()), ("Content-Type", "application/json")];
    let changed = scene.server.send("PUT", path, &headers, user.as_bytes()).await.head;
    assert_eq!(changed.status, 200, "{changed:?}");
    let operator = scene.server.console_token(&scene.world.operator.email).await;
    for path in [
        "",
        "?codLoja=2",
        "/titulos",
        "/titulos/1",
        "/titulos/novo?pessoa=1",
        "/titulos/1/recibo/1",
        "/titulos/1/pix",
        "/creditos?pessoa=1",
        "/creditos/1/recibo",
        "/meses",
        "/balancete",
        "/razao?codGrupo=1&conta=CAIXA_E_BANCOS&codReferencia=1",
    ] {
        let answer = scene.get(&operator, &format!("/console/financeiro{path}")).await.head;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    for path in ["receber", "cancelar", "vencimento", "liberar", "pix", "estornar/1"] {
        let answer = scene.post(&operator, &format!("{TITLES}/1/{path}"), "motivo=x").await.head;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    for path in ["/console", "/console/associados/1", "/console/beneficios/1", "/console/busca?q=100,00"] {
        let page = read_page(&scene, &operator, path).await;
        assert!(!page.contains("Financeiro") && !page.contains("Ver títulos"), "{path}: {page}");
    }
    scene.server.stop().await;
}

#[both_engines]
async fn the_books_lead_from_a_balance_to_its_titles(world: World) {
    let scene = ConsoleScene::on(world).await;
    let admin = &scene.administrator;
    let overview = read_page(&scene, admin, "/console/financeiro").await;
    assert_shows(&overview, &["/console/financeiro/balancete"]);
    let page = read_page(&scene, admin, "/console/financeiro/balancete").await;
    assert_shows(
        &page,
        &["O mês está aberto", "Caixa e bancos: ", "Total do mês", "R$ 20,00", "Mês anterior"],
    );
    let statement = "/console/financeiro/razao?codGrupo=1&conta=A_RECEBER&codReferencia=3";
    assert_shows(&page.replace("&#38;", "&").replace("&amp;", "&"), &[statement]);
    let page = read_page(&scene, admin, statement).await;
    assert_shows(&page, &["A receber: Taxa de administração", "Emissão", "Pagamento", "/titulos/1\">1</a>"]);
    let empty = read_page(&scene, admin, "/console/financeiro/balancete?mes=01/2001").await;
    assert_shows(&empty, &["Balancete de janeiro de 2001", "Nenhum lançamento até este mês"]);
    let bad = read_page(&scene, admin, "/console/financeiro/balancete?mes=ontem").await;
    assert_shows(&bad, &["“ontem” não é um mês", "Total do mês"]);
    let nothing = read_page(&scene, admin, "/console/financeiro/razao").await;
    assert_shows(&nothing, &["Nada foi lançado nesta conta neste mês"]);
    // One branch alone has no books.
    let overview = read_page(&scene, &scene.operator, "/console/financeiro").await;
    assert!(!overview.contains("balancete"), "{overview}");
    for path in ["/console/financeiro/balancete", statement] {
        assert_eq!(scene.get(&scene.operator, path).await.head.status, 403, "{path}");
    }
    scene.server.stop().await;
}

#[both_engines]
async fn a_title_is_found_by_its_number_or_value(world: World) {
    let scene = ConsoleScene::on(world).await;
    let admin = &scene.administrator;
    let found = read_page(&scene, admin, "/console/busca?q=R$+100,00").await;
    assert_shows(&found, &["Título de Pessoa 1", "Título de Pessoa 2", "R$ 90,00"]);
    // Both the member's benefit and a case may have the number.
    let found = read_page(&scene, admin, "/console/busca?q=2").await;
    assert_shows(&found, &["<h2>Títulos</h2>", "Título de Pessoa 2"]);
    let one = scene.get(&scene.operator, "/console/busca?q=100,00").await.head;
    assert_eq!((one.status, one.header("location")), (303, Some("/console/financeiro/titulos/1")));
    assert_shows(&read_page(&scene, admin, "/console/busca?q=100,01").await, &["Nada foi encontrado"]);
    scene.server.stop().await;
}
