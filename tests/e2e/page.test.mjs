// The page as it is served: it starts without a word on the console, under the headers a public server has to send.
import assert from "node:assert/strict";
import { test } from "./lib.mjs";

test("the app starts and the console stays empty", async ({ page, open }) => {
  await open();
  assert.match(await page.title(), /Loopwright$/);
  assert.equal(await page.locator("#starting").count(), 0, "the starting notice is gone");
});

test("the worker starts from its hashed address and speaks first", async ({ page, open }) => {
  await open();
  const address = await page.locator("meta[name=loopwright-worker]").getAttribute("content");
  assert.match(address, /^worker-[0-9a-f]{16}\/start\.js$/, "the address changes with every build of the worker");
  const spoke = await page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const worker = new Worker(address, { type: "module" });
        const settle = (said) => (worker.terminate(), resolve(said));
        worker.onmessage = () => settle("spoke");
        worker.onerror = (event) => settle(`failed: ${event.message}`);
      }),
    address,
  );
  assert.equal(spoke, "spoke");
});

test("every file comes with its type, its policy and compressed", async ({ page, open, address }) => {
  const answers = new Map();
  page.on("response", (response) => answers.set(new URL(response.url()).pathname, response));
  await open();
  const worker = await page.locator("meta[name=loopwright-worker]").getAttribute("content");
  const workerWasm = worker.replace("start.js", "loopwright-worker_bg.wasm");
  for (const path of [worker, workerWasm]) answers.set(`/${path}`, await page.request.get(new URL(path, address).href));

  const types = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", wasm: "application/wasm", json: "application/json; charset=utf-8", svg: "image/svg+xml; charset=utf-8" };
  const seen = new Set();
  for (const [path, response] of answers) {
    const headers = response.headers();
    const kind = path === "/" ? "html" : path.split(".").pop();
    seen.add(kind);
    assert.equal(headers["content-type"], types[kind], path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.equal(headers["referrer-policy"], "no-referrer", path);
    const policy = headers["content-security-policy"];
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/, `${path}: scripts from this place only, none inline`);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/, path);
    if (kind === "wasm") assert.match(headers["content-encoding"] ?? "none", /^(br|gzip)$/, path);
    const forEver = /immutable/.test(headers["cache-control"]);
    assert.equal(forEver, /[0-9a-f]{14,16}/.test(path), `${path}: kept for ever exactly when its name changes with its content`);
  }
  for (const kind of Object.keys(types).filter((kind) => !["svg", "json"].includes(kind))) assert.ok(seen.has(kind), `a file of type ${kind} was seen`);
});

test("an inline script does not run", async ({ page, open, complaints }) => {
  await open();
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.documentElement.dataset.takenOver = 'yes'";
    document.head.append(script);
  });
  assert.equal(await page.locator("html").getAttribute("data-taken-over"), null);
  // The refusal itself is what the console reports.
  assert.match(complaints.splice(0).join("\n"), /Content Security Policy|inline/i);
});
