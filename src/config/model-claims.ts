/**
 * What the configuration files say about models. The host accepts a model and its provider's address from a project's
 * file as well as from the user's own. Where Strata sends text is for the user alone to decide.
 */
import { isRecord } from "../records.js";
import type { Models } from "../seams/host.js";
import type { ParsedFile } from "./config-files.js";

export interface ModelClaims {
  /** From the user's own files. */
  users: Models;
  /** From all files merged; the host may know better. */
  all: Models;
  /** From files of the project, strongest last. */
  project: readonly Claim[];
}

/** A setting about models in a file of the project. */
export interface Claim {
  /** `model`, `small_model`, `provider.acme`, … as written in the file. */
  key: string;
  file: string;
}

/** Keys by which the host chooses a model, in addition to each provider's. */
const CHOOSING = ["model", "small_model", "enabled_providers", "disabled_providers"];

export const NO_CLAIMS: ModelClaims = { users: {}, all: {}, project: [] };

/** Takes the files weakest first. */
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

/** A chosen model; without one the host chooses among all that it knows. */
export interface Chosen {
  model?: string;
  /** The key that named it, if the value is not the user's own. */
  key?: "model" | "small_model";
}

/** What the project contributed to the choice: the model's name or the provider's address. */
export function findClaimOn({ key, model }: Chosen, { project }: ModelClaims): Claim | undefined {
  if (model === undefined) return project.at(-1);
  const find = (wanted: string | undefined) => project.findLast((claim) => claim.key === wanted);
  return find(key) ?? find(`provider.${model.split("/")[0]}`);
}
