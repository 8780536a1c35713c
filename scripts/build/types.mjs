/**
 * Writes declarations for the importable entries and nothing else. The settings' type is generated from
 * `config.schema.json`, which is equivalent to the zod schema, so that users do not need zod.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";

const ENTRIES = ["src/plugin.d.ts", "src/tui.d.ts", "src/recall/recall.d.ts"];
const SETTINGS = "src/config/schema.d.ts";

export function writeTypes(root, folder) {
  const emitted = mkdtempSync(join(tmpdir(), "strata-types-"));
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = ["-p", join(root, "tsconfig.build.json"), "--outDir", emitted];
    execFileSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
    for (const path of listNeeded(emitted)) {
      const to = join(folder, "types", path);
      mkdirSync(dirname(to), { recursive: true });
      if (path === SETTINGS) writeFileSync(to, formatSettings(root));
      else copyFileSync(join(emitted, path), to);
    }
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

function listNeeded(emitted) {
  const needed = [...ENTRIES];
  for (const path of needed) {
    if (path === SETTINGS) continue;
    for (const [, name] of readFileSync(join(emitted, path), "utf8").matchAll(/from "(\.[^"]+)\.js"/g)) {
      const imported = `${normalize(join(dirname(path), name))}.d.ts`;
      if (!needed.includes(imported)) needed.push(imported);
    }
  }
  return needed;
}

function formatSettings(root) {
  const schema = JSON.parse(readFileSync(join(root, "config.schema.json"), "utf8"));
  return `/** The settings, as in docs/settings.md. */\nexport interface StrataOptions ${toType(schema)}\n`;
}

function toType(schema, indent = "") {
  const {
    additionalProperties: each,
    anyOf,
    const: only,
    enum: some,
    items,
    properties,
    readOnly,
    required = [],
    type,
  } = schema;
  if (anyOf) return anyOf.map((one) => toType(one, indent)).join(" | ");
  if (only !== undefined) return JSON.stringify(only);
  if (some) return some.map((one) => JSON.stringify(one)).join(" | ");
  if (items) return `${readOnly ? "readonly " : ""}(${toType(items, indent)})[]`;
  if (properties) return toFields(properties, required, indent);
  if (typeof each === "object") return `Record<string, ${toType(each, indent)}>`;
  return type === "integer" ? "number" : type;
}

function toFields(properties, required, indent) {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const comment = field.description ? `${inner}/** ${field.description.replaceAll("*/", "*\\/")} */\n` : "";
    const isNeeded = required.includes(name);
    return `${comment}${inner}${name}${isNeeded ? "" : "?"}: ${toType(field, inner)}${isNeeded ? "" : " | undefined"};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}
