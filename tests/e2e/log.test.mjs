// The same run gives the same log, byte for byte, in the browser's worker and on the command line.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { download, test } from "./lib.mjs";

const examples = fileURLToPath(new URL("../../assets/examples/", import.meta.url));
const commandLine = process.env.LOOPWRIGHT_CLI;

/** The packed log as the command line writes it. */
function nativeLog(file, scenario) {
  const folder = mkdtempSync(join(tmpdir(), "loopwright-log-"));
  try {
    const log = join(folder, "log");
    // A scenario in which something fails ends with 1; a run that could not be made leaves no log.
    try {
      execFileSync(commandLine, ["simulate", file, "--scenario", scenario, "--log", log], { stdio: "pipe" });
    } catch (error) {
      if (error.status !== 1) throw error;
    }
    return readFileSync(log);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const name of readdirSync(examples).filter((name) => name.endsWith(".loopwright.json"))) {
  const example = name.replace(".loopwright.json", "");
  test(`native and wasm logs are the same bytes: ${example}`, async ({ page, open }) => {
    assert.ok(commandLine, "LOOPWRIGHT_CLI names the command line");
    const document = JSON.parse(readFileSync(join(examples, name), "utf8"));
    // The flow that is open offers its own scenarios.
    const scenarios = document.scenarios.filter(({ graph }) => graph === document.graphs[0].Name).map((scenario) => scenario.name);
    assert.ok(scenarios.length > 0, "the first flow has a scenario");
    await open(`#example=${example}`);
    for (const scenario of scenarios) {
      await page.getByRole("button", { name: /^Run \d\d:\d\d .* virtual/ }).waitFor();
      await page.evaluate(() => performance.clearMarks());
      await page.getByRole("button", { name: "Run options" }).click();
      await page.getByRole("menuitemradio", { name: scenario, exact: true }).click();
      // The choice starts the run; the log is asked for when it has ended.
      await page.waitForFunction(() => performance.getEntriesByName("run ended").length > 0);
      await page.getByRole("tab", { name: "Events" }).click();
      const { name: file, bytes } = await download(page, () => page.getByRole("button", { name: "Save run log" }).click());
      assert.match(file, /\.loopwright-log$/);
      assert.ok(bytes.equals(nativeLog(join(examples, name), scenario)), `${example}, ${scenario}: ${bytes.length} bytes`);
    }
  });
}
