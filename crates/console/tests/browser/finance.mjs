// What is charged and paid: titles, their receipts, and the closed months.
import assert from "node:assert/strict";
import { demo, enter } from "./world.mjs";

const PAID = "/console/financeiro/titulos?situacao=liquidado";
const FIRST = 'tbody tr:first-child a[href*="/financeiro/titulos/"]';

// A paid title and its receipt, as somebody asks for them at the counter.
async function receipt(page) {
  await enter(page);
  await page.goto(demo + PAID);
  await page.click(FIRST);
  await page.waitForSelector(".badge:has-text('Liquidado')");
  await page.click("text=Recibo");
  assert.ok(await page.locator("h1").isVisible());
}

// Money that no title takes, and its receipt.
async function credit(page) {
  await enter(page);
  await page.goto(`${demo}/console/financeiro/creditos?pessoa=2`);
  await page.fill("#r-valor", "50,00");
  await page.selectOption("#r-codTipoLiquidacao", { label: "Pix" });
  await page.fill("#r-observacao", "Adiantado");
  await page.click("#receber button");
  await page.waitForSelector(".notice[role=status] >> text=crédito");
  await page.click('.payments li:first-child a[href$="/recibo"]');
  assert.match(await page.innerText(".protocol"), /Recebemos de[\s\S]*R\$\s50,00[\s\S]*Adiantado/);
}

export const journeys = [["a receipt is looked up", {}, receipt], ["a credit gets a receipt", {}, credit]];

export async function pages(page) {
  await page.goto(demo + PAID);
  const paid = await page.getAttribute(FIRST, "href");
  await page.goto(demo + paid);
  const receipt = await page.getAttribute('a[href*="/recibo/"]', "href");
  await page.goto(`${demo}/console/financeiro/titulos?situacao=vencido`);
  const overdue = await page.getAttribute(FIRST, "href");
  await page.goto(demo + overdue);
  if (await page.locator("#pix .qr").count() === 0) {
    await page.click("text=Gerar código Pix");
    await page.waitForSelector("#pix .qr");
  }
  // The first slip of an overdue title, or its second copy.
  const issue = page.locator("#boleto button:has-text('Emitir')");
  if (await issue.count() > 0) {
    await issue.click();
    await page.waitForSelector("#link-do-boleto");
  }
  await page.goto(`${demo}/console/financeiro/balancete`);
  const account = await page.getAttribute('tbody a[href*="/financeiro/razao"]', "href");
  await page.goto(`${demo}/console/financeiro/cobrancas`);
  const [next, issued] = await page.locator('tbody a[href*="/financeiro/cobrancas/"]').evaluateAll(links =>
    [...new Set(links.map(link => link.getAttribute("href")))]);
  // The server may still be making the preview.
  await page.goto(demo + next);
  await page.waitForSelector("text=Aprovar");
  return [
    ["financeiro", "/console/financeiro"],
    ["cobrancas", "/console/financeiro/cobrancas"],
    ["cobranca-preparada", next],
    ["cobranca-emitida", issued],
    ["lancamentos", "/console/financeiro/lancamentos?pessoa=1"],
    ["creditos", "/console/financeiro/creditos?pessoa=1"],
    ["revisoes", "/console/financeiro/revisoes"],
    ["revisao", "/console/financeiro/revisoes/1"],
    ["valores-combinados", "/console/financeiro/valores-combinados"],
    ["titulos", "/console/financeiro/titulos"],
    ["titulos-vencidos", "/console/financeiro/titulos?situacao=vencido"],
    ["titulos-a-pagar", "/console/financeiro/titulos?tipo=debito&situacao=todas"],
    ["titulo-pago", paid],
    ["titulo-vencido", overdue],
    ["titulo-pix", `${overdue}/pix`],
    ["recibo", receipt],
    ["recibo-de-credito", "/console/financeiro/creditos/1/recibo"],
    ["meses", "/console/financeiro/meses"],
    ["balancete", "/console/financeiro/balancete"],
    ["razao", account],
  ];
}
