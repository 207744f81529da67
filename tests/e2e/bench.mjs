// Figures from the built app in Chromium; see xtask/src/bench.rs for the form. A new figure is an entry in FIGURES.
import { openPage, startBrowser, started } from "./lib.mjs";

const RUNS = 5;

/** Figures: name, unit, budget (or "-"), and `measure`, which gets a fresh page and returns one number. The median of RUNS is told. */
const FIGURES = [
  {
    name: "navigation until the app has started",
    unit: "ms",
    budget: "-",
    measure: async ({ page, address }) => {
      const began = performance.now();
      await page.goto(address);
      await started(page);
      return performance.now() - began;
    },
  },
];

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
