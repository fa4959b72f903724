// The pictures of the guide and of the README: one for each chapter, small, always of the same things.
import fs from "node:fs";
import { check, demo, done, end, enter, fresh, picture } from "./world.mjs";

// A name, the page, how high the picture is, and what is opened on the page before it is taken: the first line of a list.
const FIRST = "tbody tr:first-child td:first-child a";
const PICTURES = [
  ["painel", "/console", 640],
  ["associados", "/console/associados?situacaoBeneficio=ATIVO", 560, FIRST],
  ["beneficios", "/console/beneficios?situacaoBeneficio=ATIVO", 560, FIRST],
  ["eventos", "/console/eventos", 560],
  ["vistorias", "/console/vistorias", 560, FIRST],
  ["help-desk", "/console/help-desk/quadro", 560],
  ["consultas", "/console/consultas", 560],
  ["vendas", "/console/vendas", 560],
  ["financeiro", "/console/financeiro", 560],
  ["busca", "/console/busca?q=maria", 440],
  ["conta", "/console/conta", 560],
  ["cadastros", "/console/cadastros", 560],
  ["importar", "/console/importar", 560, FIRST],
  ["usuarios", "/console/usuarios", 560],
  ["gatilhos", "/console/gatilhos", 640, "main h2 a"],
  ["auditoria", "/console/auditoria", 560],
  ["emails", "/console/emails", 560],
];
// Each travels inside the binary.
const LARGEST = 92_000;

await check("the pictures of the guide", async () => {
  const page = await fresh({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1, colorScheme: "light" });
  await enter(page);
  await prepared(page);
  for (const [name, at, height, opened] of PICTURES) {
    await page.goto(demo + at);
    if (opened) await page.goto(demo + (await page.getAttribute(opened, "href")));
    await shot(page, name, height);
  }
  await done(page);
});

// The demonstration has no receiver, has written no mail and imported nothing.
async function prepared(page) {
  await page.goto(`${demo}/console/gatilhos/novo`);
  await page.fill('[name="endereco"]', "https://erp.exemplo.com.br/avisos");
  await page.click("main form button");
  await page.waitForSelector(".secret");
  await page.goto(`${demo}/console/emails`);
  await page.click("text=Enviar um e-mail de teste");
  await page.waitForSelector("main tbody tr");
  await page.goto(`${demo}/console/importar/novo?tipo=associados`);
  const sheet = "CPF;Nome;Nascimento;Loja\r\n52998224725;Maria Exemplo;25/03/1988;1\r\n11111111112;João Exemplo;02/01/1990;1\r\n15350946056;Ana Exemplo;31/02/1985;1\r\n";
  await page.setInputFiles("#arquivo", { name: "associados.csv", mimeType: "text/csv", buffer: Buffer.from(sheet) });
  await page.click("text=Enviar e ver as colunas");
  await page.click("text=Conferir sem gravar");
  await page.waitForSelector("h1:has-text('Conferida')");
}

// The menu on the side is on every page: left out, there is more to see. What is too large is made less high.
async function shot(page, name, height) {
  const path = picture(name);
  const [side, end] = await page.evaluate(() => {
    const ends = [...document.querySelectorAll("main > *")].map((one) => one.getBoundingClientRect().bottom);
    return [document.querySelector(".side").getBoundingClientRect().width, Math.round(Math.max(...ends)) + 24];
  });
  for (let high = Math.min(height, end); ; high -= 20) {
    await page.screenshot({ path, clip: { x: side, y: 0, width: 1280 - side, height: high } });
    const { size } = fs.statSync(path);
    if (size <= LARGEST) return console.log(`      ${name}: ${high} px, ${size} bytes`);
    if (high < 300) throw new Error(`${name} is too large`);
  }
}

await end();
