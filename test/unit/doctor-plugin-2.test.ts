import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";

describe("what OpenCode 2 loads without an entry, removes, or passes over without a word", () => {
  const manifest = '{"name": "opencode-strata", "version": "0.1.0", "main": "./dist/plugin.js"}';
  const bin = mkdtempSync(join(tmpdir(), "strata-opencode-"));
  afterAll(() => removeFolder(bin));
  const doctor = async (world: Record<string, string>) => {
    writeFileSync(join(bin, "opencode"), "#!/bin/sh\necho 2.0.15\n", { mode: 0o755 });
    const files = createMemoryFiles({ [join(bin, "opencode")]: "", ...world });
    return (await runStrata(files, "doctor --no-proof", { env: { PATH: bin } })).out;
  };
  const folder = `${PROJECT}/.opencode/plugins/strata`;
  const built = { [`${folder}/package.json`]: manifest, [`${folder}/dist/plugin.js`]: "" };

  it("doctor counts a folder in .opencode/plugins, and says if it has no entry of its own", async () => {
    expect(await doctor(built)).toContain(`${folder} has neither server.js nor index.js`);
    const whole = { ...built, [`${folder}/server.js`]: "" };
    expect(await doctor(whole)).toContain(`opencode-strata is configured once: ${folder}`);
    const twice = { ...whole, [`${PROJECT}/opencode.json`]: '{"plugins": ["opencode-strata"]}' };
    expect(await doctor(twice)).toContain("opencode-strata is loaded 2 times");
  });

  it("doctor names a later entry that removes the plugin, and nothing is wrong with an earlier one", async () => {
    const whole = { ...built, [`${folder}/server.js`]: "" };
    const config = (path: string, ...plugins: string[]) => ({
      [`${PROJECT}/${path}`]: JSON.stringify({ plugins }),
    });
    const removed = [
      { ...whole, ...config("opencode.json", "-opencode-strata") },
      config("opencode.json", "opencode-strata", "-*"),
      {
        ...config("opencode.json", "opencode-strata"),
        ...config(".opencode/opencode.json", "-opencode-strata"),
      },
    ];
    for (const world of removed) {
      const out = await doctor(world);
      expect(out).toMatch(/^problem {2}"-\S+" in \S+ removes opencode-strata, so OpenCode 2 does not load /);
      expect(out).not.toMatch(/configured once|not installed yet/);
    }
    for (const first of ["-opencode-strata", "-opencode-pty"])
      expect(await doctor(config("opencode.json", first, "opencode-strata"))).toContain("configured once");
    expect(await doctor(config("opencode.json", "opencode-strata", "-opencode-pty"))).toContain(
      "configured once",
    );
  });

  it("doctor names a folder of the package that has no entry, such as dist", async () => {
    const world = {
      "/lib/strata/package.json": manifest,
      "/lib/strata/dist/plugin.js": "",
      [`${PROJECT}/opencode.json`]: '{"plugins": [{"package": "/lib/strata/dist"}]}',
    };
    expect(await doctor(world)).toContain(
      '"/lib/strata/dist" in /project/opencode.json has neither server.js',
    );
  });

  it("doctor says that a lone file brings no screen half, and which entry of cli.json shows nothing", async () => {
    const lone = `${PROJECT}/.opencode/plugin/strata.js`;
    const out = await doctor({
      [lone]: 'export { default } from "/lib/opencode-strata/server.js";',
      "/lib/opencode-strata/package.json": manifest,
      "/home/me/.config/opencode/cli.json": '{"plugins": ["/lib/opencode-strata"]}',
    });
    expect(out).toContain(`${lone} is a file, which OpenCode 2 loads without its sidebar`);
    expect(out).toContain('"/lib/opencode-strata" in /home/me/.config/opencode/cli.json has no tui.js');
  });
});
