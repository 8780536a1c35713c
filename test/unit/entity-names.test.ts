/** Notations of merge requests, issues and epics, and the forge that each belongs to. */
import { describe, expect, it } from "vitest";
import {
  type Forge,
  formatLocated,
  locateEntity,
  planForges,
  readHome,
} from "../../src/sources/entities/forges.js";
import {
  findEntities,
  findEntityNames,
  formatEntityName,
  mayBeSame,
  parseEntityName,
} from "../../src/text/entities.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";

const names = (text: string): string[] => findEntityNames(text).map(formatEntityName);

describe("the entities of a text", () => {
  it.each([
    ["see !12, #34 and &5", ["!12", "#34", "&5"]],
    ["fixed by acme/shop#34 and Acme/Tools/cli!12", ["acme/shop#34", "acme/tools/cli!12"]],
    ["https://github.com/acme/shop/issues/34#issuecomment-1", ["github.com/acme/shop#34"]],
    ["(https://github.com/acme/shop/pull/34/files)", ["github.com/acme/shop#34"]],
    ["https://gitlab.com/acme/tools/cli/-/merge_requests/12.", ["gitlab.com/acme/tools/cli!12"]],
    ["https://git.acme.com:8443/acme/shop/-/issues/34", ["git.acme.com/acme/shop#34"]],
    ["https://gitlab.com/acme/shop/issues/34 in the old form", ["gitlab.com/acme/shop#34"]],
    ["https://gitlab.com/acme/shop/-/work_items/34", ["gitlab.com/acme/shop#34"]],
    ["https://gitlab.com/groups/acme/tools/-/epics/5", ["gitlab.com/acme/tools&5"]],
    ["https://gitlab.com/groups/acme/-/work_items/5", ["gitlab.com/acme&5"]],
    ["vercel/next.js#7", ["vercel/next.js#7"]],
    ["src/main.ts#12 and docs/a.md#3 are lines", []],
    ["a #hashtag, C#7, x!1, R&2, &#39; and !1234567890", []],
    ["https://example.org/issues and https://example.org/a/b/issues/new", []],
  ])("%s names %j", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("any text is searched without failure, long ones within their first 20,000 characters", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void findEntities(text)));
    expect(names(`${"a/".repeat(15_000)}b#3`)).toEqual([]);
  });

  it("an entity without a project matches one with a project, but never another number or kind", () => {
    const same = (a: string, b: string): boolean => {
      const [one, other] = [parseEntityName(a), parseEntityName(b)];
      return one !== undefined && other !== undefined && mayBeSame(one, other);
    };
    expect(same("#34", "https://github.com/acme/shop/issues/34")).toBe(true);
    expect(same("acme/shop#34", "https://github.com/acme/shop/pull/34")).toBe(true);
    expect(same("other/shop#34", "acme/shop#34")).toBe(false);
    expect(same("shop/x#34", "workshop/x#34")).toBe(false);
    expect(same("!34", "#34")).toBe(false);
    expect(same("#34", "#3")).toBe(false);
  });
});

const forges = planForges([
  { kind: "gitlab", url: "https://acme.com/gitlab/", tokenEnv: "ACME" },
  { kind: "github", url: "https://ghe.acme.com" },
]);
const home = (path: string, host = "gitlab.com") => {
  const forge = forges.find((one) => one.host === host) as Forge;
  return { forge, path };
};
const locate = (text: string, at = home("acme/tools/cli")): string => {
  const name = parseEntityName(text);
  if (!name) return "no entity";
  const located = locateEntity(name, { forges, home: at });
  return typeof located === "string" ? located : formatLocated(located);
};

describe("where an entity is asked for", () => {
  it.each([
    ["#34", "gitlab.com/acme/tools/cli#34"],
    ["!12", "gitlab.com/acme/tools/cli!12"],
    ["&5", "gitlab.com/acme/tools&5"],
    ["acme/shop#34", "gitlab.com/acme/shop#34"],
    ["https://github.com/acme/shop/pull/7", "github.com/acme/shop#7"],
    ["https://acme.com/gitlab/team/shop/-/issues/9", "acme.com/team/shop#9"],
    [
      "https://evil.example/acme/shop/-/issues/9",
      "evil.example is not among the hosts that may be asked; recall.entities.hosts in your own configuration names more",
    ],
    ["https://github.com/acme/shop/-/merge_requests/9", "github.com has no merge requests"],
    ["https://github.com/a/b/c/issues/9", "a/b/c is no project there"],
    ["https://github.com/../user/issues/9", "../user is no project there"],
  ])("%s in a project of gitlab.com is %s", (text, expected) => {
    expect(locate(text)).toBe(expected);
  });

  it("an entity of a project without a known remote has no place to ask", () => {
    const name = parseEntityName("#34");
    expect(name && locateEntity(name, { forges, home: undefined })).toContain("no git remote");
  });

  it.each([
    ["origin", '[remote "origin"]\n\turl = git@github.com:Acme/Shop.git\n', "github.com/acme/shop"],
    [
      "upstream before origin",
      '[remote "origin"]\nurl = https://github.com/me/shop\n[remote "upstream"]\nurl = https://github.com/acme/shop\n',
      "github.com/acme/shop",
    ],
    [
      "the first on a known host",
      '[remote "a"]\nurl = ssh://git@evil.example/x/y\n[remote "b"]\nurl = https://acme.com/gitlab/team/shop.git\n',
      "acme.com/team/shop",
    ],
    [
      "none elsewhere",
      '[remote "origin"]\nurl = https://evil.example/acme/shop\n[core]\nurl = x\n',
      undefined,
    ],
  ])("the project's place on a forge is that of %s", async (_, config, expected) => {
    const files = createMemoryFiles({ "/p/.git/HEAD": "x", "/p/.git/config": config });
    const found = await readHome(files, "/p", forges);
    expect(found && `${found.forge.host}/${found.path}`).toBe(expected);
  });
});
