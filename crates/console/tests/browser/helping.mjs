// The guide: from where one works to its chapter, and back.
import assert from "node:assert/strict";
import { demo, enter } from "./world.mjs";

const CHAPTERS = ["painel", "associados", "beneficios", "eventos", "vistorias", "help-desk", "consultas", "vendas", "financeiro", "busca", "conta", "cadastros", "importar", "usuarios", "gatilhos", "auditoria", "emails"];

export async function pages() {
  return [["guia", "/console/guia"], ...CHAPTERS.map((name) => [`guia-${name}`, `/console/guia/${name}`])];
}

// From a board to its chapter, whose picture is there, and to the page again.
async function fromABoard(page) {
  await enter(page);
  await page.goto(`${demo}/console/help-desk/quadro`);
  await page.click(".top >> text=Ajuda");
  await page.waitForSelector("h1:has-text('Help desk')");
  assert.match(page.url(), /\/console\/guia\/help-desk$/);
  assert.ok(await page.evaluate(() => document.querySelector(".guide img").naturalWidth > 300), "the picture is there");
  await page.click("text=Abrir a página");
  await page.waitForURL(/\/console\/help-desk$/);
}

// The key opens the help, but not for somebody who writes.
async function byKeyboard(page) {
  await enter(page);
  await page.goto(`${demo}/console/vendas`);
  await page.focus("#busca");
  await page.keyboard.type("?");
  assert.equal(await page.inputValue("#busca"), "?");
  await page.focus(".skip");
  await page.keyboard.press("?");
  await page.waitForURL(/\/console\/guia\/vendas$/);
  await page.keyboard.press("?");
  await page.waitForURL(/\/console\/guia$/);
  await page.click(".places >> text=Sua conta");
  await page.waitForSelector("h1:has-text('Sua conta')");
}

export const journeys = [
  ["from a board to its chapter", {}, fromABoard],
  ["to the help by keyboard", {}, byKeyboard],
  ["from a board to its chapter on a phone", { viewport: { width: 360, height: 740 } }, fromABoard],
];
