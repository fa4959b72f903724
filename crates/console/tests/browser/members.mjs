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
  await page.click("text=Mudar a situação");
  await page.click("label:has-text('CANCELADO')");
  await page.click("main form button");
  await page.waitForSelector("[role=alert]");
  assert.ok(await page.isChecked("label:has-text('CANCELADO') input"), "the choice is kept");
  await page.fill("#motivo", "Pedido do associado");
  await page.click("main form button");
  await page.waitForSelector(".notice[role=status]");
  assert.match(await page.innerText(".head .badge"), /CANCELADO/);
  assert.match(await page.innerText(".story li:first-child"), /Pedido do associado/);
}

export const journeys = [
  ["a new member, by mouse", {}, (page) => byMouse(page, CPF[0])],
  ["a new member, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, (page) => byMouse(page, CPF[1])],
  ["a new member, without scripts", { javaScriptEnabled: false }, (page) => byMouse(page, CPF[2])],
  ["entering and finding, by keyboard", {}, byKeyboard],
  ["a change of situation", {}, situation],
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
    ["beneficios", "/console/beneficios"],
    ["beneficio", benefit],
    ["situacao", `${benefit}/situacao`],
    ["cartao", `${benefit}/cartao`],
    ["busca", "/console/busca?q=silva"],
    ["busca-vazia", "/console/busca?q=xyzxyz"],
  ];
}
