// The pictures of the README and of the guide: a handful, small, always of the same things.
import { check, demo, done, end, enter, fresh, picture } from "./world.mjs";

// A name, the page, and what the browser is.
const PICTURES = [
  ["painel", "/console", {}],
  ["painel-escuro", "/console", { colorScheme: "dark" }],
  ["associados", "/console/associados?nome=maria", {}],
  ["associado", "first", {}],
  ["celular", "first", { viewport: { width: 390, height: 760 } }],
  ["auditoria", "/console/auditoria", {}],
];

for (const [name, at, options] of PICTURES) {
  await check(name, async () => {
    const page = await fresh({ viewport: { width: 1180, height: 760 }, ...options });
    await enter(page);
    let path = at;
    if (at === "first") {
      await page.goto(`${demo}/console/associados?situacaoBeneficio=ATIVO`);
      path = await page.getAttribute("tbody tr:first-child td:first-child a", "href");
    }
    await page.goto(demo + path);
    await page.screenshot({ path: picture(name) });
    await done(page);
  });
}

await end();
