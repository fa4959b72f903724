// The panel, the search, members and their benefits.
import assert from "node:assert/strict";
import { ADMIN, demo, enter } from "./world.mjs";

const CPF = ["390.533.447-05", "168.995.350-09", "935.411.347-80"];

// From the door to a member that was not there before, whose mistake was told beside its field, and out again.
async function byMouse(page, cpf) {
  await enter(page);
  await page.click("nav >> text=Associados");
  await page.click("text=Novo associado");
  await page.fill('[name="nomePessoa"]', "Zuleica Teste da Silva");
  await page.fill('[name="cpfCnpj"]', "111.111.111-12");
  await page.selectOption('[name="codLoja"]', { index: 1 });
  await page.fill('[name="email"]', "zuleica@exemplo.com.br");
  await page.click("text=Salvar");
  await page.waitForSelector('[name="cpfCnpj"][aria-invalid="true"]');
  assert.equal(await page.inputValue('[name="nomePessoa"]'), "Zuleica Teste da Silva", "nothing typed is lost");
  await page.fill('[name="cpfCnpj"]', cpf);
  await page.click("text=Salvar");
  await page.waitForSelector("h1:has-text('Zuleica Teste da Silva')");
  assert.match(await page.innerText(".notice[role=status]"), /salvo/);
  await page.reload();
  assert.equal(await page.locator(".notice[role=status]").count(), 0, "what was told once is not told again");
}

async function byKeyboard(page) {
  await page.goto(`${demo}/console`);
  await page.focus("#usuario");
  await page.keyboard.type(ADMIN[0]);
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADMIN[1]);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Painel')");
  // The key is the script's, which runs once the page is there.
  await page.waitForLoadState("load");
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement.id === "busca");
  await page.keyboard.type(CPF[0]);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Zuleica')");
  await page.keyboard.press("Tab");
  const skip = await page.evaluate(() => document.activeElement.textContent);
  assert.match(skip, /conteúdo/, "the first stop leads past the menu");
}

// A situation is changed with a reason; without the reason that a cancellation needs, nothing happens.
async function situation(page) {
  await enter(page);
  await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO`);
  await page.click("tbody tr:first-child td:nth-child(4) a");
  const benefit = page.url();
  await page.click("text=Mudar a situação");
  await page.click("label:has-text('CANCELADO')");
  await page.click("main form button");
  await page.waitForSelector("[role=alert]");
  assert.ok(await page.isChecked("label:has-text('CANCELADO') input"), "the choice is kept");
  await page.fill("#motivo", "Pedido do associado");
  await page.click("main form button");
  await page.waitForSelector(".notice[role=status]");
  // Where titles are not yet due, they come first.
  await page.goto(benefit);
  assert.match(await page.innerText(".head .badge"), /CANCELADO/);
  assert.match(await page.innerText(".story li:first-child"), /Pedido do associado/);
}

// And taken back at once, which the history tells.
async function undone(page) {
  await enter(page);
  await page.goto(`${demo}/console/beneficios?situacaoBeneficio=ATIVO`);
  await page.click("tbody tr:nth-child(3) td:first-child a");
  await page.click("text=Mudar a situação");
  assert.match(await page.innerText("main form"), /desfazer/);
  await page.click("label:has-text('INADIMPLENTE')");
  await page.click("main form button");
  await page.waitForSelector(".notice[role=status] >> text=INADIMPLENTE");
  await page.click(".notice >> text=Desfazer");
  await page.waitForSelector(".notice[role=status] >> text=Desfeito");
  assert.match(await page.innerText(".head .badge"), /ATIVO/);
  assert.match(await page.innerText(".story li:first-child"), /Desfeito/);
}

// A benefit of a vehicle from the member's page: a mistake is told beside its field, then it is there, and is changed.
async function vehicle(page) {
  const plate = `TST${Math.floor(1000 + Math.random() * 9000)}`;
  await enter(page);
  await page.goto(`${demo}/console/associados?nome=maria`);
  await page.click("tbody tr:first-child td:first-child a");
  await page.click("text=Novo benefício");
  await page.click("a:has-text('Veicular')");
  await page.selectOption('[name="codPlano"]', { index: 1 });
  await page.fill('[name="placa"]', "1234");
  await page.fill('[name="marca"]', "FIAT");
  await page.click("text=Criar benefício");
  await page.waitForSelector('[name="placa"][aria-invalid="true"]');
  assert.equal(await page.inputValue('[name="marca"]'), "FIAT", "nothing typed is lost");
  await page.fill('[name="placa"]', plate);
  await page.fill('[name="valorVeiculo"]', "78.500,50");
  await page.click("text=Criar benefício");
  await page.waitForSelector(`h1:has-text('${plate}')`);
  assert.match(await page.innerText("main"), /R\$ 78\.500,50/);
  await page.click(".head >> text=Alterar");
  await page.fill('[name="cor"]', "Prata");
  await page.click("main form >> text=Salvar");
  await page.waitForSelector(".notice[role=status] >> text=salvas");
  assert.match(await page.innerText(".story li:first-child"), /Cor: de vazio para Prata/);
}

// Two who change one benefit: the second is shown both states, and keeps what he typed.
async function conflict(page) {
  await enter(page);
  await page.goto(`${demo}/console/beneficios?situacaoBeneficio=ATIVO`);
  const benefit = await page.getAttribute("tbody tr:nth-child(5) td:first-child a", "href");
  await page.goto(`${demo}${benefit}/alterar`);
  const other = await page.context().newPage();
  await other.goto(`${demo}${benefit}/alterar`);
  await other.fill('[name="codigoIntegracao"]', "DO-OUTRO");
  await other.click("main form >> text=Salvar");
  await other.waitForSelector(".notice[role=status]");
  await page.fill('[name="codigoIntegracao"]', "DO-PRIMEIRO");
  await page.click("main form >> text=Salvar");
  await page.waitForSelector("[role=alert] >> text=Outra pessoa salvou");
  assert.match(await page.innerText("[role=alert]"), /DO-PRIMEIRO[\s\S]*DO-OUTRO/);
  assert.equal(await page.inputValue('[name="codigoIntegracao"]'), "DO-PRIMEIRO");
  await page.click("main form >> text=Salvar");
  await page.waitForSelector(".notice[role=status] >> text=salvas");
}

// A plan and a dependent come and go, and each is taken back.
async function parts(page) {
  await enter(page);
  await page.goto(`${demo}/console/beneficios?situacaoBeneficio=ATIVO`);
  await page.click("tbody tr:nth-child(7) td:first-child a");
  const benefit = page.url();
  await page.click("text=Incluir plano");
  await page.selectOption('[name="codPlano"]', { index: 1 });
  await page.click("main form >> text=Incluir");
  await page.waitForSelector(".notice[role=status] >> text=incluído");
  await page.click(".notice >> text=Desfazer");
  await page.waitForSelector(".notice[role=status] >> text=retirado");
  await page.goto(benefit);
  await page.click("text=Incluir dependente");
  await page.fill('[name="nome"]', "Joaquim Dependente");
  await page.fill('[name="cpf"]', "111.111.111-12");
  await page.selectOption('[name="parentesco"]', { label: "Filho(a)" });
  await page.click("main form >> text=Salvar");
  await page.waitForSelector('[name="cpf"][aria-invalid="true"]');
  await page.fill('[name="cpf"]', "");
  await page.click("main form >> text=Salvar");
  await page.waitForSelector(".notice[role=status] >> text=Dependente salvo");
  await page.click("tr:has-text('Joaquim') >> text=Desativar");
  await page.waitForSelector(".notice[role=status] >> text=inativo");
  await page.click(".notice >> text=Desfazer");
  await page.waitForSelector(".notice[role=status] >> text=ativo de novo");
}

// A filter is kept by name, and a column chosen; both are there the next time.
async function filters(page) {
  await enter(page);
  await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO&uf=SP`);
  await page.click("text=Salvar este filtro");
  await page.fill("#filtro-novo", "Ativos de São Paulo");
  await page.click("details[open] >> text=Salvar >> nth=-1");
  await page.waitForSelector(".chip [aria-current]");
  await page.goto(`${demo}/console/associados`);
  await page.click(".chip >> text=Ativos de São Paulo");
  assert.match(page.url(), /uf=SP/);
  await page.click("summary:has-text('Colunas')");
  await page.check("details[open] input[value=email]");
  await page.click("text=Mostrar estas");
  await page.waitForSelector("th:has-text('E-mail')");
  assert.match(page.url(), /uf=SP/);
  await page.click("summary:has-text('Colunas')");
  await page.uncheck("details[open] input[value=email]");
  await page.click("text=Mostrar estas");
  await page.waitForSelector("th:has-text('Loja')");
  await page.click(".chip summary");
  await page.click("text=Apagar este filtro");
  await page.waitForSelector(".notice[role=status] >> text=apagado");
  await page.click(".notice >> text=Desfazer");
  await page.waitForSelector(".chip >> text=Ativos de São Paulo");
  await page.click(".chip summary");
  await page.click("text=Apagar este filtro");
}

// From the panel to the rows behind a figure of a month.
async function months(page) {
  await enter(page);
  await page.click("section:has(h2:has-text('Entradas')) summary");
  const cell = page.locator("section:has(h2:has-text('Entradas')) tbody tr:last-child td:nth-child(2) a");
  const number = await cell.innerText();
  await cell.click();
  await page.waitForSelector("h1:has-text('Benefícios')");
  assert.match(await page.innerText(".head"), /Cadastrados em/);
  if (number !== "0") assert.match(await page.innerText(".pages"), new RegExp(`de ${number.replace(".", "\\.")}$`, "m"));
}

// What is typed without its mask, its area code or its groups is found all the same.
async function edges(page) {
  await enter(page);
  await page.goto(`${demo}/console/associados?nome=maria`);
  const phone = await page.innerText("tbody tr:has(td:nth-child(3):not(:empty)) td:nth-child(3)");
  const name = await page.innerText("tbody tr:has(td:nth-child(3):not(:empty)) td:first-child");
  await page.goto(`${demo}/console/busca?q=${encodeURIComponent(phone.slice(4))}`);
  assert.ok((await page.innerText("main")).includes(name), "a telephone without its area code");
  await page.goto(`${demo}/console/busca?q=7`);
  const found = await page.innerText("main");
  for (const kind of ["Evento", "Vistoria", "Chamado", "Consulta"]) assert.match(found, new RegExp(`${kind} 7`));
  await page.goto(`${demo}/console/beneficios?situacaoBeneficio=ATIVO`);
  await page.click("tbody tr:first-child td:first-child a");
  const card = await page.innerText("dt:has-text('Cartão') + dd");
  const digits = card.replaceAll(" ", "");
  for (const typed of [card, digits, `${digits.slice(0, 4)} ${digits.slice(4, 8)} ${digits.slice(8)}`]) {
    await page.goto(`${demo}/console/busca?q=${encodeURIComponent(typed)}`);
    assert.match(page.url(), /associados\/\d+$/, `the card as ${typed}`);
  }
}

// What is looked for has an address to come back to; whatever names a person stands in none.
async function addresses(page) {
  const found = "tbody tr:has(td:nth-child(2):not(:empty))";
  await enter(page);
  await page.goto(`${demo}/console/associados`);
  await page.fill("#nome", "maria");
  await page.click("form.filters button");
  await page.waitForURL(/\?nome=maria$/);
  const name = await page.innerText(`${found} td:first-child`);
  const document = await page.innerText(`${found} td:nth-child(2)`);
  await page.fill("#cpf", document);
  await page.click("form.filters button");
  await page.waitForURL(/\/console\/associados$/);
  const rows = await page.locator("tbody tr").allInnerTexts();
  assert.ok(rows.length > 0 && rows.every((row) => row.includes(name)), rows.join("\n"));
  assert.equal(await page.inputValue("#cpf"), document);
  await page.goBack();
  assert.match(page.url(), /\?nome=maria$/);
  await page.fill("#busca", document);
  await page.press("#busca", "Enter");
  await page.waitForURL(/\/console\/associados\/\d+$/);
  assert.ok((await page.innerText("h1")).includes(name));
}

// Names that are no names: nothing runs, nothing breaks out of its place, at a phone's width.
async function hostile(page) {
  const name = `<script>document.title='x'</script> 😀 ${"Longuíssimo".repeat(14)}`;
  await enter(page);
  await page.goto(`${demo}/console/associados/novo`);
  await page.fill('[name="nomePessoa"]', name);
  await page.fill('[name="cpfCnpj"]', "714.287.938-60");
  await page.selectOption('[name="codLoja"]', { index: 1 });
  await page.click("text=Salvar");
  await page.waitForSelector("h1:has-text('<script>')");
  const person = new URL(page.url()).pathname;
  for (const at of [person, `${person}/alterar`, `${person}/beneficios/novo`, `${person}/beneficios/novo?tipo=saude`, "/console/associados?cpf=714.287.938-60", "/console/beneficios/novo?q=714.287.938-60"]) {
    await page.goto(demo + at);
    assert.notEqual(await page.title(), "x", at);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), `${at} is too wide`);
  }
}

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };

export const journeys = [
  ["a new member, by mouse", {}, (page) => byMouse(page, CPF[0])],
  ["a new member, on a phone", PHONE, (page) => byMouse(page, CPF[1])],
  ["a new member, without scripts", { javaScriptEnabled: false }, (page) => byMouse(page, CPF[2])],
  ["entering and finding, by keyboard", {}, byKeyboard],
  ["a change of situation", {}, situation],
  ["a change of situation, taken back", {}, undone],
  ["a change of situation, taken back, without scripts", { javaScriptEnabled: false }, undone],
  ["a benefit of a vehicle, by mouse", {}, vehicle],
  ["a benefit of a vehicle, on a phone", PHONE, vehicle],
  ["two who change one benefit", {}, conflict],
  ["plans and dependents", {}, parts],
  ["plans and dependents, on a phone", PHONE, parts],
  ["kept filters and chosen columns", {}, filters],
  ["kept filters and chosen columns, without scripts", { javaScriptEnabled: false }, filters],
  ["from the panel to the rows of a month", {}, months],
  ["what is typed as people type it", {}, edges],
  ["an address for what is looked for, but for documents", {}, addresses],
  ["an address for what is looked for, but for documents, without scripts", { javaScriptEnabled: false }, addresses],
  ["names that are no names", PHONE, hostile],
];

export async function pages(page) {
  await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO`);
  const person = await page.getAttribute("tbody tr:first-child td:first-child a", "href");
  const benefit = await page.getAttribute("tbody tr:first-child td:nth-child(4) a", "href");
  return [
    ["painel", "/console"],
    ["associados", "/console/associados?nome=maria"],
    ["associado", person],
    ["alterar", `${person}/alterar`],
    ["novo", "/console/associados/novo"],
    ["associados-filtros", "/console/associados?uf=SP&codConsultor=1&situacaoBeneficio=ATIVO"],
    ["beneficio-de-quem", "/console/beneficios/novo?q=maria"],
    ["beneficio-tipo", `${person}/beneficios/novo`],
    ["beneficio-novo", `${person}/beneficios/novo?tipo=veicular`],
    ["beneficio-saude", `${person}/beneficios/novo?tipo=saude`],
    ["beneficio-alterar", `${benefit}/alterar`],
    ["plano-novo", `${benefit}/itens`],
    ["dependente-novo", `${benefit}/dependentes`],
    ["beneficios", "/console/beneficios"],
    ["beneficios-do-mes", "/console/beneficios?saida=2026-10"],
    ["beneficio", benefit],
    ["situacao", `${benefit}/situacao`],
    ["cartao", `${benefit}/cartao`],
    ["busca", "/console/busca?q=silva"],
    ["busca-protocolo", "/console/busca?q=7"],
    ["busca-vazia", "/console/busca?q=xyzxyz"],
  ];
}
