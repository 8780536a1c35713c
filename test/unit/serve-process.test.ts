/** `strata serve` as a process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { patiently } from "../support/patience.js";
import { removeFolder } from "../support/remove-folder.js";

let home: string;
const running: ChildProcess[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "strata-serve-"));
  mkdirSync(join(home, "project", ".git"), { recursive: true });
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  removeFolder(home);
});

function start(port: string) {
  const child = spawn(process.execPath, [resolve("dist/strata.js"), "serve", "--port", port, "--json"], {
    cwd: join(home, "project"),
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (data) => {
    err += data;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, err }));
  const line = once(createInterface({ input: child.stdout }), "line").then(
    ([text]) => JSON.parse(String(text)) as { url: string; key: string },
  );
  return { child, ended, line };
}

it.each(["SIGTERM", "SIGINT"] as const)(
  "a server ends with 0 at %s, although a client keeps its connection, and its port is free again",
  async (signal) => {
    const { child, ended, line } = start("0");
    const { key, url } = await line;
    const agent = new Agent({ keepAlive: true });
    const asked = get(`${url}/stats`, { agent, headers: { "x-api-key": key } });
    const [answer] = await once(asked, "response");
    answer.resume();
    await once(answer, "end");
    expect(answer.statusCode).toBe(200);
    const { port } = new URL(url);
    const second = start(port);
    expect(await second.ended).toEqual({
      code: 3,
      err: `strata: cannot listen on 127.0.0.1, port ${port}: another program uses it; choose another port with --port\n`,
    });
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, err: "strata: stopping …\n" });
    agent.destroy();
    const third = start(port);
    expect((await third.line).url).toBe(url);
  },
  patiently(60_000),
);
