// Claims, inspections, tickets and appointments: lists, boards, pages, forms, and the protocol to print.
import assert from "node:assert/strict";
import { demo, enter, fresh } from "./world.mjs";

const board = (area = "eventos") => `${demo}/console/${area}/quadro`;
const column = (name) => `[data-coluna]:has([data-titulo]:text-is("${name}"))`;
const first = (name) => `${column(name)} [data-cartao] >> nth=0`;
const id = (page, name) => page.getAttribute(first(name), "data-cartao");
const inColumn = (page, name, card) => page.waitForSelector(`${column(name)} [data-cartao="${card}"]`);
const notice = "#quadro-aviso:not([hidden])";

async function onBoard(page, area) {
  await enter(page);
  await page.goto(board(area));
  await page.waitForSelector("[data-quadro]");
}

// From the door to a claim that was not there before; what was wrong was told beside its field, and nothing typed was lost.
async function open(page) {
  await enter(page);
  await page.click("nav >> text=Eventos");
  await page.click("main >> text=Novo evento");
  await page.fill("#q", "maria");
  await page.click("main >> text=Procurar");
  await page.click("tbody tr:has(.badge) >> nth=0 >> text=Escolher");
  await page.fill('[name="descricao"]', "Bateu no portão.\nSem feridos.");
  await page.fill('[name="dataEvento"]', "31/02/2026");
  await page.click("text=Salvar");
  await page.waitForSelector('[name="codTipoEvento"][aria-invalid="true"], [name="dataEvento"][aria-invalid="true"]');
  assert.match(await page.inputValue('[name="descricao"]'), /portão/, "nothing typed is lost");
  await page.fill('[name="dataEvento"]', "13/11/2026");
  await page.selectOption('[name="codTipoEvento"]', { index: 1 });
  await page.selectOption('[name="prioridade"]', "Urgente");
  await page.click("text=Salvar");
  await page.waitForSelector("h1:has-text('Evento')");
  assert.match(await page.innerText(".notice[role=status]"), /aberto com o protocolo \d+/);
  assert.match(await page.innerText(".head .badge"), /ABERTO/);
  await page.fill("#texto", "O associado ligou.");
  await page.click("main >> text=Anotar >> nth=-1");
  await page.waitForSelector(".story >> text=O associado ligou.");
  return page.url();
}

// Dragged by the mouse, undone by its notice.
async function drag(page) {
  await onBoard(page);
  const card = await id(page, "EM ANÁLISE");
  const total = Number(await page.innerText(`${column("EM REPARO")} [data-total]`));
  const [from, to] = [await page.locator(first("EM ANÁLISE")).boundingBox(), await page.locator(column("EM REPARO")).boundingBox()];
  await page.mouse.move(from.x + 40, from.y + from.height - 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 60, to.y + 200, { steps: 8 });
  await page.waitForSelector(`${column("EM REPARO")}.over`);
  await page.mouse.up();
  await page.waitForSelector(`${notice} button`);
  await inColumn(page, "EM REPARO", card);
  assert.equal(Number(await page.innerText(`${column("EM REPARO")} [data-total]`)), total + 1, "it is counted where it is");
  await page.click(`${notice} >> text=Desfazer`);
  await page.waitForSelector(`${notice}:has-text("Desfeito")`);
  await inColumn(page, "EM ANÁLISE", card);
}

// With a finger, which rests on the card before it is lifted.
async function touch(page) {
  await onBoard(page, "help-desk");
  const card = await id(page, "EM ATENDIMENTO");
  const [from, to] = [await page.locator(first("EM ATENDIMENTO")).boundingBox(), await page.locator(column("AGUARDANDO ASSOCIADO")).boundingBox()];
  const hand = await page.context().newCDPSession(page);
  const at = (type, x, y) => hand.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  await at("touchStart", from.x + 30, from.y + from.height - 10);
  await page.waitForSelector(".ticket.ghost");
  for (let step = 1; step <= 6; step += 1) await at("touchMove", from.x + 30 + ((to.x + 30 - from.x) * step) / 6, from.y + 60);
  await page.waitForSelector(`${column("AGUARDANDO ASSOCIADO")}.over`);
  await at("touchEnd");
  await inColumn(page, "AGUARDANDO ASSOCIADO", card);
  await page.waitForSelector(notice);
}

// By keys alone: walked to, moved beside, and cancelled with the reason that this needs.
async function keys(page) {
  await onBoard(page, "vistorias");
  await page.waitForSelector(".board.live");
  const card = await id(page, "SOLICITADA");
  await page.focus("[data-quadro]");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((card) => document.activeElement.closest("[data-cartao]")?.dataset.cartao === card, card);
  await page.keyboard.press("Shift+ArrowRight");
  await inColumn(page, "EM ANDAMENTO", card);
  await page.waitForSelector(notice);
  await page.waitForFunction((card) => document.activeElement.closest("[data-cartao]")?.dataset.cartao === card, card);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.type("CANC");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible("dialog[open]"), "without a reason nothing is cancelled");
  await page.waitForFunction(() => document.activeElement.id === "quadro-motivo");
  await page.keyboard.type("Pedido do associado");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await inColumn(page, "CANCELADA", card);
  await page.waitForSelector(`${notice}:has-text("CANCELADA")`);
}

async function phone(page) {
  await onBoard(page, "consultas");
  const card = await id(page, "AGENDADA");
  await page.tap(`[data-cartao="${card}"] .mover`);
  await page.waitForSelector("dialog[open]");
  await page.selectOption("#quadro-para", { label: "CONFIRMADA" });
  await page.tap("dialog button[value=mover]");
  await inColumn(page, "CONFIRMADA", card);
}

async function withoutScripts(page) {
  await onBoard(page);
  const card = await id(page, "EM REPARO");
  await page.click(`[data-cartao="${card}"] .mover`);
  await page.click("label:has-text('CONCLUÍDO')");
  await page.click("main form button");
  assert.match(await page.innerText(".notice[role=status] >> nth=0"), /CONCLUÍDO/);
  assert.match(page.url(), /quadro$/);
  assert.equal(await page.locator(`${column("CONCLUÍDO")} [data-cartao="${card}"]`).count(), 1);
  await page.click(`${column("CONCLUÍDO")} [data-mais]`);
  assert.ok((await page.locator("[data-cartao]").count()) > 0, "more of a column is a page of its own");
}

// Two people at one board: each sees what the other does; whoever comes too late is told kindly, and shown where the card is.
async function together(page) {
  await onBoard(page);
  const other = await fresh();
  await onBoard(other);
  const card = await id(page, "ABERTO");
  const move = async (who, to) => {
    await who.click(`[data-cartao="${card}"] .mover`);
    await who.selectOption("#quadro-para", { label: to });
    await who.click("dialog button[value=mover]");
  };
  await move(page, "EM REPARO");
  await inColumn(page, "EM REPARO", card);
  await inColumn(other, "EM REPARO", card);
  await other.route(/mudancas/, (route) => route.abort());
  await move(page, "EM ANÁLISE");
  await page.waitForSelector(`${notice}:has-text("EM ANÁLISE")`);
  await move(other, "AGUARDANDO DOCUMENTOS");
  await other.waitForSelector(`${notice}.wrong:has-text("Outra pessoa")`);
  await inColumn(other, "EM ANÁLISE", card);
  await other.context().close();
}

// What two people wrote into one form: the second is shown both, loses nothing, and may still save.
async function twice(page) {
  await enter(page);
  await page.goto(`${demo}/console/help-desk`);
  const at = `${demo}${await page.getAttribute("tbody tr:first-child a", "href")}`;
  await page.goto(`${at}/alterar`);
  const other = await page.context().newPage();
  await other.goto(`${at}/alterar`);
  await other.fill('[name="descricao"]', "O que o outro escreveu.");
  await other.click('button:has-text("Salvar")');
  await other.waitForSelector(".notice[role=status]");
  await page.fill('[name="descricao"]', "O que eu escrevi.");
  await page.click('button:has-text("Salvar")');
  const told = await page.innerText("[role=alert]");
  assert.match(told, /O que eu escrevi/);
  assert.match(told, /O que o outro escreveu/);
  assert.equal(await page.inputValue('[name="descricao"]'), "O que eu escrevi.");
  await page.click('button:has-text("Salvar")');
  await page.waitForSelector(".notice[role=status]");
  assert.match(await page.innerText(".pre >> nth=0"), /O que eu escrevi/);
}

// A situation is changed on the page of a case and taken back from there.
async function back(page) {
  await enter(page);
  await page.goto(`${demo}/console/consultas?estado=abertos`);
  await page.click("tbody tr:first-child a");
  const before = await page.innerText(".head .badge >> nth=0");
  await page.click("text=Mudar a situação");
  await page.click("label:has-text('REALIZADA')");
  await page.click("main form button");
  await page.waitForSelector(".head .badge:has-text('REALIZADA')");
  await page.click("text=Desfazer");
  await page.waitForSelector(`.head .badge:has-text('${before}')`);
  assert.match(await page.innerText(".story li:first-child"), /desfeita/);
}

async function print(page) {
  const at = await open(page);
  await page.goto(`${at}/imprimir`);
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.isVisible(".side")) && !(await page.isVisible(".top")), "only the protocol is printed");
  const text = await page.innerText(".protocol");
  for (const part of [/protocolo \d+/i, /Associação/, /ABERTO/, /Bateu no portão/, /Abertura/]) assert.match(text, part);
}

// Whoever is limited to some branches sees theirs alone.
async function limited(page) {
  await enter(page);
  await page.goto(`${demo}/console/eventos?estado=todos`);
  const all = await page.innerText(".pages .small");
  await page.context().clearCookies();
  await enter(page, ["operador@demo.example", "amparo-demo"]);
  await page.goto(`${demo}/console/eventos?estado=todos`);
  assert.notEqual(await page.innerText(".pages .small"), all);
  await page.goto(board());
  await page.waitForSelector("[data-cartao]");
  assert.equal((await page.goto(`${demo}/console/eventos/999999`)).status(), 404);
}

// More of a column comes when its end is seen.
async function more(page) {
  await onBoard(page);
  const cards = page.locator(`${column("CONCLUÍDO")} [data-cartao]`);
  assert.equal(await cards.count(), 50, "only what is seen is loaded");
  await page.locator(`${column("CONCLUÍDO")} [data-mais]`).scrollIntoViewIfNeeded();
  await page.waitForFunction((name) => {
    const all = [...document.querySelectorAll("[data-coluna]")].find((one) => one.querySelector("[data-titulo]").textContent === name);
    return all.querySelectorAll("[data-cartao]").length > 50;
  }, "CONCLUÍDO");
}

export const journeys = [
  ["a claim is opened, by mouse", {}, open],
  ["a claim is opened, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, open],
  ["a claim is opened, without scripts", { javaScriptEnabled: false }, open],
  ["a card is dragged and taken back, by mouse", {}, drag],
  ["a card is dragged, with a finger", { hasTouch: true }, touch],
  ["cards are moved, by keyboard", {}, keys],
  ["a card is moved, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, phone],
  ["a card is moved, without scripts", { javaScriptEnabled: false }, withoutScripts],
  ["more of a column comes when its end is seen", {}, more],
  ["two people at one board", {}, together],
  ["two people in one form", {}, twice],
  ["a situation is changed and taken back", {}, back],
  ["a protocol is printed", {}, print],
  ["an operator sees his branches alone", {}, limited],
];

export async function pages(page) {
  const areas = ["eventos", "vistorias", "help-desk", "consultas"];
  const all = [];
  for (const area of areas) {
    await page.goto(`${demo}/console/${area}`);
    const one = await page.getAttribute("tbody tr:first-child td:first-child a", "href");
    const person = (await page.getAttribute("tbody tr:first-child td:nth-child(2) a", "href")).split("/").pop();
    all.push([area, `/console/${area}`], [`${area}-quadro`, `/console/${area}/quadro`], [`${area}-um`, one], [`${area}-alterar`, `${one}/alterar`], [`${area}-novo`, `/console/${area}/novo?codPessoa=${person}`]);
    if (area === "eventos") all.push(["eventos-quem", `/console/${area}/novo?q=maria`], ["eventos-situacao", `${one}/situacao`], ["eventos-protocolo", `${one}/imprimir`], ["eventos-nenhum", `/console/${area}?filtro=999999`]);
  }
  return all;
}
