/**
 * What the configuration files say of models. The host takes a model, and the address of its provider, from a file of
 * the project as readily as from the user's own; what is sent to it because of us is the user's to decide.
 */
import { isRecord } from "../records.js";
import type { Models } from "../seams/host.js";
import type { ParsedFile } from "./config-files.js";

export interface ModelClaims {
  /** What the user's own files have. */
  users: Models;
  /** What all files come to; the host may know better. */
  all: Models;
  /** What files of the project set, the strongest last. */
  project: readonly Claim[];
}

/** Something about models that a file of the project sets. */
export interface Claim {
  /** `model`, `small_model`, `provider.acme`, … as written in the file. */
  key: string;
  file: string;
}

/** Keys by which the host chooses a model, beside each provider's. */
const CHOOSING = ["model", "small_model", "enabled_providers", "disabled_providers"];

export const NO_CLAIMS: ModelClaims = { users: {}, all: {}, project: [] };

/** Takes the files in their order, the weakest first. */
export function findModelClaims(parsed: readonly ParsedFile[]): ModelClaims {
  const project = parsed.filter(({ origin }) => origin === "project");
  return {
    users: readModels(parsed.filter(({ origin }) => origin === "user")),
    all: readModels(parsed),
    project: project.flatMap(({ contents, path: file }) => [
      ...CHOOSING.filter((key) => contents[key] !== undefined).map((key) => ({ key, file })),
      ...Object.keys(isRecord(contents.provider) ? contents.provider : {}).map((id) => ({
        key: `provider.${id}`,
        file,
      })),
    ]),
  };
}

function readModels(parsed: readonly ParsedFile[]): Models {
  const main = findText(parsed, "model");
  const small = findText(parsed, "small_model");
  return { ...(main !== undefined && { main }), ...(small !== undefined && { small }) };
}

function findText(parsed: readonly ParsedFile[], key: string): string | undefined {
  const value = parsed.findLast(({ contents }) => contents[key] !== undefined)?.contents[key];
  return typeof value === "string" ? value : undefined;
}

/** A model that was chosen; without one the host chooses among everything that it knows. */
export interface Chosen {
  model?: string;
  /** The key that named it, if the value is not the user's own. */
  key?: "model" | "small_model";
}

/** What the project contributed to a choice: the model's name, or the provider's address. */
export function findClaimOn({ key, model }: Chosen, { project }: ModelClaims): Claim | undefined {
  if (model === undefined) return project.at(-1);
  const find = (wanted: string | undefined) => project.findLast((claim) => claim.key === wanted);
  return find(key) ?? find(`provider.${model.split("/")[0]}`);
}
