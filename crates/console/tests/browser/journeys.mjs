// What people do in the console, done by a browser. Each part has its journeys (a name, the browser's options, what is
// done) and the pages that are looked at in both themes, at both widths, and without scripts.
import assert from "node:assert/strict";
import { check, demo, done, end, enter, fresh, picture, pictures, sound } from "./world.mjs";
import * as members from "./members.mjs";
import * as entering from "./entering.mjs";
import * as cases from "./cases.mjs";
import * as registers from "./registers.mjs";
import * as triggers from "./triggers.mjs";
import * as sales from "./sales.mjs";
import * as importing from "./importing.mjs";
import * as guide from "./helping.mjs";
import * as files from "./files.mjs";
import * as exporting from "./exporting.mjs";
import * as finance from "./finance.mjs";

// `ONLY=members` drives one part alone, while it is being made.
const PARTS = Object.entries({ members, entering, cases, registers, triggers, sales, importing, guide, files, exporting, finance }).filter(([name]) => !process.env.ONLY || process.env.ONLY.split(",").includes(name)).map(([, part]) => part);

async function places(page) {
  const all = [];
  for (const part of PARTS) all.push(...(await part.pages(page)));
  return all;
}

// Each theme and each width once; for pictures, each with each. On the second engine the pages are the same: that they open
// without a script error, once, is enough.
const BOTH = [["light", 1280], ["dark", 360]];
const LOOKS = process.env.QUICK ? BOTH.slice(0, 1) : pictures ? [...BOTH, ["dark", 1280], ["light", 360]] : BOTH;

for (const [scheme, width] of LOOKS) {
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
      if (!process.env.QUICK) await sound(page, name, problems);
      if (pictures) await page.screenshot({ path: picture(`${name}-${scheme}-${width}`) });
    }
    assert.deepEqual(problems, []);
    await done(page);
  });
}

if (!process.env.QUICK) await check("every page without scripts", async () => {
  const page = await fresh({ javaScriptEnabled: false });
  await enter(page);
  for (const [name, at] of await places(page)) {
    assert.equal((await page.goto(demo + at)).status(), 200, name);
    assert.ok(await page.locator("h1").isVisible(), name);
  }
  await done(page);
});

for (const part of PARTS) {
  for (const [name, options, journey] of part.journeys) {
    await check(name, async () => {
      const page = await fresh(options);
      await journey(page);
      await done(page);
    });
  }
}

await end();
