// Photos and documents: attached on a phone and at a desk, looked at, removed and taken back; what is none is told.
import assert from "node:assert/strict";
import { demo, enter } from "./world.mjs";

const PDF = { name: "Boletim de ocorrência.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n") };
const SCRIPT = { name: "foto.jpg", mimeType: "image/jpeg", buffer: Buffer.from("<html><script>alert(1)</script>") };
const HEIC = { name: "IMG_0001.HEIC", mimeType: "image/heic", buffer: Buffer.from("\0\0\0\x18ftypheic\0\0\0\0", "latin1") };

// A real photo: what the browser sees now.
const photo = async (page, name) => ({ name, mimeType: "image/jpeg", buffer: await page.screenshot({ type: "jpeg" }) });

const first = async (page, area) => {
  await page.goto(`${demo}/console/${area}`);
  const at = await page.getAttribute("tbody tr:first-child td:first-child a", "href");
  await page.goto(demo + at);
  await page.waitForSelector("#arquivos");
  return at;
};

const isDrawn = (page, selector) => page.waitForFunction((at) => {
  const image = document.querySelector(at);
  return image && image.complete && image.naturalWidth > 0;
}, selector);

// A photo of an inspection, as whoever stands before the car takes it.
async function take(page) {
  await enter(page);
  await first(page, "vistorias");
  assert.equal(await page.getAttribute("#foto", "capture"), "environment");
  assert.ok(await page.locator("#foto").isVisible(), "the camera is offered");
  await page.setInputFiles("#foto", await photo(page, "Frente.jpg"));
  await page.waitForSelector(".notice[role=status]:has-text('anexado')");
  await page.locator(".photos img").first().scrollIntoViewIfNeeded();
  await isDrawn(page, ".photos img");
  await page.click('.photos a:has(img[alt="Frente.jpg"])');
  await page.waitForSelector("h1:has-text('Frente.jpg')");
  await isDrawn(page, ".picture img");
  await page.click("main >> text=Remover");
  await page.waitForSelector(".notice[role=status]:has-text('Frente.jpg foi removido')");
  assert.equal(await page.locator('.photos img[alt="Frente.jpg"]').count(), 0);
  await page.click(".notice[role=status] >> text=Desfazer");
  await page.waitForSelector(".notice[role=status]:has-text('voltou')");
  await page.waitForSelector('.photos img[alt="Frente.jpg"]');
  assert.match(await page.innerText(".story"), /Arquivo anexado: Frente\.jpg/);
}

// Several at once: what is none is told, and the others are kept.
async function several(page, scripted = true) {
  await enter(page);
  await first(page, "eventos");
  const before = await page.locator(".photos li").count();
  const lines = await page.locator(".papers li").count();
  await page.setInputFiles("#arquivo", [await photo(page, `Lateral ${before}.jpg`), SCRIPT, PDF, HEIC]);
  if (!scripted) await page.click("#arquivos button:text-is('Anexar')");
  await page.waitForSelector("#arquivos-problemas");
  const told = await page.innerText("#arquivos-problemas");
  assert.match(told, /foto\.jpg: O conteúdo não é de um tipo aceito/);
  assert.match(told, /IMG_0001\.HEIC: Esta foto está no formato HEIC/);
  assert.ok((await page.locator(".photos li").count()) > before, "the good one is there");
  assert.ok((await page.locator(".papers li").count()) >= Math.max(lines, 1));
  assert.match(await page.innerText(".papers"), /Boletim de ocorrência\.pdf/);
}

// What is downloaded is handed over, never shown.
async function download(page) {
  await enter(page);
  await first(page, "help-desk");
  await page.setInputFiles("#arquivo", PDF);
  await page.waitForSelector(".notice[role=status]");
  const [got] = await Promise.all([page.waitForEvent("download"), page.click(".papers >> text=Baixar")]);
  assert.equal(got.suggestedFilename(), PDF.name);
  const at = await page.getAttribute(".papers li a", "href");
  const answer = await page.request.get(`${demo}${at}/conteudo`);
  assert.equal(answer.headers()["content-security-policy"], "sandbox; default-src 'none'");
  assert.match(answer.headers()["content-disposition"], /^attachment; /);
  const foreign = await page.request.post(`${demo}${await page.evaluate(() => new URL(document.querySelector(".attach").action).pathname)}`, { headers: { "sec-fetch-site": "cross-site" }, multipart: { arquivo: PDF } });
  assert.equal(foreign.status(), 403, "another site attaches nothing");
}

// A form with nothing in it says so.
async function nothing(page) {
  await enter(page);
  await first(page, "associados");
  await page.click("#arquivos button:text-is('Anexar')");
  await page.waitForSelector("#arquivos-problemas:has-text('Escolha ao menos um arquivo')");
}

export const journeys = [
  ["a photo is taken, seen, removed and taken back, on a phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, take],
  ["several files at once, one of them bad, by mouse", {}, several],
  ["several files at once, one of them bad, without scripts", { javaScriptEnabled: false }, (page) => several(page, false)],
  ["a document is downloaded, and other sites send none", {}, download],
  ["a form without a file says so", { javaScriptEnabled: false }, nothing],
];

export async function pages(page) {
  const all = [];
  for (const area of ["eventos", "vistorias", "help-desk", "associados"]) {
    const at = await first(page, area);
    const files = [await photo(page, "Frente do veículo.jpg"), PDF];
    for (const arquivo of files) await page.request.post(`${demo}${at}/arquivos`, { multipart: { arquivo } });
    all.push([`arquivos-${area}`, `${at}#arquivos`]);
    if (area === "eventos") {
      await page.goto(demo + at);
      all.push(["arquivo-foto", await page.getAttribute(".photos a", "href")], ["arquivo-documento", await page.getAttribute(".papers a", "href")]);
    }
  }
  return all;
}
