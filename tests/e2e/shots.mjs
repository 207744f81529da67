// Writes a picture of every screen: `node shots.mjs [NAME…]`. The screens are in screens.mjs; each is taken light and dark, wide and narrow.
import { openPage, picture, startBrowser } from "./lib.mjs";
import { SCREENS } from "./screens.mjs";

const LOOKS = [
  { look: "light-wide", dark: false, viewport: { width: 1600, height: 900 } },
  { look: "dark-wide", dark: true, viewport: { width: 1600, height: 900 } },
  { look: "light-narrow", dark: false, viewport: { width: 900, height: 1000 } },
  { look: "dark-narrow", dark: true, viewport: { width: 900, height: 1000 } },
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
