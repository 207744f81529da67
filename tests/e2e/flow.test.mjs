// The main job, done as a person does it: a flow from nothing, a mistake made and mended, a run read iteration by iteration,
// undone and redone to the end, reloaded, exported.
import assert from "node:assert/strict";
import { download, drag, test, type, until } from "./lib.mjs";

/** The badge on the canvas that says when the flow ran. */
const badge = (page) => page.getByRole("button", { name: /^Run \d\d:\d\d .* virtual/ });
const inspector = (page) => page.getByRole("complementary", { name: "Inspector" });
const dock = (page) => page.getByRole("region", { name: "Dock" });

/** Opens a part of the selected step. */
const part = (page, name) => inspector(page).getByRole("tab", { name: new RegExp(`^${name}`) }).click();

/** Names the selected step and chooses what it calls. */
async function describe(page, name, action) {
  await part(page, "Configuration");
  await type(inspector(page).getByRole("textbox", { name: "Name", exact: true }), name);
  const field = inspector(page).getByRole("combobox", { name: "ActionID" });
  await type(field, action);
  await field.press("Enter");
}

/** Writes a mapping row of the open part, adding it when the catalogue did not offer it. Returns the row. */
async function map(page, kind, name, value) {
  const row = inspector(page).getByRole("group", { name, exact: true });
  if ((await row.count()) === 0) {
    await inspector(page).getByRole("button", { name: `Add ${kind}` }).click();
    const field = inspector(page).getByRole("textbox", { name: new RegExp(`^Name of the new ${kind}`) });
    await field.pressSequentially(name);
    await field.press("Enter");
  }
  await type(row.getByRole("combobox"), value);
  return row;
}

/** Says in the Scenario tab what an action answers on every call, and after how long. */
async function script(page, action, answer, milliseconds) {
  await dock(page).getByRole("navigation", { name: "Parts of the scenario" }).getByRole("button", { name: new RegExp(action) }).click();
  const scriptIt = dock(page).getByRole("button", { name: "Script it" });
  if (await scriptIt.isVisible()) await scriptIt.click();
  await type(dock(page).getByRole("textbox", { name: "Least latency in ms" }), milliseconds);
  await paste(page, dock(page).getByRole("textbox", { name: "Answer" }), answer);
}

/** Replaces a field's text at once, as pasting does. */
async function paste(page, field, text) {
  await field.click();
  await field.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** The step JSON as a person downloads it. */
async function exported(page) {
  await page.getByRole("button", { name: "Share" }).click();
  const file = await download(page, () => page.getByRole("menuitem", { name: "Download step JSON (text form)" }).click());
  return file.bytes.toString("utf8");
}

/** Step JSON with every ID replaced by the number of its first appearance, and places taken out: those two differ from run to run. */
function comparable(text) {
  const ids = new Map();
  const numbered = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => ids.get(id) ?? ids.set(id, `id ${ids.size + 1}`).get(id));
  return numbered.replace(/"Position([XY])": -?\d+/g, '"Position$1": 0');
}

/** What the flow has to be in the backend's form. */
const EXPECTED = `{
  "agents": [
    {
      "ID": "id 1",
      "Name": "Customer onboarding",
      "steps": [
        {
          "ID": "id 2",
          "Name": "Get new customers",
          "StepType": "Action",
          "StartingStep": true,
          "ActionID": "id 3",
          "Action": "Get New Customers",
          "ActionOutputMapping": "{\\"*\\":\\"payload.newCustomers\\"}",
          "PositionX": 0,
          "PositionY": 0
        },
        {
          "ID": "id 4",
          "Name": "Send welcome e-mails",
          "StepType": "ForEach",
          "ActionID": "id 5",
          "Action": "Send Email",
          "LoopBodyType": "Action",
          "Configuration": "{\\"type\\":\\"ForEach\\",\\"collectionPath\\":\\"payload.newCustomers\\",\\"itemVariable\\":\\"customer\\",\\"maxIterations\\":500}",
          "ActionInputMapping": "{\\"to\\":\\"customer.email\\",\\"subject\\":\\"Welcome!\\",\\"body\\":\\"payload.emailTemplate\\"}",
          "ActionOutputMapping": "{\\"success\\":\\"results[*].sent\\"}",
          "PositionX": 0,
          "PositionY": 0
        }
      ],
      "paths": [
        {
          "ID": "id 6",
          "OriginStepID": "id 2",
          "DestinationStepID": "id 4"
        }
      ]
    }
  ]
}
`;

test("a flow is built, run, read, undone, redone, reloaded and exported by hand", async ({ page, open }) => {
  await open();
  await badge(page).waitFor();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "New flow" }).click();
  await page.getByRole("heading", { name: "Untitled flow" }).waitFor();
  const nothing = await exported(page);
  await type(inspector(page).getByRole("textbox", { name: "Name", exact: true }), "Customer onboarding");

  // Two steps from the palette, and a path between them.
  const canvas = await page.getByRole("main", { name: "Canvas" }).boundingBox();
  const palette = page.getByRole("complementary", { name: "Palette and outline" });
  await drag(page, palette.getByRole("button", { name: "Action", exact: true }), { x: canvas.x + 220, y: canvas.y + 200 });
  await describe(page, "Get new customers", "Get New Customers");
  await drag(page, palette.getByRole("button", { name: "ForEach", exact: true }), { x: canvas.x + 600, y: canvas.y + 200 });
  await describe(page, "Send welcome e-mails", "Send Email");
  await type(inspector(page).getByRole("combobox", { name: "collectionPath" }), "payload.newCustomers");
  await type(inspector(page).getByRole("textbox", { name: "itemVariable" }), "customer");
  await type(inspector(page).getByRole("textbox", { name: "maxIterations" }), "500");
  await page.keyboard.press("Tab");
  await drag(
    page,
    page.getByRole("button", { name: "Connect from Get new customers" }),
    page.getByRole("button", { name: "Connect to Send welcome e-mails" }),
  );
  await page.getByRole("button", { name: "Path from Get new customers to Send welcome e-mails" }).waitFor();

  // What the first step's answer becomes, and what the calls answer.
  await page.getByRole("group", { name: /^Get new customers, Action/ }).click();
  await part(page, "Outputs");
  await map(page, "output", "*", "payload.newCustomers");
  await dock(page).getByRole("tab", { name: "Scenario" }).click();
  await dock(page).getByRole("button", { name: "New scenario" }).first().click();
  await paste(page, dock(page).getByRole("textbox", { name: "Payload" }), '{ "emailTemplate": "Hello" }');
  const people = ["ana", "bao", "olu"].map((name) => ({ email: `${name}@example.com` }));
  await script(page, "Get New Customers", JSON.stringify(people), "1800");
  await script(page, "Send Email", '{ "success": true }', "900");

  // A mistake in a mapping shows under the field as it is typed, and goes when it is mended.
  await page.getByRole("group", { name: /^Send welcome e-mails, ForEach/ }).click({ position: { x: 120, y: 16 } });
  await part(page, "Inputs");
  const to = await map(page, "input", "to", "custmer.email");
  await to.getByText(/Error|Warning/).first().waitFor();
  await type(to.getByRole("combobox"), "customer.email");
  await until(async () => (await to.getByText(/Error|Warning/).count()) === 0, "the problem goes with its cause");
  await map(page, "input", "subject", "Welcome!");
  await map(page, "input", "body", "payload.emailTemplate");
  await part(page, "Outputs");
  await map(page, "output", "success", "results[*].sent");
  await page.keyboard.press("Tab");

  // The run over three customers, and the parameters of the second.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: /^Run \d\d:\d\d · 4.5 s virtual$/ }).waitFor();
  await dock(page).getByRole("tab", { name: "Timeline" }).click();
  await dock(page).getByRole("button", { name: /^Iteration 2 of 3, succeeded/ }).click();
  const here = dock(page).getByRole("region", { name: "What happened here" });
  await here.getByRole("row", { name: /^to "bao@example.com"/ }).waitFor();
  await here.getByRole("row", { name: /^subject "Welcome!"/ }).waitFor();

  const made = await exported(page);
  assert.equal(comparable(made), EXPECTED);

  // Back to the beginning and forward to the end.
  const undo = page.getByRole("button", { name: /^Undo/ });
  const redo = page.getByRole("button", { name: /^Redo/ });
  let acts = 0;
  for (; await undo.isEnabled(); acts++) await undo.click();
  assert.ok(acts >= 10, `each act is one step back: ${acts}`);
  assert.equal(await exported(page), nothing, "undoing everything leaves nothing behind");
  for (let act = 0; act < acts; act++) await redo.click();
  assert.ok(await redo.isDisabled(), "as many steps forward as back");
  assert.equal(await exported(page), made, "redoing everything brings the same file");

  // It is all there after a reload, the steps back too.
  // Storing begins a moment after the last act.
  await page.waitForTimeout(1000);
  await page.getByText(/^Saved \d\d:\d\d/).waitFor();
  await page.reload();
  await page.getByRole("group", { name: /^Send welcome e-mails, ForEach/ }).waitFor();
  assert.equal(await exported(page), made, "the same file after a reload");
  assert.ok(await undo.isEnabled(), "a reload keeps the steps back");
});
