// Entering, leaving, setting up; the second factor; what administrators look after; refusals.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { ADMIN, begin, demo, enter, picture, pictures, sound } from "./world.mjs";

const OPERATOR = ["operador@demo.example", "amparo-demo"];

// A page that no address leads to is looked at where a journey passes it.
async function seen(page, name) {
  const problems = [];
  await sound(page, name, problems);
  assert.deepEqual(problems, []);
  if (pictures) await page.screenshot({ path: picture(`${name}-light-${page.viewportSize().width}`) });
}

// An empty server is set up by its link alone, and the link works once. The panel then says what comes next.
async function setUp(page) {
  await page.goto(begin);
  await page.fill("#associacao", "Associação Teste");
  await page.fill("#nome", "Ana Administradora");
  await page.fill("#email", "ana@exemplo");
  await page.fill("#senha", "uma frase bem longa");
  await page.fill("#repetida", "outra frase bem longa");
  await page.click("main button");
  await page.waitForSelector("#repetida[aria-invalid=true]");
  await seen(page, "comecar");
  assert.equal(await page.inputValue("#associacao"), "Associação Teste");
  await page.fill("#email", "não é um e-mail");
  for (const field of ["#senha", "#repetida"]) await page.fill(field, "uma frase bem longa");
  await page.click("main button");
  await page.waitForSelector("#email[aria-invalid=true]");
  await page.fill("#email", "ana@exemplo.com.br");
  for (const field of ["#senha", "#repetida"]) await page.fill(field, "uma frase bem longa");
  await page.click("main button");
  await page.waitForSelector("h1:has-text('Painel')");
  assert.match(await page.innerText(".steps li:first-child"), /Feito/);
  await seen(page, "primeiros-passos");
  await page.goto(begin);
  assert.match(page.url(), /entrar|console$/);
  const problems = [];
  for (const empty of ["", "/associados", "/beneficios", "/emails", "/auditoria", "/usuarios", "/sobre", "/busca?q=nada", "/eventos", "/eventos/quadro", "/help-desk/novo", "/consultas/quadro", "/vendas", "/cadastros", "/gatilhos"]) {
    await page.goto(new URL(`/console${empty}`, begin).href);
    await page.waitForSelector("h1");
    await sound(page, `empty ${empty}`, problems);
  }
  assert.deepEqual(problems, []);
  await page.goto(new URL("/console", begin).href);
  await page.click("text=Testar o e-mail");
  assert.match(await page.innerText("main"), /\.eml/, "it says where mails go");
  await page.click("button:has-text('e-mail de teste')");
  await page.waitForSelector("tbody tr:first-child:has-text('e-mail de teste')");
  // The page looks again by itself until the mail is gone.
  await page.waitForSelector("tbody tr:first-child .badge:has-text('Enviado')");
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

// What the phone shows: RFC 6238, so many steps from now.
function code(key, steps = 0) {
  const bits = [...key.replace(/ /g, "")].map((sign) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign).toString(2).padStart(5, "0")).join("");
  const secret = Buffer.from(bits.match(/.{8}/g).map((eight) => parseInt(eight, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + steps));
  const tag = createHmac("sha1", secret).update(counter).digest();
  const at = tag[19] & 15;
  return String((tag.readUInt32BE(at) & 0x7fffffff) % 1000000).padStart(6, "0");
}

async function leave(page) {
  // Without scripts the menu opens too.
  await page.click(".who summary");
  await page.click("text=Sair");
  await page.waitForSelector("#usuario");
}

// Switched on with a code, asked for at the door, replaced by a recovery code, removed by an administrator.
async function secondFactor(page, look = seen) {
  await enter(page, OPERATOR);
  await page.goto(`${demo}/console/conta`);
  await page.click("text=Ligar o segundo fator");
  await page.fill("#senha", "errada errada");
  await page.click("button:has-text('Ligar o segundo fator')");
  await page.waitForSelector("[role=alert] >> text=A senha não confere");
  await look(page, "segundo-fator-senha");
  await page.fill("#senha", OPERATOR[1]);
  await page.click("button:has-text('Ligar o segundo fator')");
  await page.waitForSelector(".qr");
  const key = await page.innerText(".key");
  await look(page, "segundo-fator-imagem");
  await page.fill("#prova", "000000");
  await page.click("text=Confirmar e ligar");
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.innerText(".key"), key, "a wrong code changes nothing");
  await page.fill("#prova", code(key));
  await page.click("text=Confirmar e ligar");
  await page.waitForSelector(".codes");
  const recovery = await page.locator(".codes code").allInnerTexts();
  assert.equal(recovery.length, 10);
  await look(page, "recuperacao");
  await page.click("text=Já guardei");
  assert.match(await page.innerText("main"), /Ligado desde/);
  await leave(page);

  await enter(page, OPERATOR);
  await page.waitForSelector("#codigo");
  await page.goto(`${demo}/console/associados`);
  await page.waitForSelector("#usuario", { timeout: 5000 }); // half in is not in
  await enter(page, OPERATOR);
  await page.fill("#codigo", "000000");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=alert]");
  await look(page, "codigo");
  await page.keyboard.type(code(key, 1));
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Painel')");
  await leave(page);

  await enter(page, OPERATOR);
  await page.click("text=Estou sem o celular");
  await page.fill("#codigo", recovery[4]);
  await page.click("main form button");
  await page.waitForSelector("h1:has-text('Painel')");
  await leave(page);

  await enter(page);
  await page.goto(`${demo}/console/usuarios`);
  await look(page, "usuarios-com-fator");
  await page.click("tr:has-text('operador@demo.example') a");
  await page.click("text=Retirar o segundo fator");
  await page.waitForSelector(".notice[role=status]");
  await leave(page);
  await enter(page, OPERATOR);
  await page.waitForSelector("h1:has-text('Painel')");
}

// Its owner switches it off himself, and needs a code for it: the password alone is no proof.
async function switchingOff(page) {
  await enter(page, OPERATOR);
  await page.goto(`${demo}/console/conta/segundo-fator`);
  await page.fill("#senha", OPERATOR[1]);
  await page.click("button:has-text('Ligar o segundo fator')");
  await page.fill("#prova", code(await page.innerText(".key")));
  await page.click("text=Confirmar e ligar");
  await page.waitForSelector(".codes");
  const recovery = await page.locator(".codes code").allInnerTexts();
  await page.goto(`${demo}/console/conta/segundo-fator`);
  await seen(page, "segundo-fator-ligado");
  await page.fill("#prova", OPERATOR[1]);
  await page.click("text=Desligar o segundo fator");
  await page.waitForSelector("[role=alert] >> text=O código não confere");
  await page.fill("#prova", recovery[0]);
  await page.click("text=Desligar o segundo fator");
  await page.waitForSelector(".notice[role=status]");
  assert.match(await page.innerText("main"), /Desligado/);
}

// Demanded of operators, it comes before anything else; no longer demanded, everything opens again.
async function demanded(page) {
  const demand = async (act) => {
    await enter(page);
    await page.goto(`${demo}/console/usuarios`);
    await act("section:has(h2:has-text('Exigir o segundo fator')) input[value=operador]");
    await page.click("section:has(h2:has-text('Exigir o segundo fator')) button");
    await page.waitForSelector(".notice[role=status] >> text=Pronto");
    await leave(page);
    await enter(page, OPERATOR);
  };
  await demand((box) => page.check(box));
  await page.waitForSelector(".notice >> text=exige o segundo fator");
  await page.goto(`${demo}/console/associados`);
  assert.match(page.url(), /\/console\/conta\/segundo-fator$/);
  await seen(page, "segundo-fator-exigido");
  await leave(page);
  await demand((box) => page.uncheck(box));
  await page.waitForSelector("h1:has-text('Painel')");
}

// A refusal is a calm page with a way back.
async function refusals(page) {
  await page.goto(`${demo}/console/nada-aqui`);
  assert.match(await page.innerText("h1"), /Não encontramos/);
  await seen(page, "recusa-sozinha");
  await enter(page, OPERATOR);
  for (const [at, status, said] of [["/console/nada/aqui", 404, /Não encontramos/], ["/console/associados/999999999", 404, /Não encontramos/], ["/console/associados/xyz", 404, /Não encontramos/], ["/console/usuarios", 403, /do administrador/], ["/console/auditoria", 403, /do administrador/]]) {
    const answer = await page.goto(demo + at);
    assert.equal(answer.status(), status, at);
    assert.match(await page.innerText("h1"), said, at);
    await seen(page, `recusa-${status}`);
  }
  await page.click("text=Ir para o painel");
  await page.waitForSelector("h1:has-text('Painel')");
  const plain = await page.request.get(`${demo}/console/nada`, { headers: { accept: "application/json" } });
  assert.match(plain.headers()["content-type"], /text\/plain/, "programs get the sentence alone");
  await leave(page);
  await enter(page, ["integracao@demo.example", "amparo-demo"]);
  assert.match(await page.innerText("h1"), /de um programa/);
  await page.click("text=Sair e entrar");
  await page.waitForSelector("#usuario");
}

// Who saw whom is told in words, and narrowed by the address.
async function auditing(page) {
  await enter(page, OPERATOR);
  await page.goto(`${demo}/console/associados`);
  await page.click("tbody tr:first-child td:first-child a");
  const name = await page.innerText("h1");
  const person = page.url().split("/").pop();
  await leave(page);
  await enter(page);
  await page.goto(`${demo}/console/auditoria`);
  await page.selectOption("#usuario", { label: "Operação Belo Horizonte" });
  await page.fill("#codPessoa", person);
  await page.click("main form button");
  await page.waitForURL(/codPessoa=/);
  await page.waitForSelector(`tbody tr:has-text('Operação Belo Horizonte viu ${name}')`);
  await page.fill("#ate", "31/12/2020");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Nada assim");
  assert.equal(await page.inputValue("#codPessoa"), person);
}

// What looks at a page needs to load a script of its own into it.
const LOOKED_AT = { bypassCSP: true };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, ...LOOKED_AT };

export const journeys = [
  ["setting up an empty server", LOOKED_AT, setUp],
  ["leaving, and coming back with a wrong password", {}, leaving],
  ["a second factor", LOOKED_AT, secondFactor],
  ["a second factor, on a phone", PHONE, secondFactor],
  ["a second factor, without scripts", { javaScriptEnabled: false }, (page) => secondFactor(page, () => {})],
  ["switching a second factor off", LOOKED_AT, switchingOff],
  ["a second factor that is demanded", LOOKED_AT, demanded],
  ["refusals are pages", LOOKED_AT, refusals],
  ["the audit in words", {}, auditing],
];

export async function pages(page) {
  // So that there is something to tell in the audit.
  await page.goto(`${demo}/console/associados?nome=maria`);
  await page.click("tbody tr:first-child td:first-child a");
  await page.goto(`${demo}/console/emails`);
  return [
    ["usuarios", "/console/usuarios"],
    ["usuario", "/console/usuarios/2"],
    ["usuario-novo", "/console/usuarios/novo"],
    ["auditoria", "/console/auditoria"],
    ["emails", "/console/emails"],
    ["sobre", "/console/sobre"],
    ["conta", "/console/conta"],
    ["segundo-fator", "/console/conta/segundo-fator"],
    ["senha", "/console/conta/senha"],
    ["estilo", "/console/estilo"],
  ];
}
