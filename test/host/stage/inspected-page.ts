/** The inspector in a real browser, with the page of `dist/` behind the real server, opened with its one-time link. */
import { join } from "node:path";
import { type Clock, systemClock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import { nodeFiles } from "../../../src/io/node-files.js";
import { listen } from "../../../src/serve/listen.js";
import { type InspectedProject, type OpenInspector, openInspector } from "../../support/inspected-project.js";
import { serveApp } from "../../support/served.js";
import { runStrata } from "../../support/shell.js";
import { repository } from "../repository.js";
import { type BrowserPage, openPage, type PageOptions } from "./browser-page.js";

export interface InspectedPages extends AsyncDisposable {
  inspector: OpenInspector;
  /** Dreams as `strata dream` does. */
  dream(): Promise<void>;
  /** A new browser admitted by the link, with this section open and live. */
  open(route: string, options: Omit<PageOptions, "page">): Promise<BrowserPage>;
}

const DIST = join(repository, "dist");
const LOOPBACK = "127.0.0.1";

/** Serves projects in memory, this one and those in the folders `others`; the clock continues from its current time. */
export async function serveInspected(
  {
    clock: played,
    env = {},
    files,
  }: Pick<InspectedProject, "clock" | "files"> & { env?: Record<string, string> },
  folder?: string,
  others: readonly string[] = [],
): Promise<InspectedPages> {
  const startMs = systemClock.now();
  const clock: Clock = { ...systemClock, now: () => played.now() + systemClock.now() - startMs };
  const inspector = await openInspector(withDist(files), clock, {
    assetsFolder: DIST,
    env,
    others,
    ...(folder !== undefined && { folder }),
  });
  const { access, app, complaints } = serveApp({ clock: systemClock, inspector: inspector.app });
  const server = await listen(app, { clock: systemClock, host: LOOPBACK, port: 0 });
  const base = `http://${LOOPBACK}:${server.port}`;
  return {
    inspector,
    async dream() {
      const { code, err } = await runStrata(files, "dream", { clock });
      if (code !== 0) throw new Error(err);
    },
    async open(route, options) {
      const page = await openPage({ ...options, page: { url: `${base}/open/${access.createCode()}` } });
      await page.waitFor("document.querySelector('#heading')");
      await page.evaluate(`void (location.hash = ${JSON.stringify(route)})`);
      await page.waitFor("document.querySelector('.live:not(.lost)') && !document.querySelector('.reading')");
      return page;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      if (complaints.length > 0) throw new Error(complaints.join("\n"));
    },
  };
}

/** The project is in memory, the page on disk. */
const withDist = (files: Files): Files => ({
  ...files,
  read: (path, options) => (path.startsWith(`${DIST}/`) ? nodeFiles.read(path) : files.read(path, options)),
});
