// A document in a link: it opens elsewhere as it was, a broken link says so, and what was open before is never lost.
import assert from "node:assert/strict";
import { started, test, type } from "./lib.mjs";

const title = (page) => page.getByRole("heading", { level: 1 });

/** Gives the document another title, as a person does. */
async function rename(page, name) {
  await title(page).getByRole("button").click();
  const field = page.getByRole("textbox", { name: "Document name" });
  await type(field, name);
  await field.press("Enter");
}

/** The link as the Share menu puts it on the clipboard. */
async function copiedLink(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy link to this document" }).click();
  await page.getByText(/^Link copied/).first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

const clipboard = { alone: true, permissions: ["clipboard-read", "clipboard-write"] };

test("a copied link opens the document elsewhere, and the address is plain again", async ({ page, open, browser }) => {
  await open("#example=retry-api-call");
  await rename(page, "Retry, shared — ✓");
  const link = await copiedLink(page);
  assert.match(link, /#doc=[A-Za-z0-9_-]+$/);
  const elsewhere = await browser.newContext();
  try {
    const other = await elsewhere.newPage();
    await other.goto(link);
    await started(other);
    await other.getByText("Retry, shared — ✓").first().waitFor();
    await other.waitForURL((url) => url.hash === "");
  } finally {
    await elsewhere.close();
  }
}, clipboard);

test("a link does not cost the document that was open: it can be gone back to", async ({ page, open, address }) => {
  await open("#example=polling-export");
  await rename(page, "From a friend");
  const link = await copiedLink(page);
  await page.goto("about:blank");
  await open("#example=welcome-emails");
  await rename(page, "My own work");
  await page.getByText(/^Saved/).first().waitFor();
  await page.goto("about:blank");
  await page.goto(link);
  await started(page);
  await page.getByText("From a friend").first().waitFor();
  assert.ok(link.startsWith(address.replace(/\/$/, "")));
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Back to “My own work”" }).click();
  await title(page).getByText("My own work").waitFor();
}, clipboard);

test("a link that was cut off says so, and what was open stays", async ({ page, open }) => {
  await open("#example=welcome-emails");
  await rename(page, "Still here");
  await page.getByText(/^Saved/).first().waitFor();
  await page.goto("about:blank");
  await open("#doc=7VhNb9s4E");
  await page.getByText("The document in this link cannot be read").first().waitFor();
  await title(page).getByText("Still here").waitFor();
});
