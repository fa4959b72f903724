// Who is told of changes: receivers and what is sent to them. Nothing is delivered here, so everything waits.
import assert from "node:assert/strict";
import { demo, enter } from "./world.mjs";

// A receiver, its secret shown once, a change that waits for it, and sending again.
async function receiver(page, address) {
  await enter(page);
  await page.click("nav >> text=Gatilhos");
  await page.click("text=Novo receptor");
  await page.fill('[name="endereco"]', "erp exemplo");
  await page.click("main form button");
  await page.waitForSelector('[name="endereco"][aria-invalid="true"]');
  await page.fill('[name="endereco"]', address);
  await page.fill('[name="cabecalhos"]', "X-Api-Key: abc");
  await page.click("main form button");
  const secret = await page.innerText(".secret");
  assert.match(secret, /^whsec_/);
  const here = new URL(await page.getAttribute('a:has-text("Alterar")', "href"), demo).href.replace("/alterar", "");
  await page.goto(here);
  assert.equal(await page.locator(".secret").count(), 0, "it is shown once");
  assert.match(await page.innerText("main"), /X-Api-Key/);
  await change(page);
  await page.goto(here);
  await page.waitForSelector('tbody tr:has-text("Na fila")');
  await page.click("tbody tr:first-child a");
  await page.waitForSelector("pre.body");
  assert.match(await page.innerText("pre.body"), /"codPessoa"/);
  await page.goto(here);
  await page.click("text=Enviar um exemplo");
  await page.waitForSelector("text=O exemplo não chegou");
  await page.click("text=Trocar o segredo");
  assert.notEqual(await page.innerText(".secret"), secret);
  await page.goto(here);
  await page.click("text=Pausar");
  await page.waitForSelector(".head .badge:has-text('Pausado')");
  await page.click("text=Retomar");
  await page.waitForSelector(".head .badge:has-text('Novo')");
  await page.fill("#de", "1");
  await page.click("text=Enviar estas");
  assert.match(await page.innerText(".notice[role=status]"), /nada a enviar/);
}

async function change(page) {
  await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO`);
  await page.click("tbody tr:first-child td:nth-child(4) a");
  await page.click("text=Mudar a situação");
  await page.click("label:has-text('SUSPENSO')");
  await page.fill("#motivo", "Para avisar");
  await page.click("main form button");
  await page.waitForSelector(".notice[role=status]");
}

// By keyboard alone: altering a receiver, and narrowing what was sent.
async function byKeyboard(page) {
  await enter(page);
  await page.goto(`${demo}/console/gatilhos`);
  await page.focus("main section h2 a");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1");
  await page.focus("text=Alterar");
  await page.keyboard.press("Enter");
  await page.waitForSelector('[name="simultaneas"]');
  await page.focus('[name="simultaneas"]');
  await page.keyboard.press("Control+a");
  await page.keyboard.type("99");
  await page.keyboard.press("Enter");
  await page.waitForSelector('[name="simultaneas"][aria-invalid="true"]');
  await page.focus('[name="simultaneas"]');
  await page.keyboard.press("Control+a");
  await page.keyboard.type("4");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".notice[role=status]");
  await page.focus("text=Ver todas");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Entregas')");
  await page.focus("#desde");
  await page.keyboard.type("01012020");
  assert.equal(await page.inputValue("#desde"), "01/01/2020");
  await page.keyboard.press("Enter");
  await page.waitForURL(/desde=/);
  await page.waitForSelector('tbody tr:has-text("Na fila")');
}

export const journeys = [
  ["a receiver, by mouse", {}, (page) => receiver(page, "https://erp.example/gatilhos")],
  ["a receiver, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, (page) => receiver(page, "https://robo.example/avisos")],
  ["a receiver, without scripts", { javaScriptEnabled: false }, (page) => receiver(page, "https://simples.example")],
  ["a receiver altered and its deliveries narrowed, by keyboard", {}, byKeyboard],
];

// The first to look makes a receiver with something in its queue, so that pages are full.
let made;
export async function pages(page) {
  if (!made) {
    await page.goto(`${demo}/console/gatilhos/novo`);
    await page.fill('[name="endereco"]', "https://um-endereco-bem-comprido.exemplo.com.br/integracoes/gatilhos/da/associacao");
    await page.click("main form button");
    made = new URL(await page.getAttribute('a:has-text("Alterar")', "href"), demo).pathname.replace("/alterar", "");
    await change(page);
  }
  await page.goto(`${demo}${made}/entregas`);
  const delivery = await page.getAttribute("tbody tr:first-child a", "href");
  return [
    ["gatilhos", "/console/gatilhos"],
    ["gatilho", made],
    ["gatilho-novo", "/console/gatilhos/novo"],
    ["gatilho-alterar", `${made}/alterar`],
    ["entregas", `${made}/entregas`],
    ["entregas-vazia", `${made}/entregas?estado=entregue`],
    ["entrega", delivery],
  ];
}
