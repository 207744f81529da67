// Reading a run: played back and forth, iterations found, sorted and saved, why a loop ended, what the payload was.
import assert from "node:assert/strict";
import { download, test, type, until } from "./lib.mjs";

const badge = (page) => page.getByRole("button", { name: /^Run \d\d:\d\d .* virtual/ });
const dock = (page) => page.getByRole("region", { name: "Dock" });
const tab = (page, name) => dock(page).getByRole("tab", { name: new RegExp(`^${name}`) }).click();
const playhead = (page) => dock(page).getByRole("slider", { name: "Playhead" });
const now = async (page) => Number(await playhead(page).getAttribute("aria-valuenow"));
const details = (page) => dock(page).getByRole("region", { name: "What happened here" });

/** Opens an example and waits until it has run. */
async function example(page, open, name) {
  await open(`#example=${name}`);
  await badge(page).waitFor();
}

test("Space plays and pauses, from the canvas and the dock, and pans while it is held", async ({ page, open }) => {
  await example(page, open, "polling-export");
  await tab(page, "Timeline");
  const canvas = page.getByRole("main", { name: "Canvas" });
  await canvas.focus();
  await page.keyboard.press("Space");
  await dock(page).getByRole("button", { name: /^Pause/ }).waitFor();
  const began = await now(page);
  await until(async () => (await now(page)) > began + 100_000, "the playhead moves by itself");
  await page.keyboard.press("Space");
  await dock(page).getByRole("button", { name: /^Play \(Space\)/ }).waitFor();
  const stood = await now(page);
  await page.waitForTimeout(200);
  assert.equal(await now(page), stood, "paused, it stands");
  // Backwards.
  await dock(page).getByRole("button", { name: "Play backwards" }).click();
  await until(async () => (await now(page)) < stood, "it goes back");
  await dock(page).getByRole("button", { name: /^Pause/ }).click();
  // Held while the pointer drags it pans, and does not play.
  const box = await canvas.boundingBox();
  const zoomed = () => canvas.locator(".layer").evaluate((layer) => layer.style.transform);
  const before = await zoomed();
  await canvas.focus();
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.keyboard.down("Space");
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 60, box.y + 60, { steps: 6 });
  await page.mouse.up();
  await page.keyboard.up("Space");
  assert.notEqual(await zoomed(), before, "it panned");
  assert.equal(await dock(page).getByRole("button", { name: /^Pause/ }).count(), 0, "it does not play");
});

test("iterations are filtered, sorted and saved as a table", async ({ page, open }) => {
  await example(page, open, "web-pages");
  await tab(page, "Iterations");
  const table = dock(page).getByRole("table", { name: "Iterations" });
  const first = () => table.locator(".vt-scroll").getByRole("row").first().innerText();
  await table.getByRole("button", { name: "Iteration 1, succeeded" }).waitFor();
  const header = table.getByRole("columnheader", { name: /^#|number/i });
  await header.getByRole("button").click();
  assert.equal(await header.getAttribute("aria-sort"), "descending");
  await until(async () => /^20\b/.test(await first()), "the last one comes first");
  await header.getByRole("button").click();
  await until(async () => /^1\b/.test(await first()), "and back");

  const filter = dock(page).getByRole("searchbox", { name: "Filter the iterations" });
  await type(filter, "number>17");
  await dock(page).getByText("3 fit", { exact: true }).waitFor();
  await until(async () => (await table.getAttribute("aria-rowcount")) === "4", "only those that fit");
  await type(filter, "nmber>17");
  await dock(page).getByText(/Iterations have no nmber/).waitFor();
  await type(filter, "number>17");
  await dock(page).getByText("3 fit", { exact: true }).waitFor();
  const file = await download(page, () => dock(page).getByRole("button", { name: "Save these rows as a table (CSV)" }).click());
  const lines = file.bytes.toString("utf8").trimEnd().split("\r\n");
  assert.match(file.name, /\.iterations\.csv$/);
  assert.match(lines[0], /^iteration,item,state,start_s,duration_s,error,/);
  assert.deepEqual(lines.slice(1).map((line) => line.split(",")[0]), ["18", "19", "20"]);
});

test("why the retrying stopped can be read off the screen", async ({ page, open }) => {
  await example(page, open, "retry-api-call");
  await tab(page, "Timeline");
  await dock(page).getByRole("button", { name: /iterations? · one at a time/ }).first().click();
  await details(page).getByText(/It ended after \d+ of at most \d+: .* was false because .* is .*written by iteration \d+/).waitFor();
  const asked = details(page).getByRole("row", { name: /false, stop/ });
  await asked.waitFor();
  // The last iteration says it, too.
  await tab(page, "Iterations");
  await dock(page).getByRole("table", { name: "Iterations" }).getByRole("button", { name: /^Iteration \d+,/ }).last().click();
  await details(page).getByText(/It ended after/).waitFor();
});

test("the payload of any moment, who wrote it, and what changed since another", async ({ page, open }) => {
  await example(page, open, "retry-api-call");
  await tab(page, "Timeline");
  await playhead(page).press("Home");
  await tab(page, "Payload");
  const changes = dock(page).getByRole("region", { name: "Changes" });
  await dock(page).getByText("Payload at 0").first().waitFor();
  await dock(page).getByRole("button", { name: "Pin this moment to compare with it" }).click();
  assert.match(await changes.getByRole("combobox").locator("option:checked").innerText(), /pinned/);
  await tab(page, "Timeline");
  await playhead(page).press("End");
  await tab(page, "Payload");
  await dock(page).getByRole("tree", { name: "Payload" }).getByText(/written by /).first().waitFor();
  for (const since of ["the start", "before the selected step", "before the selected iteration"]) {
    await changes.getByRole("combobox").selectOption({ label: since });
    await until(async () => (await changes.innerText()).trim().length > 20, since);
  }
});

test("ten thousand steps keep few rows in the page, and the last one can be read", async ({ page, open }) => {
  await open("#generate=steps:10000");
  await page.getByRole("button", { name: /^Run \d\d:\d\d .* virtual/ }).waitFor({ timeout: 30_000 });
  await tab(page, "Timeline");
  const rows = dock(page).getByRole("listitem");
  await rows.first().waitFor();
  assert.ok((await rows.count()) < 120, `${await rows.count()} rows are in the page`);
  const all = Number(await rows.first().getAttribute("aria-setsize"));
  assert.ok(all > 5000, `${all} rows in all`);
  await dock(page).locator(".tl-rows").evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await dock(page).locator(`[role=listitem][aria-posinset="${all}"]`).waitFor();
}, { timeout: 90_000 });
