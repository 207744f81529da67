// Whatever goes wrong: a message says where and what to do, nothing is lost, and the app can be used afterwards.
import assert from "node:assert/strict";
import { mkdtempSync, openSync, truncateSync, closeSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drag, test, type, until } from "./lib.mjs";

const badge = (page) => page.getByRole("button", { name: /^Run \d\d:\d\d .* virtual/ });
const dock = (page) => page.getByRole("region", { name: "Dock" });
const inspector = (page) => page.getByRole("complementary", { name: "Inspector" });
const stop = (page) => page.getByRole("button", { name: "Stop", exact: true });
const run = (page) => page.getByRole("button", { name: "Run", exact: true });
const problems = (page) => dock(page).getByRole("list", { name: "Problems" });
const steps = (page) => page.getByRole("main", { name: "Canvas" }).getByRole("group", { name: /, (Action|ForEach|While|Prompt|Sub-Agent), / });

/** A file with these bytes, or of this size. */
function file(name, content) {
  const path = join(mkdtempSync(join(tmpdir(), "loopwright-")), name);
  if (typeof content === "number") {
    closeSync(openSync(path, "w"));
    truncateSync(path, content);
  } else {
    writeFileSync(path, content);
  }
  return path;
}

/** Opens a file as the menu does. */
const openFile = (page, path) => page.getByLabel("Open a file …").setInputFiles(path);

/** A document of our own with one flow. */
function flow(steps, scenario = {}) {
  return JSON.stringify({ agents: [{ ID: "11111111-1111-4111-8111-111111111111", Name: "Bad flow", steps, paths: [] }], ...scenario });
}

/** Opens step JSON with these steps; the flow is on screen then, and what it calls is put into the catalogue. */
async function openFlow(page, steps, action) {
  await page.getByRole("button", { name: "Hide all three" }).first().click();
  await openFile(page, file("bad-flow.json", flow(steps)));
  await page.getByRole("heading", { name: "Bad flow", level: 1 }).waitFor();
  await tab(page, "Problems");
  await problems(page).getByRole("button", { name: `Add ${action} to the catalogue` }).click();
}

/** Opens a tab of the dock. */
async function tab(page, name) {
  await dock(page).getByRole("tab", { name: new RegExp(`^${name}`) }).click();
}

test("a file that cannot be opened says why and where, and changes nothing", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  const title = await page.getByRole("heading", { level: 1 }).textContent();
  const count = await steps(page).count();
  const cases = [
    ["not-json.json", '{\n  "agents": [ oops ]\n}', /line 2/i],
    ["half.json", '{"agents": [', /line 1|end/i],
    ["other.json", '{"hello": 1}', /hello|steps|agents/i],
    ["list.json", "[1, 2, 3]", /steps|agents/i],
    ["empty.json", "", /empty|nothing/i],
    ["picture.json", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00]), /text|UTF-8|JSON/i],
    ["large.json", 65 * 2 ** 20, /65 MiB.*64 MiB/],
  ];
  for (const [name, content, says] of cases) {
    await openFile(page, file(name, content));
    const dialog = page.getByRole("dialog", { name: new RegExp(name) });
    await dialog.waitFor();
    const words = await dialog.innerText();
    assert.match(words, says, name);
    assert.doesNotMatch(words, /undefined|panicked|Error\(|Some\(|::/, `${name}: words for people`);
    await dialog.getByRole("button", { name: "Close" }).first().click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), title, name);
    assert.equal(await steps(page).count(), count, `${name}: the steps are still there`);
  }
});

test(
  "a text too large to be pasted is refused with a way that works",
  async ({ page, open }) => {
    await open();
    await badge(page).waitFor();
    const count = await steps(page).count();
    await page.evaluate((size) => navigator.clipboard.writeText("x".repeat(size)), 6 * 2 ** 20);
    await steps(page).first().click({ position: { x: 120, y: 16 } });
    await page.keyboard.press("ControlOrMeta+v");
    await page.getByText(/6\.0 MiB.*5 MiB.*as a file/).first().waitFor();
    assert.equal(await steps(page).count(), count);
    await tab(page, "Scenario");
    const payload = dock(page).getByRole("textbox", { name: "Payload as JSON" });
    const before = await payload.inputValue();
    await payload.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("ControlOrMeta+v");
    await page.getByText(/6 MiB; at most 5 MiB/).first().waitFor();
    assert.equal(await payload.inputValue(), before, "the field keeps what it had");
    // A text that is no flow says so, too.
    await page.evaluate(() => navigator.clipboard.writeText("Dear colleague, here are the steps."));
    await steps(page).first().click({ position: { x: 120, y: 16 } });
    await page.keyboard.press("ControlOrMeta+v");
    await page.getByText(/JSON/).first().waitFor();
  },
  { alone: true, permissions: ["clipboard-read", "clipboard-write"] },
);

test("a loop over a number says what it found and leads to the field", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  await openFlow(page, [
    { Name: "Count", StepType: "ForEach", StartingStep: true, LoopBodyType: "Action", Action: "Send Email", Configuration: '{"type":"ForEach","collectionPath":"payload.total"}' },
  ], "Send Email");
  await tab(page, "Scenario");
  await dock(page).getByRole("button", { name: "New scenario" }).first().click();
  const payload = dock(page).getByRole("textbox", { name: "Payload as JSON" });
  await payload.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText('{ "total": 12 }');
  await run(page).click();
  await tab(page, "Problems");
  const row = problems(page).getByRole("button", { name: /payload\.total.*(number|12)|(number|12).*payload\.total/ });
  await row.first().click();
  await until(
    () => inspector(page).getByRole("combobox", { name: "collectionPath" }).evaluate((field) => field === document.activeElement),
    "the cursor is in the field to mend",
  );
});

test("a condition that cannot be read is a problem under its characters, before and in a run", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  await openFlow(page, [
    { Name: "Retry", StepType: "While", StartingStep: true, LoopBodyType: "Action", Action: "Call", Configuration: '{"type":"While","condition":"payload.tries <","maxIterations":3}' },
  ], "Call");
  await tab(page, "Problems");
  const row = problems(page).getByRole("button", { name: /^Error: .*condition/ });
  await row.first().click();
  const field = inspector(page).getByRole("combobox", { name: "condition" });
  await until(() => field.evaluate((field) => field === document.activeElement), "the cursor is in the condition");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await run(page).click();
  await page.getByRole("button", { name: /^Run .* failed/ }).waitFor();
  await tab(page, "Timeline");
  await dock(page).getByRole("list", { name: "Timeline" }).getByRole("button", { name: "Retry", exact: true }).click();
  await dock(page).getByRole("region", { name: "What happened here" }).getByText(/condition|expression|<|ends/i).first().waitFor();
  await type(field, "payload.tries < 3");
  await until(async () => (await field.getAttribute("aria-invalid")) === null, "mended, the field is fine");
});

test("an endless loop stops within 300 ms of Stop, and what it did can be read", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  await openFlow(page, [
    { Name: "For ever", StepType: "While", StartingStep: true, LoopBodyType: "Action", Action: "Call", Configuration: '{"type":"While","condition":"true","maxIterations":0}' },
  ], "Call");
  await stop(page).waitFor();
  await page.waitForTimeout(300);
  // From the click to the button that says so, in the page's own time.
  const took = await stop(page).evaluate(async (button) => {
    const began = performance.now();
    button.click();
    while (button.innerText.trim() !== "Run" && performance.now() - began < 5000) await new Promise((wait) => requestAnimationFrame(wait));
    return performance.now() - began;
  });
  assert.ok(took <= 300, `stopped after ${took.toFixed(0)} ms`);
  await tab(page, "Iterations");
  await dock(page).getByRole("table", { name: "Iterations" }).getByRole("button", { name: /^Iteration 1,/ }).waitFor();
});

test("a scenario that lacks an action says so and leads to its script", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  await openFlow(page, [{ Name: "Fetch", StepType: "Action", StartingStep: true, Action: "Get Weather" }], "Get Weather");
  await tab(page, "Scenario");
  await dock(page).getByRole("button", { name: "New scenario" }).first().click();
  await badge(page).waitFor();
  await tab(page, "Problems");
  await problems(page).getByRole("button", { name: /Get Weather has no script/ }).click();
  await inspector(page).getByRole("tab", { name: /^Mock/, selected: true }).waitFor();
  await inspector(page).getByRole("button", { name: "Script it" }).click();
  await until(
    async () => (await dock(page).getByRole("button", { name: /Get Weather has no script/ }).count()) === 0,
    "scripted, nothing is lacking",
  );
});

test(
  "a worker that dies in the middle of a run is started again, and nothing is lost",
  async ({ page, open }) => {
    // The worker is ended from outside, as the system does when memory is short: it just falls silent.
    await page.addInitScript(() => {
      const Real = window.Worker;
      window.workers = [];
      window.Worker = class extends Real {
        constructor(...given) {
          super(...given);
          window.workers.push(this);
        }
      };
    });
    await open();
    await badge(page).waitFor();
    await openFlow(page, [
      { Name: "For ever", StepType: "While", StartingStep: true, LoopBodyType: "Action", Action: "Call", Configuration: '{"type":"While","condition":"true","maxIterations":0}' },
    ], "Call");
    await stop(page).waitFor();
    await page.evaluate(() => Worker.prototype.terminate.call(window.workers.at(-1)));
    await page.getByText(/simulator .*started again/).first().waitFor({ timeout: 12_000 });
    await run(page).waitFor();
    assert.equal(await steps(page).count(), 1, "the flow is still there");
    assert.equal(await page.evaluate(() => window.workers.length), 2);
    // The new one works.
    await steps(page).first().click({ position: { x: 120, y: 16 } });
    await inspector(page).getByRole("tab", { name: /^Configuration/ }).click();
    await type(inspector(page).getByRole("combobox", { name: "condition" }), "false");
    await page.keyboard.press("Tab");
    await badge(page).waitFor();
    await page.getByRole("button", { name: "Undo", exact: false }).first().click();
  },
  { timeout: 90_000 },
);

test("without a worker flows can be edited, and the page says what is missing", async ({ page, open, complaints }) => {
  await page.addInitScript(() => delete window.Worker);
  await open();
  await page.getByText(/simulator could not be started.*[Rr]eloading/).first().waitFor();
  assert.ok(await run(page).isDisabled());
  const canvas = await page.getByRole("main", { name: "Canvas" }).boundingBox();
  const count = await steps(page).count();
  await drag(page, page.getByRole("button", { name: "Prompt", exact: true }), { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height - 60 });
  await until(async () => (await steps(page).count()) === count + 1, "a step was added");
  complaints.length = 0;
});

test("without IndexedDB the app works, says that nothing is kept, and offers the file", async ({ page, open }) => {
  await page.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: undefined }));
  await open();
  await badge(page).waitFor();
  await page.getByText(/keeps nothing for this page.*Save the document/).first().waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Not saved/ }).click()]);
  assert.match(file.suggestedFilename(), /\.loopwright\.json$/);
});

test("when the storage is full that is said at once, and the work stays on the page", async ({ page, open }) => {
  // Chromium's own quota does not hold in a window without a profile: the store refuses as it does when the quota is used up.
  await page.addInitScript(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...given) {
      if (window.storageIsFull) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      return put.apply(this, given);
    };
  });
  await open();
  await badge(page).waitFor();
  await page.evaluate(() => (window.storageIsFull = true));
  await steps(page).first().click({ position: { x: 120, y: 16 } });
  await page.keyboard.press("Alt+ArrowRight");
  await page.getByText(/storage is full.*Save the document/).first().waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Storage full/ }).click()]);
  assert.match(file.suggestedFilename(), /\.loopwright\.json$/);
  // With room again the next change is stored.
  await page.evaluate(() => (window.storageIsFull = false));
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByText(/^Saved \d\d:\d\d/).waitFor();
});
