// What people do in the console, done by a browser. Each journey is one function that takes a page and a way to act.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [demo, begin, pictures] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const ADMIN = ["admin@demo.example", "amparo-demo"];
let failures = 0;

async function check(name, act) {
  const started = Date.now();
  try {
    await act();
    console.log(`ok    ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}

// A page that fails when a script does, or when anything is asked of another host.
async function fresh(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "pt-BR", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("console", (told) => told.type() === "error" && !/status of 4/.test(told.text()) && page.complaints.push(told.text()));
  page.on("request", (request) => {
    if (![new URL(demo).host, new URL(begin).host].includes(new URL(request.url()).host)) page.complaints.push(request.url());
  });
  return page;
}

async function done(page) {
  assert.deepEqual(page.complaints, [], "the page complains");
  await page.context().close();
}

async function enter(page, [email, password] = ADMIN) {
  await page.goto(`${demo}/console`);
  await page.fill("#usuario", email);
  await page.fill("#senha", password);
  await page.click("main button");
  await page.waitForSelector("h1");
}

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
  for (const empty of ["", "/associados", "/beneficios", "/emails", "/auditoria", "/busca?q=nada"]) {
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

const PAGES = [
  ["painel", "/console"],
  ["associados", "/console/associados?nome=maria"],
  ["associado", null],
  ["alterar", null],
  ["novo", "/console/associados/novo"],
  ["beneficios", "/console/beneficios"],
  ["beneficio", null],
  ["situacao", null],
  ["cartao", null],
  ["busca", "/console/busca?q=silva"],
  ["busca-vazia", "/console/busca?q=xyzxyz"],
  ["usuarios", "/console/usuarios"],
  ["usuario-novo", "/console/usuarios/novo"],
  ["auditoria", "/console/auditoria"],
  ["emails", "/console/emails"],
  ["sobre", "/console/sobre"],
  ["conta", "/console/conta"],
  ["senha", "/console/conta/senha"],
  ["estilo", "/console/estilo"],
];

async function places(page) {
  await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO`);
  const person = await page.getAttribute("tbody tr:first-child td:first-child a", "href");
  const benefit = await page.getAttribute("tbody tr:first-child td:nth-child(4) a", "href");
  const known = { associado: person, alterar: `${person}/alterar`, beneficio: benefit, situacao: `${benefit}/situacao`, cartao: `${benefit}/cartao` };
  return PAGES.map(([name, at]) => [name, at ?? known[name]]);
}

async function sound(page, name, problems) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) problems.push(`${name} is ${wide} px too wide`);
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  for (const one of found.violations) problems.push(`${name}, ${one.id}: ${one.nodes.slice(0, 5).map((node) => node.target.join(" ")).join(", ")}`);
}

for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 360], ["dark", 360]]) {
  await check(`every page at ${width} px, ${scheme}`, async () => {
    const page = await fresh({ colorScheme: scheme, viewport: { width, height: 900 }, bypassCSP: true });
    const problems = [];
    await page.goto(`${demo}/console/entrar`);
    await sound(page, "entrar", problems);
    if (pictures) await page.screenshot({ path: picture(`entrar-${scheme}-${width}`) });
    await enter(page);
    for (const [name, at] of await places(page)) {
      const answer = await page.goto(demo + at);
      assert.equal(answer.status(), 200, name);
      await sound(page, name, problems);
      if (pictures) await page.screenshot({ path: picture(`${name}-${scheme}-${width}`) });
    }
    assert.deepEqual(problems, []);
    await done(page);
  });
}

await check("every page without scripts", async () => {
  const page = await fresh({ javaScriptEnabled: false });
  await enter(page);
  for (const [name, at] of await places(page)) {
    assert.equal((await page.goto(demo + at)).status(), 200, name);
    assert.ok(await page.locator("h1").isVisible(), name);
  }
  await done(page);
});

for (const [name, options, journey, ...given] of [
  ["a new member, by mouse", {}, byMouse, CPF[0]],
  ["a new member, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }, byMouse, CPF[1]],
  ["a new member, without scripts", { javaScriptEnabled: false }, byMouse, CPF[2]],
  ["entering and finding, by keyboard", {}, byKeyboard],
  ["a change of situation", {}, situation],
  ["setting up an empty server", {}, setUp],
  ["leaving, and coming back with a wrong password", {}, leaving],
]) {
  await check(name, async () => {
    const page = await fresh(options);
    await journey(page, ...given);
    await done(page);
  });
}

function picture(name) {
  fs.mkdirSync(pictures, { recursive: true });
  return path.join(pictures, `${name}.png`);
}

await browser.close();
if (failures) process.exit(1);
