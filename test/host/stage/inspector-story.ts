/** Shared by the inspector's stories: one played project, copied for each, and helpers for the page. */

import { test } from "vitest";
import { createFakeClock, type FakeClock } from "../../support/fake-clock.js";
import { playInspectedProject } from "../../support/inspected-project.js";
import { copyFiles, type MemoryFiles } from "../../support/memory-files.js";
import type { BrowserPage } from "./browser-page.js";
import { type Browser, findBrowser } from "./chromium.js";

export const SECTIONS = ["overview", "sessions", "memories", "waiting", "agenda", "changes", "log"];

export interface Played {
  browser: Browser;
  /** A separate copy of the project, a minute after the play. */
  copy(): { files: MemoryFiles; clock: FakeClock };
}

const MINUTE_MS = 60_000;
const found = findBrowser();
const isMissing = !found && !(process.platform === "linux" && process.arch === "x64");
if (isMissing) process.stdout.write("Skipped: the inspector's page, as no Chromium or Chrome is installed\n");

/** A test in a browser: npm ci brings one for x64 Linux, elsewhere it is skipped without one. */
export const browserTest = test.skipIf(isMissing);

/** Plays once for all tests of a file. */
export async function playOnce(): Promise<Played> {
  if (!found) throw new Error("expected the Chromium that npm ci brings, but it does not run");
  const { clock, files } = await playInspectedProject();
  const copy = () => ({ files: copyFiles(files), clock: createFakeClock(clock.now() + MINUTE_MS) });
  return { browser: found, copy };
}

export const shows = (text: string): string => `document.body.innerText.includes(${JSON.stringify(text)})`;
export const has = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})`;
/** The first button with this text. */
export const press = (page: BrowserPage, text: string): Promise<void> =>
  page
    .waitFor(`(() => {
      document.querySelector("[data-pressed]")?.removeAttribute("data-pressed");
      const found = [...document.querySelectorAll("button")].find((one) => one.innerText.startsWith(${JSON.stringify(text)}) && !one.disabled);
      found?.setAttribute("data-pressed", "");
      return found !== undefined;
    })()`)
    .then(() => page.click("[data-pressed]"));
export const goTo = (page: BrowserPage, hash: string): Promise<void> =>
  page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
