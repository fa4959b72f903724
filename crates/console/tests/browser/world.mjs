// What every journey stands on: a browser that complains, the door, and the count of what failed.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

export const [demo, begin, pictures] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
export const ADMIN = ["admin@demo.example", "amparo-demo"];
let failures = 0;

export async function check(name, act) {
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
export async function fresh(options = {}) {
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

export async function done(page) {
  assert.deepEqual(page.complaints, [], "the page complains");
  await page.context().close();
}

export async function enter(page, [email, password] = ADMIN) {
  await page.goto(`${demo}/console`);
  await page.fill("#usuario", email);
  await page.fill("#senha", password);
  await page.click("main button");
  await page.waitForSelector("h1");
}

// Nothing too wide, nothing that axe-core objects to.
export async function sound(page, name, problems) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) problems.push(`${name} is ${wide} px too wide`);
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  for (const one of found.violations) problems.push(`${name}, ${one.id}: ${one.nodes.slice(0, 5).map((node) => node.target.join(" ")).join(", ")}`);
}

export function picture(name) {
  fs.mkdirSync(pictures, { recursive: true });
  return path.join(pictures, `${name}.png`);
}

export async function end() {
  await browser.close();
  if (failures) process.exit(1);
}
