// Axe finds nothing, on every screen, light and dark.
import assert from "node:assert/strict";
import { accessibility, test } from "./lib.mjs";
import { SCREENS } from "./screens.mjs";

for (const { name, path, go } of SCREENS) {
  test(`axe finds nothing: ${name}`, async (tools) => {
    await tools.open(path);
    await go(tools);
    // A bar on the time axis is as wide as its time is long; the table form and the lists offer the same at full size.
    const findings = async () => (await accessibility(tools.page)).filter((finding) => !/^target-size.*\.(tl-bar|cell)/.test(finding));
    assert.deepEqual(await findings(), [], "light");
    await tools.page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await findings(), [], "dark");
  });
}
