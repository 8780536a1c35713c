/**
 * Removes secrets from notes stored by versions that did not do so. IDs are made from texts and change with them; lines
 * that a person removed stay out under their new IDs. Pure.
 */
import { redactSecrets, removeFromLines, removeSecrets } from "../secrets/secrets.js";
import type { Sliced } from "../slices.js";
import type { Fact, Ledger } from "./ledger.js";
import type { Written, WrittenLine } from "./merge.js";
import type { Sections } from "./sections.js";
import type { Stored } from "./stored.js";

/** Returns the same object if there is nothing to do. Leaves the machine's lines as in the notes; see `redactWritten`. */
export function* redactStored(stored: Stored): Sliced<Stored> {
  if (stored.hasNoSecrets) return stored;
  const { before, sections, written } = stored;
  const ids = new Map(
    yield* changeEach(stored.ledger.rules, ({ key, kind, text }): [string, string] => [
      `${kind}:${key}`,
      `${kind}:${safe(text).toLowerCase()}`,
    ]),
  );
  const toID = (id: string): string => ids.get(id) ?? redactID(id);
  const withID = ({ id, text }: WrittenLine): WrittenLine => ({ id: toID(id), text });
  const ledger = yield* redactLedger(stored.ledger);
  const lines = written && (yield* changeLines(written, withID));
  const linesBefore = before?.written && (yield* changeLines(before.written, withID));
  return {
    ...stored,
    hasNoSecrets: true,
    isLoose: true,
    ledger,
    ...(sections && { sections: yield* redactSections(sections) }),
    ...(lines && { written: lines }),
    ...(before && { before: { ...before, isLoose: true, ...(linesBefore && { written: linesBefore }) } }),
    removed: [...new Set(yield* changeEach(stored.removed, toID))],
  };
}

/** Lines that may be stored. Those in the notes may still contain the secrets removed here. */
export function* redactWritten(written: Written): Sliced<Written> {
  const redacted: Record<string, WrittenLine[]> = {};
  for (const [heading, list] of Object.entries(written)) {
    const texts = yield* removeFromLines(list.map(({ text }) => text));
    redacted[heading] = list.map(({ id }, n) => ({ id, text: texts[n] ?? "" }));
  }
  return redacted;
}

export function* redactSections(sections: Sections): Sliced<Sections> {
  const redacted: Record<string, string> = {};
  for (const [name, text] of Object.entries(sections)) redacted[name] = (yield* removeSecrets(text)).text;
  return redacted as Sections;
}

function* redactLedger(ledger: Ledger): Sliced<Ledger> {
  const { plan, todos } = ledger;
  return {
    ...ledger,
    requests: yield* changeEach(ledger.requests, (request) => ({
      ...request,
      text: safe(request.text),
      files: request.files.map(safe),
    })),
    rules: yield* changeFacts(ledger.rules, (rule) => {
      const text = safe(rule.text);
      return { ...rule, text, key: text.toLowerCase() };
    }),
    reasons: yield* changeEach(ledger.reasons, (reason) => ({ ...reason, text: safe(reason.text) })),
    answers: yield* changeEach(ledger.answers, (answer) => ({
      ...answer,
      text: safe(answer.text),
      ...(answer.whole !== undefined && { whole: safe(answer.whole) }),
      ...(answer.next !== undefined && { next: safe(answer.next) }),
    })),
    findings: yield* changeEach(ledger.findings, (finding) => ({ ...finding, text: safe(finding.text) })),
    todos: todos && {
      ...todos,
      items: yield* changeEach(todos.items, (todo) => ({ ...todo, content: safe(todo.content) })),
    },
    files: yield* changeFacts(ledger.files, (file) => ({
      ...file,
      key: safe(file.key),
      ...(file.touched && { touched: file.touched.filter((name) => safe(name) === name) }),
    })),
    changes: yield* changeFacts(ledger.changes, (change) => ({
      ...change,
      key: safe(change.key),
      path: safe(change.path),
      what: safe(change.what),
    })),
    looked: yield* changeFacts(ledger.looked, (file) => ({ ...file, key: safe(file.key) })),
    sought: yield* changeFacts(ledger.sought, (one) => ({ ...one, key: safe(one.key) })),
    commands: yield* changeFacts(ledger.commands, (command) => ({
      ...command,
      key: safe(command.key),
      description: safe(command.description),
    })),
    failures: yield* changeEach(ledger.failures, (failure) => ({
      ...failure,
      input: safe(failure.input),
      error: safe(failure.error),
    })),
    skills: yield* changeFacts(ledger.skills, (skill) => ({ ...skill, key: safe(skill.key) })),
    subagents: yield* changeEach(ledger.subagents, (run) => ({
      ...run,
      description: safe(run.description),
      result: safe(run.result),
    })),
    leases: yield* changeFacts(ledger.leases, (item) => ({ ...item, key: safe(item.key) })),
    plan: plan && { ...plan, path: safe(plan.path) },
  };
}

function* changeEach<One, Other>(list: readonly One[], change: (one: One) => Other): Sliced<Other[]> {
  const changed: Other[] = [];
  for (const one of list) {
    yield;
    changed.push(change(one));
  }
  return changed;
}

/** Of facts with the same new key, keeps the newest. */
function* changeFacts<F extends Fact>(facts: readonly F[], change: (fact: F) => F): Sliced<F[]> {
  const changed = yield* changeEach(facts, change);
  return [...new Map(changed.map((fact) => [fact.key, fact])).values()];
}

function* changeLines(written: Written, change: (line: WrittenLine) => WrittenLine): Sliced<Written> {
  const changed: Record<string, WrittenLine[]> = {};
  for (const [heading, list] of Object.entries(written)) changed[heading] = yield* changeEach(list, change);
  return changed;
}

const safe = (text: string): string => redactSecrets(text).text;

/** Redacts the part of an ID after its kind and, if any, its heading. */
function redactID(id: string): string {
  const kind = /^(?:model:[^:]*|[^:]*):/.exec(id)?.[0] ?? "";
  return kind + safe(id.slice(kind.length));
}
