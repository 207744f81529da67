// Helpers of the browser tests: one Chromium, a fresh context a test, and a watch on everything the page complains about.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const address = process.env.LOOPWRIGHT_URL;
const results = process.env.LOOPWRIGHT_RESULTS ?? "tests/e2e/results";

/** Every registered test: { name, body, options }. */
export const tests = [];

/**
 * Registers a test. `body` gets the object of `openPage`.
 * Options: `alone` runs it with no other test beside it (clipboard, time); `timeout` in ms; the rest goes to `openPage`.
 */
export function test(name, body, options = {}) {
  tests.push({ name, body, options });
}

/** Starts Chromium. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.LOOPWRIGHT_CHROMIUM || undefined,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

/**
 * A fresh context with one page. Options: `viewport`, `dark`, `touch`, `permissions`.
 * Returns { page, context, complaints, open, address }.
 */
export async function openPage(browser, { viewport = { width: 1440, height: 900 }, dark = false, touch = false, permissions = [] } = {}) {
  const context = await browser.newContext({
    viewport, hasTouch: touch, permissions, colorScheme: dark ? "dark" : "light", locale: "en-GB", timezoneId: "UTC", acceptDownloads: true,
  });
  context.setDefaultTimeout(10_000);
  const complaints = [];
  const watch = (page) => {
    page.on("console", (message) => {
      if (["error", "warning", "assert"].includes(message.type())) complaints.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error.stack ?? error}`));
    page.on("crash", () => complaints.push("the page crashed"));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText;
      // A page that is left or loaded anew drops what it was loading.
      if (reason !== "net::ERR_ABORTED") complaints.push(`request failed: ${request.url()} ${reason}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) complaints.push(`answer ${response.status()}: ${response.url()}`);
    });
  };
  context.on("page", watch);
  const page = await context.newPage();
  const open = async (path = "") => {
    await page.goto(new URL(path, address).href);
    await started(page);
  };
  return { page, context, complaints, open, address };
}

/** Waits until the app has started. */
export async function started(page) {
  await page.locator("html[data-app=started]").waitFor({ state: "attached" });
}

/** The middle of a locator's box, or the point given. */
export async function middle(target) {
  if (typeof target.x === "number") return target;
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error(`nothing to point at: ${target}`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drags as a hand does: down, many small moves, up. `from` and `to` are locators or points; `hold` leaves the button down. */
export async function drag(page, from, to, { steps = 16, hold = false } = {}) {
  const start = await middle(from);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  const end = await middle(to);
  for (let step = 1; step <= steps; step++) {
    await page.mouse.move(start.x + ((end.x - start.x) * step) / steps, start.y + ((end.y - start.y) * step) / steps);
  }
  if (!hold) await page.mouse.up();
}

/** Replaces a field's text key by key. */
export async function type(field, text) {
  await field.click();
  await field.press("ControlOrMeta+a");
  await field.press("Delete");
  await field.pressSequentially(text);
}

/** Saves what the click downloads; returns its file name and bytes. */
export async function download(page, click) {
  const [file] = await Promise.all([page.waitForEvent("download"), click()]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  return { name: file.suggestedFilename(), bytes: Buffer.concat(chunks) };
}

/** Waits until `check` returns something true; the last thing it returned or threw is in the error. */
export async function until(check, what, timeout = 5_000) {
  const end = Date.now() + timeout;
  let last;
  do {
    try {
      last = await check();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  } while (Date.now() < end);
  throw new Error(`${what}: not within ${timeout} ms; last seen: ${last}`);
}

/** Writes a picture into the results folder; returns its path. */
export async function picture(page, name, folder = results) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 80)}.png`);
  await page.screenshot({ path, animations: "disabled" });
  return path;
}

/** What axe finds against WCAG 2.2 A and AA, one line a finding; empty is good. */
export async function accessibility(page, within = "html") {
  const source = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
  // By evaluation from outside: the page's own policy lets no other script in.
  await page.evaluate(readFileSync(source, "utf8"));
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const violations = await page.evaluate(async ([within, tags]) => (await window.axe.run(within, { runOnly: tags })).violations, [within, tags]);
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.target.join(" ")}`));
}
