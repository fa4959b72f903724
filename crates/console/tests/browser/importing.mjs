// A sheet brought in step by step, with the mistakes that sheets have; and taken back.
import assert from "node:assert/strict";
import fs from "node:fs";
import { demo, enter } from "./world.mjs";

// A CPF of nobody: nine digits and those that follow from them.
function cpf(number) {
  const digits = String(number).padStart(9, "0").split("").map(Number);
  for (const from of [10, 11]) {
    const sum = digits.reduce((all, digit, at) => all + digit * (from - at), 0);
    digits.push(((sum * 10) % 11) % 10);
  }
  return digits.join("");
}

// As an association keeps it: other names of columns, one that means nothing here, a wrong CPF, a wrong day, a line twice.
function sheet(first) {
  const line = (at, name, document, day) => `${document ?? cpf(first + at)};${name};${day ?? "25/03/1988"};31 9 9999-000${at};nota ${at};1`;
  const lines = [
    "CPF;Nome completo;Data de nasc.;Celular;Observações da secretaria;Loja",
    line(1, "Ana Planilha", null),
    line(2, "Bruno Planilha", null),
    line(3, "Carla Planilha", "11111111112"),
    line(4, "Davi Planilha", null, "31/02/1990"),
    line(5, "Elisa Planilha", null),
    line(5, "Elisa de novo", null),
  ];
  return { name: "associados antigos.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\r\n"), "latin1") };
}

const checked = (page) => page.waitForSelector("h1:has-text('Conferida')");
const figures = (page) => page.locator(".figure strong").allInnerTexts();

// Sent and matched by mouse: what is missing is told, what was chosen is kept.
async function send(page, first) {
  await page.goto(`${demo}/console/importar`);
  await page.click("main >> text=Nova importação");
  await page.click("label:has-text('Pessoas e empresas')");
  await page.setInputFiles("#arquivo", { name: "foto.csv", mimeType: "text/csv", buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]) });
  await page.click("text=Enviar e ver as colunas");
  await page.waitForSelector("#arquivo[aria-invalid=true]");
  assert.ok(await page.isChecked("input[value=associados]"), "the kind is kept");
  await page.setInputFiles("#arquivo", sheet(first));
  await page.click("text=Enviar e ver as colunas");
  await page.waitForSelector("h1:has-text('Colunas de associados antigos.csv')");
  assert.equal(await page.inputValue("#campo-0"), "cpfCnpj");
  assert.equal(await page.inputValue("#campo-2"), "dataNascimento");
  assert.equal(await page.inputValue("#campo-4"), "", "nobody knows what it means");
  assert.match(await page.innerText("tbody tr:nth-child(2)"), /Ana Planilha · Bruno Planilha · Carla Planilha/);
}

async function choose(page) {
  await page.selectOption("#campo-1", "cpfCnpj");
  await page.click("text=Conferir sem gravar");
  await page.waitForSelector("#campo-1[aria-invalid=true]");
  assert.match(await page.innerText(".notice.warn"), /Nome/);
  await page.selectOption("#campo-1", "nomePessoa");
  await page.click("text=Conferir sem gravar");
  await checked(page);
}

async function judged(page) {
  assert.deepEqual(await figures(page), ["3", "0", "0", "3"]);
  const wrong = await page.locator("tbody tr").allInnerTexts();
  assert.ok(wrong.some((row) => /^(Linha: )?4\s[^]*CPF[^]*11111111112/.test(row)), wrong.join("\n"));
  assert.ok(wrong.some((row) => /5\s[^]*Data de nasc\.[^]*31\/02\/1990/.test(row)), wrong.join("\n"));
  assert.ok(wrong.some((row) => /repete/i.test(row)), wrong.join("\n"));
}

async function errorFile(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Baixar as linhas com problema")]);
  assert.match(download.suggestedFilename(), /^importacao-\d+-erros\.csv$/);
  const text = fs.readFileSync(await download.path(), "utf8");
  assert.match(text, /^\uFEFFCPF;Nome completo;[^\n]*Motivo da recusa\r\n/);
  assert.match(text, /Davi Planilha/);
  assert.doesNotMatch(text, /Ana Planilha/);
}

const finished = (page) => page.waitForSelector("h1:has-text('Concluída')");

async function run(page) {
  assert.equal(await page.isChecked("[name=gatilhos]"), false);
  await page.click("button:has-text('Importar 3 linhas')");
  await finished(page);
  assert.deepEqual(await figures(page), ["3", "0", "0", "3"]);
}

async function undo(page) {
  await page.click("summary:has-text('Desfazer esta importação')");
  await page.click("text=Desfazer agora");
  await page.waitForSelector("h1:has-text('Desfeita')");
}

async function byMouse(page, first) {
  await enter(page);
  await send(page, first);
  await choose(page);
  await judged(page);
  await errorFile(page);
  await run(page);
  const here = page.url();
  await page.click("text=Ver os associados");
  await page.waitForSelector("h1:has-text('Associados')");
  // Somebody works on what came; the rest is taken back, and that is left and told.
  await page.goto(`${demo}/console/busca?q=${cpf(first + 1)}`);
  await page.waitForSelector("h1:has-text('Ana Planilha')");
  await page.click("text=Alterar");
  await page.fill("[name=email]", "ana@planilha.example");
  await page.click("main form button:has-text('Salvar')");
  await page.waitForSelector(".notice[role=status]");
  await page.goto(here);
  await undo(page);
  assert.deepEqual(await figures(page), ["2", "0", "1"]);
  assert.match(await page.innerText("section:has(h2:has-text('O que ficou como está'))"), /associado \d+/);
  await page.goto(`${demo}/console/busca?q=${cpf(first + 2)}`);
  assert.doesNotMatch(await page.innerText("main"), /Bruno Planilha/);
}

async function withoutScripts(page) {
  await enter(page);
  await send(page, 712000000);
  await choose(page);
  await judged(page);
  await run(page);
  await undo(page);
  assert.deepEqual(await figures(page), ["3", "0", "0"]);
}

async function onPhone(page) {
  await enter(page);
  await send(page, 713000000);
  await choose(page);
  await judged(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wide, 0, "the table is cards");
  await run(page);
}

// By keyboard alone, but for the file, which the browser's own window asks for.
async function byKeyboard(page) {
  const to = async (selector, key = "Enter") => {
    await page.focus(selector);
    await page.keyboard.press(key);
  };
  await enter(page);
  await to("nav >> text=Importar");
  await page.waitForSelector("h1:has-text('Importações')");
  await to("main a:has-text('Nova importação')");
  await page.waitForSelector("input[value=associados]");
  await to("input[value=associados]", "Space");
  await page.setInputFiles("#arquivo", sheet(714000000));
  await to("button:has-text('Enviar e ver')");
  await page.waitForSelector("#campo-4");
  await page.focus("#campo-4");
  await page.keyboard.type("RG");
  assert.equal(await page.inputValue("#campo-4"), "identidade");
  await to("button:has-text('Conferir')");
  await checked(page);
  await to("a:has-text('Voltar às colunas')");
  await page.waitForSelector("#campo-4");
  assert.equal(await page.inputValue("#campo-4"), "identidade", "what was chosen is kept");
  await page.focus("#campo-4");
  await page.keyboard.press("Home");
  assert.equal(await page.inputValue("#campo-4"), "");
  await to("button:has-text('Conferir')");
  await checked(page);
  await to("button:has-text('Importar')");
  await finished(page);
  await to("summary:has-text('Desfazer esta')");
  await to("button:has-text('Desfazer agora')");
  await page.waitForSelector("h1:has-text('Desfeita')");
}

// Every example is understood as it is, in the order in which a base is brought in.
async function examples(page) {
  await enter(page);
  for (const kind of ["planos", "vendedores", "associados", "veiculos", "dependentes", "leads"]) {
    await page.goto(`${demo}/console/importar/novo?tipo=${kind}`);
    assert.ok(await page.isChecked(`input[value=${kind}]`), kind);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`.kind:has(input[value=${kind}]) a`)]);
    await page.setInputFiles("#arquivo", { name: download.suggestedFilename(), mimeType: "text/csv", buffer: fs.readFileSync(await download.path()) });
    await page.click("text=Enviar e ver as colunas");
    await page.waitForSelector("text=Conferir sem gravar");
    assert.equal(await page.locator(".notice.warn").count(), 0, kind);
    await page.click("text=Conferir sem gravar");
    await checked(page);
    assert.deepEqual(await figures(page), ["1", "0", "0", "0"], `${kind}: ${await page.innerText("main")}`);
    await page.click("button:has-text('Importar')");
    await finished(page);
  }
}

export const journeys = [
  ["a sheet with mistakes, by mouse, worked on and undone", {}, (page) => byMouse(page, 711000000)],
  ["a sheet, without scripts", { javaScriptEnabled: false }, withoutScripts],
  ["a sheet, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, onPhone],
  ["a sheet, by keyboard", {}, byKeyboard],
  ["the example of each sheet", {}, examples],
];

// The first to look leaves imports in the states that people find them in.
let made;
export async function pages(page) {
  if (!made) {
    await send(page, 715000000);
    const columns = new URL(page.url()).pathname;
    await send(page, 716000000);
    await page.click("text=Conferir sem gravar");
    await checked(page);
    const ready = new URL(page.url()).pathname;
    await send(page, 717000000);
    await page.click("text=Conferir sem gravar");
    await checked(page);
    await run(page);
    const done = new URL(page.url()).pathname;
    await send(page, 718000000);
    await page.click("text=Conferir sem gravar");
    await checked(page);
    await run(page);
    await undo(page);
    made = { columns, ready, done, undone: new URL(page.url()).pathname };
  }
  return [
    ["importacoes", "/console/importar"],
    ["importacao-nova", "/console/importar/novo"],
    ["importacao-colunas", made.columns],
    ["importacao-conferida", made.ready],
    ["importacao-concluida", made.done],
    ["importacao-desfeita", made.undone],
  ];
}
