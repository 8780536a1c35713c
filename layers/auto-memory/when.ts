import { findEntities } from "../../src/recall/entities.js";

/** A longer piece of code is no command that one would wait for. */
const LONGEST = 60;
const MOST = 8;

/** What a rule waits for: the commands and paths it names, in code or as they stand. Pure. */
export function findWhen(text: string): string[] {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, piece = ""]) => piece.trim());
  const paths = findEntities(text).filter((entity) => !/^[!#&]/.test(entity));
  const found = [...code.filter((piece) => piece.length <= LONGEST && /[a-z]{2}/i.test(piece)), ...paths];
  return [...new Set(found)].slice(0, MOST);
}
