// Lists that leave as files, as they are filtered.
import assert from "node:assert/strict";
import fs from "node:fs";
import { demo, enter } from "./world.mjs";

const LISTS = ["associados", "beneficios", "eventos?estado=todos", "vendas/lista", "vendas/leads", "cadastros/plano", "usuarios", "auditoria"];

// What a link gives: the file's name and what is in it.
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`.exports >> text=${name}`)]);
  return [download.suggestedFilename(), fs.readFileSync(await download.path())];
}

async function asFiltered(page) {
  await enter(page);
  await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO`);
  const [name, csv] = await saved(page, "CSV");
  assert.match(name, /^associado-\d{4}-\d\d-\d\d\.csv$/);
  const lines = csv.toString("utf8").split("\r\n");
  assert.ok(lines[0].startsWith("\ufeffCódigo;Nome;CPF ou CNPJ"), lines[0]);
  assert.ok(lines.length > 300, `${lines.length} lines`);
  assert.ok(lines.slice(1, -1).every((line) => /;ATIVO(;|$)/.test(line)), "only what is filtered");
  const [other, xlsx] = await saved(page, "XLSX");
  assert.match(other, /\.xlsx$/);
  assert.equal(xlsx.subarray(0, 2).toString(), "PK");
}

async function everyList(page) {
  await enter(page);
  for (const at of LISTS) {
    await page.goto(`${demo}/console/${at}`);
    const [, csv] = await saved(page, "CSV");
    assert.ok(csv.toString("utf8").startsWith("\ufeffCódigo"), at);
  }
}

export const journeys = [
  ["a list leaves as it is filtered", { acceptDownloads: true }, asFiltered],
  ["every list leaves, without scripts", { acceptDownloads: true, javaScriptEnabled: false }, everyList],
];

export const pages = async () => [["exportar-associados", "/console/associados?situacaoBeneficio=ATIVO"], ["exportar-usuarios", "/console/usuarios"], ["exportar-auditoria", "/console/auditoria"], ["exportar-emails", "/console/emails"]];
