// Every screen of the app: a name, and how to get there from a freshly opened app. Pictures are taken of them, and axe looks at them.
const ran = (page) => page.getByRole("button", { name: /^Run .* virtual/ }).waitFor();
const tab = async (page, name) => {
  await ran(page);
  await page.getByRole("button", { name: "Hide all three" }).first().click();
  await page.getByRole("region", { name: "Dock" }).getByRole("tab", { name: new RegExp(`^${name}`) }).click();
};
const WIDE = ["light-wide", "dark-wide"];

/** `only` limits the looks that pictures are taken in. */
export const SCREENS = [
  { name: "start", go: ({ page }) => ran(page) },
  { name: "editor", go: ({ page }) => tab(page, "Timeline") },
  { name: "problems", go: ({ page }) => tab(page, "Problems"), only: WIDE },
  { name: "scenario", go: ({ page }) => tab(page, "Scenario"), only: WIDE },
  { name: "iterations", go: ({ page }) => tab(page, "Iterations"), only: WIDE },
  { name: "payload", go: ({ page }) => tab(page, "Payload"), only: WIDE },
  { name: "events", go: ({ page }) => tab(page, "Events"), only: WIDE },
  ...["Configuration", "Outputs", "Mock", "JSON"].map((part) => ({
    name: part.toLowerCase(),
    go: async ({ page }) => {
      await tab(page, "Timeline");
      await page.getByRole("complementary", { name: "Inspector" }).getByRole("tab", { name: new RegExp(`^${part}`) }).click();
    },
    only: WIDE,
  })),
  {
    name: "scenario-call",
    go: async ({ page }) => {
      await tab(page, "Scenario");
      await page.getByRole("navigation", { name: "Parts of the scenario" }).getByRole("button").nth(1).click();
    },
    only: WIDE,
  },
  {
    name: "path",
    go: async ({ page }) => {
      await tab(page, "Timeline");
      // Wherever the view is: the label may stand under the dock.
      await page.getByRole("button", { name: /^Path from / }).first().evaluate((label) => label.click());
    },
    only: WIDE,
  },
  {
    name: "flow",
    go: async ({ page }) => {
      await tab(page, "Timeline");
      const close = page.getByRole("complementary", { name: "Inspector" }).getByRole("button", { name: "Close", exact: true });
      if (await close.isVisible()) await close.click();
    },
    only: WIDE,
  },
  {
    name: "table",
    go: async ({ page }) => {
      await tab(page, "Timeline");
      await page.getByRole("button", { name: "Table", exact: true }).click();
    },
    only: WIDE,
  },
  {
    name: "retry",
    path: "#example=retry-api-call",
    go: async ({ page }) => {
      await ran(page);
      await page.getByRole("region", { name: "Dock" }).getByRole("tab", { name: "Timeline" }).click();
      await page.getByRole("region", { name: "Dock" }).getByRole("button", { name: /iterations? · one at a time/ }).first().click();
    },
    only: WIDE,
  },
  {
    name: "sub-agent",
    path: "#example=document-processing",
    go: async ({ page }) => {
      await ran(page);
      await page.getByRole("group", { name: /, (Sub-Agent|ForEach), / }).first().dblclick({ position: { x: 120, y: 16 } });
    },
    only: WIDE,
  },
  { name: "plan", path: "#example=incident-triage", go: ({ page }) => ran(page), only: WIDE },
  { name: "task-graph", path: "#example=draft-review-publish", go: ({ page }) => ran(page), only: WIDE },
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
  {
    name: "menu",
    go: async ({ page }) => {
      await ran(page);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
    },
    only: WIDE,
  },
  {
    name: "help",
    go: async ({ page }) => {
      await ran(page);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.getByRole("menuitem", { name: "Help" }).click();
    },
    only: WIDE,
  },
  {
    name: "report",
    go: async ({ page }) => {
      await ran(page);
      await page.getByLabel("Open a file …").setInputFiles({ name: "half.json", mimeType: "application/json", buffer: Buffer.from('{"agents": [') });
      await page.getByRole("dialog").waitFor();
    },
    only: WIDE,
  },
];

