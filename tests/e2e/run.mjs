// Runs the tests of every *.test.mjs in this folder: `node run.mjs [NAME…]`, where a NAME is part of a file's or a test's name.
// One Chromium, a context a test, two tests at a time (LOOPWRIGHT_E2E_JOBS).
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { openPage, picture, startBrowser, tests } from "./lib.mjs";

const names = process.argv.slice(2).map((name) => name.toLowerCase());
const jobs = Number(process.env.LOOPWRIGHT_E2E_JOBS ?? 2);
const here = new URL(".", import.meta.url);

for (const file of readdirSync(here).filter((file) => file.endsWith(".test.mjs")).sort()) {
  const before = tests.length;
  await import(new URL(file, here));
  for (const test of tests.slice(before)) test.file = basename(file, ".test.mjs");
}

const wanted = tests.filter(({ file, name }) => names.length === 0 || names.some((part) => `${file} ${name}`.toLowerCase().includes(part)));
if (wanted.length === 0) {
  console.error(names.length ? `No browser test has ${names.join(" or ")} in its name.` : "There are no browser tests.");
  process.exit(1);
}

const browser = await startBrowser();
const failed = [];

async function run({ file, name, body, options }) {
  const began = Date.now();
  const { timeout = 60_000, alone, ...pageOptions } = options;
  const tools = await openPage(browser, pageOptions);
  let error;
  let timer;
  try {
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${timeout / 1000} s`)), timeout);
    });
    const work = body({ ...tools, browser });
    // When the time is up first, what the test still does is of no interest.
    work.catch(() => {});
    await Promise.race([work, late]);
    if (tools.complaints.length) error = new Error(`the page complained:\n  ${tools.complaints.join("\n  ")}`);
  } catch (thrown) {
    error = thrown;
  }
  clearTimeout(timer);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  if (error) {
    failed.push(`${file}: ${name}`);
    console.log(`✗ ${file}: ${name} (${seconds} s)\n${String(error.stack ?? error).replace(/^/gm, "    ")}`);
    if (tools.complaints.length) console.log(`    the page's complaints:\n      ${tools.complaints.join("\n      ")}`);
    const path = await picture(tools.page, `${file} ${name}`).catch((reason) => `no picture: ${reason.message}`);
    console.log(`    picture: ${path}`);
  } else {
    console.log(`✓ ${file}: ${name} (${seconds} s)`);
  }
  await tools.context.close().catch(() => {});
}

const together = wanted.filter((test) => !test.options.alone);
const lane = async () => {
  for (let test = together.shift(); test; test = together.shift()) await run(test);
};
await Promise.all(Array.from({ length: Math.max(1, jobs) }, lane));
for (const test of wanted.filter((test) => test.options.alone)) await run(test);

await browser.close();
console.log(`\n${wanted.length - failed.length} of ${wanted.length} browser tests passed.`);
if (failed.length) {
  console.log(`Failed:\n  ${failed.join("\n  ")}`);
  process.exit(1);
}
