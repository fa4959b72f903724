// Entering, leaving, setting up; what administrators look after.
import assert from "node:assert/strict";
import { ADMIN, begin, demo, enter } from "./world.mjs";

// An empty server is set up by its link alone, and the link works once.
async function setUp(page) {
  await page.goto(begin);
  await page.fill("#associacao", "Associação Teste");
  await page.fill("#nome", "Ana Administradora");
  await page.fill("#email", "ana@exemplo.com.br");
  await page.fill("#senha", "uma frase bem longa");
  await page.fill("#repetida", "outra frase bem longa");
  await page.click("main button");
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.inputValue("#associacao"), "Associação Teste");
  await page.fill("#senha", "uma frase bem longa");
  await page.fill("#repetida", "uma frase bem longa");
  await page.click("main button");
  await page.waitForSelector("h1:has-text('Painel')");
  await page.goto(begin);
  assert.match(page.url(), /entrar|console$/);
  for (const empty of ["", "/associados", "/beneficios", "/emails", "/auditoria", "/busca?q=nada", "/eventos", "/eventos/quadro", "/help-desk/novo", "/consultas/quadro"]) {
    await page.goto(new URL(`/console${empty}`, begin).href);
    await page.waitForSelector("h1");
  }
}

async function leaving(page) {
  await enter(page);
  await page.click(".who summary");
  await page.click("text=Sair");
  await page.waitForSelector("#usuario");
  await page.goto(`${demo}/console/associados`);
  await page.waitForSelector("#usuario");
  assert.match(page.url(), /entrar\?para=/);
  await page.fill("#usuario", ADMIN[0]);
  await page.fill("#senha", "errada errada");
  await page.click("main button");
  assert.match(await page.innerText("[role=alert]"), /não conferem/);
}

export const journeys = [
  ["setting up an empty server", {}, setUp],
  ["leaving, and coming back with a wrong password", {}, leaving],
];

export async function pages() {
  return [
    ["usuarios", "/console/usuarios"],
    ["usuario-novo", "/console/usuarios/novo"],
    ["auditoria", "/console/auditoria"],
    ["emails", "/console/emails"],
    ["sobre", "/console/sobre"],
    ["conta", "/console/conta"],
    ["senha", "/console/conta/senha"],
    ["estilo", "/console/estilo"],
  ];
}
