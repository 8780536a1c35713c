/** The README's chart, drawn by the inspector's page: tokens of each request of the demo, bare and with Strata. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { listSizes, type Runs } from "../demo/table.js";
import { repository, sources } from "../host/repository.js";
import { openPage } from "../host/stage/browser-page.js";
import type { Browser } from "../host/stage/chromium.js";

const WIDTH_PX = 1_000;
const PAGE = join(sources, "src/inspector/page");

export async function drawContext(path: string, { bare, strata }: Runs, browser: Browser): Promise<void> {
  const props = {
    sent: listSizes(strata),
    without: listSizes(bare),
    withoutName: "bare OpenCode",
    replacements: [],
  };
  const script = await bundle(`
    import { h, render } from "preact";
    import { SizesChart } from ${JSON.stringify(join(PAGE, "charts.tsx"))};
    render(h(SizesChart, ${JSON.stringify(props)}), document.body);
  `);
  const styles = readFileSync(join(repository, "dist/inspector-page.css"), "utf8");
  const html = `<!doctype html><meta charset="utf-8"><style>${styles}
body { display: block; padding: 16px } details { display: none }</style><body></body><script type="module">${script}</script>`;
  await using page = await openPage({ browser, page: { html }, widthPx: WIDTH_PX, isDark: false });
  await page.waitFor("document.querySelector('.chart svg')?.clientWidth > 900");
  const heightPx = await page.evaluate<number>(
    "Math.ceil(document.querySelector('.chart').getBoundingClientRect().bottom) + 16",
  );
  await page.takePicture(path, heightPx);
}

/** One script of this module and all that it imports. */
async function bundle(entry: string): Promise<string> {
  const name = join(PAGE, "entry.js");
  const build = await rolldown({
    input: name,
    platform: "browser",
    tsconfig: join(PAGE, "tsconfig.json"),
    plugins: [
      {
        name: "entry",
        load: (id) => (id === name ? entry : undefined),
        resolveId: (id) => (id === name ? name : undefined),
      },
    ],
  });
  const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false });
  await build.close();
  return output[0].code;
}
