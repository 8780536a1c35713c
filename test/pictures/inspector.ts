/** Pictures of the inspector in a real browser, with a project that real layers have played. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Browser } from "../host/stage/chromium.js";
import { serveInspected } from "../host/stage/inspected-page.js";
import { PROJECT } from "../support/fake-host.js";
import { playInspectedProject } from "../support/inspected-project.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";

const SHOWN_PROJECT = "/home/me/shop";
const MINUTE_MS = 60_000;

/** Writes the pictures into `folder`. */
export async function drawInspector(folder: string, browser: Browser): Promise<void> {
  const { clock, files } = await playInspectedProject();
  clock.advance(MINUTE_MS);
  await using pages = await serveInspected({ clock, files: moveTo(SHOWN_PROJECT, files) }, SHOWN_PROJECT);
  {
    await using page = await pages.open("#/sessions/ses_c", { browser, widthPx: 1_100, isDark: false });
    await page.waitFor("document.querySelector('.chart .line.with')");
    await page.takePicture(join(folder, "inspector.png"), 1_060);
  }
  await using page = await pages.open("#/memories/decision%2Fport", { browser, widthPx: 390, isDark: true });
  const { memory, revision } = await pages.inspector.get<{
    memory: { id: string; title: string };
    revision: string;
  }>("memory?id=decision/port");
  const content = "The server listens on port 9090: 8080 is taken by the new frontend, too.";
  await pages.inspector.post("edit", {
    name: memory.id,
    title: memory.title,
    revision,
    content,
    tags: ["server"],
  });
  await page.waitFor("document.querySelectorAll('.history li').length === 2");
  await page.evaluate("void (document.querySelector('.history details').open = true)");
  await page.waitFor("document.querySelector('.history ins')");
  await page.takePicture(join(folder, "inspector-narrow.png"), 760);
}

/** Id of a project's record on this machine, by the project's path. */
const idOf = (path: string): string => createHash("sha256").update(path).digest("hex").slice(0, 32);

/** The same project in another folder. */
function moveTo(folder: string, { contents }: MemoryFiles): MemoryFiles {
  const move = (text: string): string =>
    text.replaceAll(new RegExp(`${PROJECT}(?![\\w-])`, "g"), folder).replaceAll(idOf(PROJECT), idOf(folder));
  return createMemoryFiles(
    Object.fromEntries(
      [...contents].map(([path, bytes]) => [move(path), move(Buffer.from(bytes).toString())]),
    ),
  );
}
