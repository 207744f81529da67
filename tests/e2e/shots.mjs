// Writes a picture of every screen: `node shots.mjs [NAME…]`. A screen is a line in SCREENS; each is taken light and dark, wide and narrow.
import { openPage, picture, startBrowser } from "./lib.mjs";

const ran = (page) => page.getByRole("button", { name: /^Run .* virtual/ }).waitFor();
const tab = async (page, name) => {
  await ran(page);
  await page.getByRole("button", { name: "Hide all three" }).first().click();
  await page.getByRole("region", { name: "Dock" }).getByRole("tab", { name: new RegExp(`^${name}`) }).click();
};
const WIDE = ["light-wide", "dark-wide"];

/** Screens: a name, and how to get there from a freshly opened app. `only` limits the looks. */
export const SCREENS = [
  { name: "start", go: ({ page }) => ran(page) },
  { name: "editor", go: ({ page }) => tab(page, "Timeline") },
  { name: "problems", go: ({ page }) => tab(page, "Problems"), only: WIDE },
  { name: "scenario", go: ({ page }) => tab(page, "Scenario"), only: WIDE },
  { name: "iterations", go: ({ page }) => tab(page, "Iterations"), only: WIDE },
  { name: "payload", go: ({ page }) => tab(page, "Payload"), only: WIDE },
  { name: "events", go: ({ page }) => tab(page, "Events"), only: WIDE },
  {
    name: "configuration",
    go: async ({ page }) => {
      await tab(page, "Timeline");
      await page.getByRole("complementary", { name: "Inspector" }).getByRole("tab", { name: /^Configuration/ }).click();
    },
    only: WIDE,
  },
  {
    name: "nested",
    go: async ({ page }) => {
      await ran(page);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.getByRole("menuitem", { name: "Customers and orders" }).click();
      await page.getByRole("heading", { name: "Customers and orders", level: 1 }).waitFor();
      await tab(page, "Timeline");
    },
    only: WIDE,
  },
  {
    name: "new",
    go: async ({ page }) => {
      await ran(page);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.getByRole("menuitem", { name: "New flow" }).click();
      await page.getByRole("heading", { name: "Untitled flow" }).waitFor();
    },
    only: WIDE,
  },
  {
    name: "commands",
    go: async ({ page }) => {
      await ran(page);
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("dialog", { name: "Commands" }).waitFor();
    },
    only: WIDE,
  },
];

const LOOKS = [
  { look: "light-wide", dark: false, viewport: { width: 1440, height: 900 } },
  { look: "dark-wide", dark: true, viewport: { width: 1440, height: 900 } },
  { look: "light-narrow", dark: false, viewport: { width: 820, height: 1100 } },
  { look: "dark-narrow", dark: true, viewport: { width: 820, height: 1100 } },
];

const names = process.argv.slice(2);
const folder = process.env.LOOPWRIGHT_SHOTS ?? "shots";
const browser = await startBrowser();
let failed = 0;

for (const { name, path, go, only } of SCREENS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  for (const { look, ...options } of LOOKS.filter(({ look }) => !only || only.includes(look))) {
    const tools = await openPage(browser, options);
    try {
      await tools.open(path);
      await go(tools);
      if (tools.complaints.length) throw new Error(`the page complained: ${tools.complaints.join("; ")}`);
      console.log(await picture(tools.page, `${name}-${look}`, folder));
    } catch (error) {
      failed += 1;
      console.log(`✗ ${name} ${look}: ${error.stack ?? error}`);
      console.log(await picture(tools.page, `${name}-${look}-failed`, folder).catch(() => ""));
    }
    await tools.context.close();
  }
}

await browser.close();
if (failed) process.exit(1);
