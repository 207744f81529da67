// The main job, done as a person does it: a flow from nothing, a mistake made and mended, a run read iteration by iteration,
// undone and redone to the end, reloaded, exported.
import assert from "node:assert/strict";
import { download, drag, test, type, until } from "./lib.mjs";

/** The badge on the canvas that says when the flow ran. */
const badge = (page) => page.getByRole("button", { name: /^Run \d\d:\d\d .* virtual/ });
const inspector = (page) => page.getByRole("complementary", { name: "Inspector" });
const dock = (page) => page.getByRole("region", { name: "Dock" });

/** Chooses what a step calls, adding the name to the catalogue. */
async function callAction(page, name) {
  await inspector(page).getByRole("tab", { name: /^Configuration/ }).click();
  const field = inspector(page).getByRole("combobox", { name: "ActionID" });
  await type(field, name);
  await field.press("Enter");
  const add = inspector(page).getByRole("button", { name: /catalogue/i });
  if (await add.isVisible().catch(() => false)) await add.click();
}

/** Adds a row to the open mapping tab and types its value. */
async function addRow(page, kind, name, value) {
  await inspector(page).getByRole("button", { name: `Add ${kind}` }).click();
  const field = inspector(page).getByRole("textbox", { name: new RegExp(`^Name of the new ${kind}`) });
  await field.pressSequentially(name);
  await field.press("Enter");
  const row = inspector(page).getByRole("group", { name, exact: true });
  await type(row.getByRole("combobox"), value);
  await row.getByRole("combobox").press("Escape");
  return row;
}

/** Scripts what an action answers on every call. */
async function script(page, action, answer, latency) {
  await dock(page).getByRole("tab", { name: "Scenario" }).click();
  await dock(page).getByRole("navigation", { name: "Parts of the scenario" }).getByRole("button", { name: new RegExp(action) }).click();
  const scriptIt = dock(page).getByRole("button", { name: "Script it" });
  if (await scriptIt.isVisible()) await scriptIt.click();
  await type(dock(page).getByRole("textbox", { name: "Latency in ms" }), latency);
  const text = dock(page).getByRole("textbox", { name: "Answer" });
  await text.click();
  await text.press("ControlOrMeta+a");
  await page.keyboard.insertText(answer);
}

test("a flow is built, run, read, undone, redone, reloaded and exported by hand", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "New flow" }).click();
  await page.getByRole("heading", { name: "Untitled flow" }).waitFor();

  // Two steps from the palette, and a path between them.
  const canvas = await page.getByRole("main", { name: "Canvas" }).boundingBox();
  const palette = page.getByRole("complementary", { name: "Palette and outline" });
  await drag(page, palette.getByRole("button", { name: "Action", exact: true }), { x: canvas.x + 220, y: canvas.y + 200 });
  await callAction(page, "Get New Customers");
  await drag(page, palette.getByRole("button", { name: "ForEach", exact: true }), { x: canvas.x + 600, y: canvas.y + 200 });
  await callAction(page, "Send Email");
  await type(inspector(page).getByRole("combobox", { name: "collectionPath" }), "payload.customers");
  await type(inspector(page).getByRole("textbox", { name: "itemVariable" }), "customer");
  await drag(page, page.getByRole("button", { name: /^Connect from Get New Customers|^Connect from Action/ }), page.getByRole("button", { name: /^Connect to / }));
  await page.getByRole("button", { name: /^Path from / }).waitFor();

  // What the first step's answer becomes, and what the calls answer.
  await page.getByRole("group", { name: /, Action, / }).click();
  await inspector(page).getByRole("tab", { name: /^Outputs/ }).click();
  await addRow(page, "output", "*", "payload.customers");
  await dock(page).getByRole("tab", { name: "Scenario" }).click();
  await dock(page).getByRole("button", { name: "New scenario" }).first().click();
  const people = ["ana", "bao", "olu"].map((name) => ({ email: `${name}@example.com` }));
  await script(page, "Get New Customers", JSON.stringify(people), "1800");
  await script(page, "Send Email", '{"success": true}', "900");

  console.log(await page.locator("body").ariaSnapshot());
});
