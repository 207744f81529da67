// Axe finds nothing, on every screen, light and dark.
import assert from "node:assert/strict";
import { accessibility, test } from "./lib.mjs";
import { SCREENS } from "./screens.mjs";

for (const { name, path, go } of SCREENS) {
  test(`axe finds nothing: ${name}`, async (tools) => {
    await tools.open(path);
    await go(tools);
    // A bar on the time axis is as wide as its time is long; the table form and the lists offer the same at full size.
    const onTheAxis = (finding) =>
      tools.page.evaluate((selector) => !!document.querySelector(selector)?.closest("[class*=tl-], .cell"), finding.split(": ").at(-1));
    const findings = async () => {
      // Colours that are still on their way to another theme are neither theme's.
      await tools.page.evaluate(async () => {
        // A change of theme begins its transitions with the next frame.
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const ends = document.getAnimations().filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity);
        await Promise.all(ends.map((animation) => animation.finished.catch(() => {})));
      });
      const found = [];
      for (const finding of await accessibility(tools.page)) if (!finding.startsWith("target-size") || !(await onTheAxis(finding))) found.push(finding);
      return found;
    };
    assert.deepEqual(await findings(), [], "light");
    await tools.page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await findings(), [], "dark");
  });
}
