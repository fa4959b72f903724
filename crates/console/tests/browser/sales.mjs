// Sales: from the first word to a member with a benefit.
import assert from "node:assert/strict";
import { demo, enter } from "./world.mjs";

const CPF = ["787.789.328-07", "748.526.057-00", "442.323.221-91"];

// Somebody calls, is written down, becomes a deal, and is won: what is missing stands beside its field, and nothing is lost.
async function fromCallToBenefit(page, name, cpf, phone) {
  await enter(page);
  await page.click("nav >> text=Vendas");
  await page.click("text=Novo contato");
  await page.fill('[name="nomePessoa"]', name);
  await page.click("main form button");
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.inputValue('[name="nomePessoa"]'), name, "nothing typed is lost");
  await page.fill('[name="telefone"]', phone);
  await page.selectOption('[name="codLoja"]', { index: 1 });
  await page.selectOption('[name="tipoBeneficio"]', { label: "Assistência 24H" });
  await page.fill('[name="valor"]', "49,90");
  await page.click("main form button:not([type])");
  await page.waitForSelector(`h1:has-text("${name}")`);
  assert.match(await page.innerText("main"), /R\$ 49,90/);
  await page.selectOption("#codEtapa", { index: 2 });
  await page.click("#mover button");
  assert.match(await page.innerText(".notice[role=status]"), /agora está em/);
  await page.click("text=Ganhar");
  await page.waitForSelector("text=falta o CPF ou CNPJ");
  await page.click("text=Criar o associado e o benefício");
  await page.waitForSelector('[name="cpfCnpj"][aria-invalid="true"]');
  await page.fill('[name="cpfCnpj"]', cpf);
  await page.check('fieldset label:has-text("Assistência") >> nth=0');
  await page.click("text=Criar o associado e o benefício");
  await page.waitForSelector("h1");
  assert.match(page.url(), /beneficios\/\d+/);
  assert.match(await page.innerText(".notice[role=status]"), /agora é associado/);
  assert.match(await page.innerText("main"), new RegExp(name));
}

// A deal is lost with a reason, and opened again.
async function lostAndFound(page) {
  await enter(page);
  await page.goto(`${demo}/console/vendas/lista?situacao=Aberto`);
  await page.click("tbody tr:first-child a");
  await page.click("text=Não deu certo?");
  await page.click("text=Marcar como perdido");
  await page.waitForSelector("text=Diga por que o negócio foi perdido");
  await page.fill("#motivo", "Achou caro");
  await page.click("text=Marcar como perdido");
  await page.waitForSelector(".notice.warn:has-text('Achou caro')");
  await page.click("main button:has-text('Reabrir')");
  await page.waitForSelector("text=Negócio reaberto");
  assert.match(await page.innerText(".story"), /Perdido/);
}

const first = (page, column) => page.locator(`.column >> nth=${column}`).locator("[data-cartao] .title").first();

// By keyboard: the arrows walk, with Shift they move, and undoing brings it back.
async function boardByKeyboard(page) {
  await enter(page);
  await page.goto(`${demo}/console/vendas`);
  await page.waitForSelector(".board.live");
  await first(page, 0).focus();
  const name = await first(page, 0).innerText();
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForSelector(`#quadro-aviso:has-text("${name} agora está em")`);
  assert.ok(await page.locator(".column >> nth=1").locator(`.title:has-text("${name}")`).count());
  await page.click("#quadro-aviso >> text=Desfazer");
  await page.waitForSelector("#quadro-aviso:has-text('Desfeito')");
}

// Two look at one board: what one moves, the other sees; what is won or lost leaves it.
async function twoLook(page) {
  await enter(page);
  const other = await page.context().newPage();
  for (const one of [page, other]) {
    await one.goto(`${demo}/console/vendas`);
    await one.waitForSelector(".board.live");
  }
  const card = page.locator(".column >> nth=1").locator("[data-cartao]").first();
  const id = await card.getAttribute("data-cartao");
  await card.locator(".title").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForSelector("#quadro-aviso:not([hidden])");
  await other.bringToFront();
  await other.waitForSelector(`.column:nth-child(3) [data-cartao="${id}"]`);
  await page.goto(`${demo}/console/vendas/${id}`);
  await page.click("text=Não deu certo?");
  await page.fill("#motivo", "Desistiu");
  await page.click("text=Marcar como perdido");
  await other.bringToFront();
  await other.waitForSelector(`[data-cartao="${id}"]`, { state: "detached" });
}

// By mouse: a card is dragged to the next column.
async function boardByMouse(page) {
  await enter(page);
  await page.goto(`${demo}/console/vendas`);
  await page.waitForSelector(".board.live");
  const name = await first(page, 0).innerText();
  const from = await first(page, 0).boundingBox();
  const to = await page.locator(".column >> nth=1").boundingBox();
  await page.mouse.move(from.x + 10, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + 120, { steps: 8 });
  await page.mouse.up();
  await page.waitForSelector(`#quadro-aviso:has-text("${name} agora está em")`);
}

export const journeys = [
  ["from a call to a benefit, by mouse", {}, (page) => fromCallToBenefit(page, "Zeferino Vendido", CPF[0], "(11)97777-1001")],
  ["from a call to a benefit, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, (page) => fromCallToBenefit(page, "Zilda Vendida", CPF[1], "(11)97777-1002")],
  ["from a call to a benefit, without scripts", { javaScriptEnabled: false }, (page) => fromCallToBenefit(page, "Zaira Vendida", CPF[2], "(11)97777-1003")],
  ["a deal lost and opened again", {}, lostAndFound],
  ["the board of sales, by mouse", {}, boardByMouse],
  ["the board of sales, by keyboard", {}, boardByKeyboard],
  ["two look at the board of sales", {}, twoLook],
];

export async function pages(page) {
  await page.goto(`${demo}/console/vendas/lista?situacao=Aberto`);
  const deal = await page.getAttribute("tbody tr:first-child a", "href");
  await page.goto(`${demo}/console/vendas/lista?situacao=Ganho`);
  const won = await page.getAttribute("tbody tr:first-child a", "href");
  return [
    ["vendas", "/console/vendas"],
    ["negocios", "/console/vendas/lista"],
    ["negocios-vazia", "/console/vendas/lista?filtro=xyzxyz"],
    ["leads", "/console/vendas/leads"],
    ["negocio", deal],
    ["negocio-ganho", won],
    ["negocio-novo", "/console/vendas/novo"],
    ["negocio-alterar", `${deal}/alterar`],
    ["negocio-ganhar", `${deal}/ganhar`],
  ];
}
