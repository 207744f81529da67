// Figures from the built app in Chromium; see xtask/src/bench.rs for the form. A new figure is an entry in FIGURES.
import { readFileSync } from "node:fs";
import { openPage, startBrowser } from "./lib.mjs";

const RUNS = 5;

/** Figures: name, unit, budget (or "-"), and `measure`, which gets a fresh page and returns one number. The median of RUNS is told. */
const FIGURES = [
  {
    name: "navigation until the example is on screen and has run",
    unit: "ms",
    budget: 1500,
    measure: async ({ page, address }) => {
      await page.goto(address, { waitUntil: "commit" });
      await ran(page).waitFor();
      // As the page's own clock has it: from the start of the navigation.
      return page.evaluate(() => performance.now());
    },
  },
  {
    name: "a keystroke in a mapping until its preview",
    unit: "ms",
    budget: 50,
    measure: async ({ page, open }) => {
      await open();
      await ran(page).waitFor();
      await page.getByRole("tab", { name: "Inputs" }).click();
      const row = page.getByRole("group", { name: "subject", exact: true });
      const field = row.getByRole("combobox");
      await field.click();
      await field.press("End");
      // From the key's event to the frame after the preview's change. In place before the key is pressed.
      await row.evaluate((row) => {
        const around = row.closest("aside") ?? document.body;
        let began = NaN;
        document.addEventListener("keydown", () => (began = performance.now()), { capture: true, once: true });
        window.measured = new Promise((resolve) => {
          new MutationObserver((_, observer) => {
            if (!around.textContent.includes('service!?"')) return;
            observer.disconnect();
            requestAnimationFrame(() => resolve(performance.now() - began));
          }).observe(around, { subtree: true, childList: true, characterData: true });
        });
      });
      await field.press("?");
      return page.evaluate(() => window.measured);
    },
  },
  {
    name: "10,000 iterations of the welcome example in the worker",
    unit: "ms",
    budget: 1000,
    measure: async ({ page, address }) => {
      await page.goto(address);
      await ran(page).waitFor();
      await page.evaluate(() => performance.clearMarks());
      await page.locator("input[type=file]").setInputFiles({ name: "many.loopwright.json", mimeType: "application/json", buffer: manyCustomers(10_000) });
      const ended = await page.waitForFunction(() => performance.getEntriesByName("run ended")[0]?.startTime);
      const asked = await page.evaluate(() => performance.getEntriesByName("run asked").at(-1).startTime);
      return (await ended.jsonValue()) - asked;
    },
  },
];

/** The badge on the canvas that says when the flow ran and how long that took in the flow's own time. */
function ran(page) {
  return page.getByRole("button", { name: /^Run .* virtual/ });
}

/** The welcome example with that many customers and no limit on its loop. */
function manyCustomers(count) {
  const file = JSON.parse(readFileSync(new URL("../../assets/examples/welcome-emails.loopwright.json", import.meta.url), "utf8"));
  const loop = file.graphs[0].steps.find((step) => step.StepType === "ForEach");
  loop.Configuration = JSON.stringify({ ...JSON.parse(loop.Configuration), maxIterations: 0 });
  file.scenarios.length = 1;
  const { actions } = file.scenarios[0];
  actions["Get New Customers"].outputs = Array.from({ length: count }, (_, i) => ({ email: `customer${i}@example.com`, firstName: `Customer ${i}` }));
  actions["Send Email"] = actions["Send Email"][0];
  return Buffer.from(JSON.stringify(file));
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const browser = await startBrowser();
for (const { name, unit, budget, measure } of FIGURES) {
  const values = [];
  for (let run = 0; run < RUNS; run++) {
    const tools = await openPage(browser);
    values.push(await measure(tools));
    if (tools.complaints.length) console.error(`${name}: ${tools.complaints.join("; ")}`);
    await tools.context.close();
  }
  console.log(["bench", name, median(values).toFixed(1), unit, budget].join("\t"));
}
await browser.close();
