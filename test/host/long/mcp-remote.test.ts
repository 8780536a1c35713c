/** The real OpenCode as an MCP client of `strata serve`, with the entry that docs/serve.md names. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { repository } from "../repository.js";
import { envOf } from "../stage/mcp-process.js";
import type { Project } from "../stage/project.js";
import { createShop, expectUnmixed, ownCalls, shopCalls } from "../stage/shop-story.js";
import { openStage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";
import { strata } from "../stage/strata.js";

const KEY = "the-key-of-this-test";
const remote = (url: string) => ({
  type: "remote",
  url: `${url}/mcp`,
  headers: { Authorization: "Bearer {env:STRATA_API_KEY}" },
});

test("OpenCode finds and saves another project's memories over HTTP, also after a restart of the server", async () => {
  await using stage = await openStage({ env: { STRATA_API_KEY: KEY } });
  const shop = await createShop(stage.project);
  strata(shop, "remember", "--private", "--type", "knowledge", "the lawyer's port is 8081");
  const first = await startServe(shop, { key: KEY });
  await stage.restart({ config: { mcp: { shop: remote(first.url) } } });
  stage.model.script(...shopCalls, ...ownCalls, say("done"));
  const session = await stage.newSession("two projects");
  await session.ask("look it up");
  const last = stage.model.lastRequest();
  expectUnmixed(last);
  expect(last.toolResult("recall")).not.toContain("lawyer");

  expect(await first.end()).toEqual({ code: 0, err: "strata: stopping …\n" });
  await using _second = await startServe(shop, { key: KEY, port: Number(new URL(first.url).port) });
  stage.model.script(call("shop_recall", { query: "certificate" }, { id: "again" }), say("done"));
  await session.ask("and the certificate?");
  expect(stage.model.lastRequest().toolResult("again")).toContain("ends in May");
  expect(strata(stage.project, "list").stdout).not.toMatch(/shop|8080/);
});

/** `strata serve` as a user starts it: the built command line in a process, on a port of loopback. */

interface ServeProcess extends AsyncDisposable {
  /** For example http://127.0.0.1:40123. */
  url: string;
  /** Presses Ctrl-C; resolves with the exit code and standard error. */
  end(): Promise<{ code: number | null; err: string }>;
}

interface ServeOptions {
  args?: readonly string[];
  /** Default: any free port. */
  port?: number;
  /** Value of STRATA_API_KEY. */
  key: string;
}

async function startServe(
  project: Project,
  { args = [], key, port = 0 }: ServeOptions,
): Promise<ServeProcess> {
  const command = [join(repository, "dist/strata.js"), "serve", "--port", String(port), "--json", ...args];
  const child = spawn(process.execPath, command, {
    cwd: project.path,
    env: { ...envOf(project), STRATA_API_KEY: key },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (more: string) => {
    err += more;
  });
  const closed = once(child, "close").then(([code]) => ({ code: code as number | null, err }));
  const started = once(createInterface({ input: child.stdout }), "line");
  const line = await Promise.race([started, closed]);
  if (!Array.isArray(line)) throw new Error(`strata serve ended with ${line.code}: ${line.err}`);
  const end = (): ReturnType<ServeProcess["end"]> => {
    child.kill("SIGINT");
    return closed;
  };
  return {
    url: (JSON.parse(String(line[0])) as { url: string }).url,
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}
