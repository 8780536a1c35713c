/** The real OpenCode as an MCP client of `strata serve`, with the entry that docs/serve.md names. */
import { expect, test } from "vitest";
import { createNextProject } from "../stage/project.js";
import { startServe } from "../stage/serve-process.js";
import { createShop, expectUnmixed, namesOf, ownCalls, shopCalls } from "../stage/shop-story.js";
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

test("OpenCode without the right key keeps working, without the server's tools", async () => {
  await using stage = await openStage({ env: { STRATA_API_KEY: "another key" } });
  const shop = await createNextProject(stage.project, { "README.md": "shop\n" }, 2);
  await using server = await startServe(shop, { key: KEY });
  await stage.restart({ config: { mcp: { shop: remote(server.url) } } });
  stage.model.script(say("hello"));
  await (await stage.newSession("no key")).ask("hello");
  expect(namesOf(stage.model.lastRequest()).filter((name) => name.startsWith("shop_"))).toEqual([]);
});
