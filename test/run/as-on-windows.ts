import type { Plugin } from "vite";

/**
 * Loads our sources as on Windows: with `path.win32`, but for the file that reaches the real disk; there the system is
 * called Windows, and opens links.
 */
export function asOnWindows(): Plugin {
  return {
    name: "as-on-windows",
    enforce: "pre",
    transform(code, id) {
      if (!/\/(src|layers)\/.*\.tsx?$/.test(id)) return undefined;
      if (!id.endsWith("/src/io/node-files.ts"))
        return code.replace('from "node:path"', 'from "node:path/win32"');
      return code.replace("process.platform", '"win32"').replace("constants.O_NOFOLLOW", "undefined");
    },
  };
}
