/** A Chromium of this machine, where there is one, that opens a page and tells what a script finds in it. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entrust } from "./keeper.js";

export interface Look {
  binary: string;
  /** The page, as it would be in a file. */
  html: string;
  widthPx: number;
  isDark: boolean;
  /** The text of a function of the page's window, whose result is JSON. */
  measure: string;
}

export interface Seen<T> {
  measured: T;
  /** What the browser printed on its console: errors, and what the page was refused. */
  console: string[];
}

/** Where it is; `undefined` where there is none. */
export function findChromium(): string | undefined {
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    } catch {
      // The next name.
    }
  }
  return undefined;
}

/** Opens the page in a frame of this width and measures it once it is loaded. */
export async function lookAt<T>({ binary, html, isDark, measure, widthPx }: Look): Promise<Seen<T>> {
  const folder = mkdtempSync(join(tmpdir(), "strata-page-"));
  const release = entrust({ folder });
  const harness = join(folder, "harness.html");
  writeFileSync(
    harness,
    `<!doctype html><iframe id="page" style="width:${widthPx}px;height:900px;border:0"></iframe><pre id="measured"></pre>
<script>
const frame = document.getElementById("page");
frame.onload = () => {
  const measure = ${measure};
  document.getElementById("measured").textContent = JSON.stringify(measure(frame.contentWindow));
};
frame.srcdoc = ${JSON.stringify(html).replaceAll("<", "\\u003c")};
</script>`,
  );
  const args = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    `--user-data-dir=${join(folder, "profile")}`,
    `--blink-settings=preferredColorScheme=${isDark ? 0 : 1}`,
    "--window-size=1600,1000",
    "--enable-logging=stderr",
    "--virtual-time-budget=3000",
    "--dump-dom",
    `file://${harness}`,
  ];
  try {
    const { err, out } = await run(binary, args);
    const measured = /<pre id="measured">([^<]*)<\/pre>/.exec(out)?.[1] ?? "";
    if (measured === "") throw new Error(`Chromium measured nothing:\n${err.slice(-2_000)}`);
    const text = measured.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    return {
      measured: JSON.parse(text) as T,
      console: err.split("\n").filter((line) => line.includes("CONSOLE")),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    release();
  }
}

function run(binary: string, args: string[]): Promise<{ out: string; err: string }> {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve({ out, err }));
  });
}
