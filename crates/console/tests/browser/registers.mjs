// What an association registers: every register by its description.
import assert from "node:assert/strict";
import { demo, enter } from "./world.mjs";

// A plan that was not there before: its mistake beside its field, then put out of use, and back by undoing.
async function plan(page, name) {
  await enter(page);
  await page.click("nav >> text=Cadastros");
  await page.click(".places >> text=Planos");
  await page.click("text=Novo plano");
  await page.fill('[name="nome"]', name);
  await page.selectOption('[name="tipoBeneficio"]', { label: "Saúde" });
  await page.fill('[name="valor"]', "oitenta");
  await page.click('main form button:has-text("Salvar")');
  await page.waitForSelector('[name="valor"][aria-invalid="true"]');
  assert.equal(await page.inputValue('[name="nome"]'), name, "nothing typed is lost");
  assert.equal(await page.inputValue('[name="tipoBeneficio"]'), "SAUDE");
  await page.fill('[name="valor"]', "1.089,90");
  await page.click('main form button:has-text("Salvar")');
  await page.waitForSelector(".notice[role=status]");
  await page.fill("#filtro", name);
  await page.click("main >> text=Filtrar");
  const row = page.locator(`tr:has-text("${name}")`);
  assert.match(await row.innerText(), /R\$ 1\.089,90/);
  await row.locator("a").first().click();
  await page.waitForSelector(`h1:has-text("${name}")`);
  await page.click("text=Pôr fora de uso");
  await page.waitForSelector("text=Fora de uso: não aparece mais nas escolhas");
  await page.click("text=Desfazer");
  await page.waitForSelector("text=Em uso de novo");
  assert.match(await page.innerText(".head .badge"), /Em uso/);
}

// A situation with its colour and where it may lead, by keyboard alone.
async function situation(page) {
  await enter(page);
  await page.goto(`${demo}/console/cadastros/situacao/novo?entidade=evento`);
  await page.focus('[name="nome"]');
  await page.keyboard.type("AGUARDANDO PEÇAS");
  assert.equal(await page.inputValue('[name="entidade"]'), "evento", "it begins with what the list was narrowed to");
  await page.focus('[name="tipo"]');
  await page.keyboard.type("Em and");
  assert.equal(await page.innerText("[data-amostra]"), "AGUARDANDO PEÇAS", "the badge is seen at once");
  const next = page.locator('fieldset:has(legend:has-text("Pode levar a")) input');
  assert.ok((await next.count()) > 3);
  await next.first().focus();
  await page.keyboard.press("Space");
  await page.focus("main form button:not([type])");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".notice[role=status]");
  await page.click('a:has-text("AGUARDANDO PEÇAS")');
  assert.ok(await next.first().isChecked());
  assert.equal(await page.locator('[name="entidade"]').count(), 0, "what does not change is no field");
}

// Two people alter one branch: the second sees both states, and loses nothing.
async function twoAtOnce(page) {
  await enter(page);
  await page.goto(`${demo}/console/cadastros/loja`);
  const link = await page.getAttribute("tbody tr:first-child a", "href");
  await page.goto(demo + link);
  const other = await page.context().newPage();
  await other.goto(demo + link);
  const name = await page.inputValue('[name="nome"]');
  await other.fill('[name="nome"]', `${name} Velha`);
  await other.click('main form button:has-text("Salvar")');
  await other.waitForSelector(".notice[role=status]");
  await page.fill('[name="nome"]', `${name} Nova`);
  await page.click('main form button:has-text("Salvar")');
  await page.waitForSelector("text=Outra pessoa salvou antes de você");
  assert.equal(await page.inputValue('[name="nome"]'), `${name} Nova`);
  assert.match(await page.innerText(".notice.warn table"), new RegExp(`${name} Nova\\s+${name} Velha`));
  await page.fill('[name="nome"]', name);
  await page.click('main form button:has-text("Salvar")');
  await page.waitForSelector(".notice[role=status]");
}

// Which partners may ask more often without a user: a line that is none is told, and nothing typed is lost.
async function openValidation(page) {
  const save = () => page.click('main form button:has-text("Salvar")');
  await enter(page);
  await page.click("nav >> text=Cadastros");
  await page.click(".places >> text=Validação aberta");
  await page.fill("#parceiros", "203.0.113.0/24 muitas");
  await save();
  await page.waitForSelector("#parceiros[aria-invalid=true]");
  assert.equal(await page.inputValue("#parceiros"), "203.0.113.0/24 muitas");
  for (const lines of ["203.0.113.0/24 5000", ""]) {
    await page.fill("#parceiros", lines);
    await save();
    await page.waitForSelector(".notice[role=status] >> text=salvas");
    assert.equal(await page.inputValue("#parceiros"), lines);
    await page.goto(`${demo}/console/validacao`);
  }
}

export const journeys = [
  ["a plan, by mouse", {}, (page) => plan(page, "Plano do Rato")],
  ["a plan, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, (page) => plan(page, "Plano do Bolso")],
  ["a plan, without scripts", { javaScriptEnabled: false }, (page) => plan(page, "Plano Simples")],
  ["a situation with its colour, by keyboard", {}, situation],
  ["two people alter one branch", {}, twoAtOnce],
  ["partners who ask without a user", {}, openValidation],
];

export async function pages(page) {
  await page.goto(`${demo}/console/cadastros`);
  const all = await page.locator(".places a").evaluateAll((links) => links.map((one) => one.getAttribute("href")));
  assert.equal(all.length, 31);
  // One of each shape: the others are made of the same fields.
  const found = [["cadastros", "/console/cadastros"], ["validacao", "/console/validacao"]];
  for (const register of ["situacao", "fornecedor", "vencimento", "instalacao", "medico"]) found.push([`cadastro-${register}`, `/console/cadastros/${register}`]);
  for (const register of ["situacao", "fornecedor", "campoAdicional", "instalacao", "cartaoCredito"]) found.push([`cadastro-${register}-novo`, `/console/cadastros/${register}/novo`]);
  for (const register of ["situacao", "etapa", "tipoVistoria"]) {
    await page.goto(`${demo}/console/cadastros/${register}`);
    found.push([`cadastro-${register}-um`, await page.getAttribute("tbody tr:first-child a", "href")]);
  }
  return found;
}
