/**
 * What was stored before secrets were taken out of facts, without them. Ids are made of texts, so they change with
 * these, and what a person took out stays out under the new one. Pure.
 */
import { redactLines, redactSecrets } from "../memory/secrets.js";
import type { Fact, Ledger } from "./ledger.js";
import type { Written } from "./merge.js";
import type { Sections } from "./sections.js";
import type { Stored } from "./stored.js";

/** The same object where that has been done. The machine's lines stay as they stand in the notes; see `redactWritten`. */
export function redactStored(stored: Stored): Stored {
  if (stored.hasNoSecrets) return stored;
  const { before, sections, written } = stored;
  const ids = new Map(
    stored.ledger.rules.map(({ key, kind, text }) => [
      `${kind}:${key}`,
      `${kind}:${safe(text).toLowerCase()}`,
    ]),
  );
  const toID = (id: string): string => ids.get(id) ?? redactID(id);
  const withIDs = (lines: Written): Written =>
    mapValues(lines, (list) => list.map(({ id, text }) => ({ id: toID(id), text })));
  return {
    ...stored,
    hasNoSecrets: true,
    isLoose: true,
    ledger: redactLedger(stored.ledger),
    ...(sections && { sections: redactSections(sections) }),
    ...(written && { written: withIDs(written) }),
    ...(before && {
      before: { ...before, isLoose: true, ...(before.written && { written: withIDs(before.written) }) },
    }),
    removed: [...new Set(stored.removed.map(toID))],
  };
}

/** Fit to be stored; the lines as they stand in the notes may differ from these by what was taken out. */
export function redactWritten(written: Written): Written {
  return mapValues(written, (list) => {
    const texts = redactLines(list.map(({ text }) => text));
    return list.map(({ id }, n) => ({ id, text: texts[n] ?? "" }));
  });
}

export function redactSections(sections: Sections): Sections {
  return mapValues(sections, safe) as Sections;
}

function redactLedger(ledger: Ledger): Ledger {
  return {
    ...ledger,
    requests: ledger.requests.map((request) => ({
      ...request,
      text: safe(request.text),
      files: request.files.map(safe),
    })),
    rules: unique(ledger.rules, (rule) => {
      const text = safe(rule.text);
      return { ...rule, text, key: text.toLowerCase() };
    }),
    reasons: ledger.reasons.map((reason) => ({ ...reason, text: safe(reason.text) })),
    answers: ledger.answers.map((answer) => ({
      ...answer,
      text: safe(answer.text),
      ...(answer.next !== undefined && { next: safe(answer.next) }),
    })),
    todos: ledger.todos && {
      ...ledger.todos,
      items: ledger.todos.items.map((todo) => ({ ...todo, content: safe(todo.content) })),
    },
    files: unique(ledger.files, (file) => ({ ...file, key: safe(file.key) })),
    commands: unique(ledger.commands, (command) => ({
      ...command,
      key: safe(command.key),
      description: safe(command.description),
    })),
    failures: ledger.failures.map((failure) => ({
      ...failure,
      input: safe(failure.input),
      error: safe(failure.error),
    })),
    skills: unique(ledger.skills, (skill) => ({ ...skill, key: safe(skill.key) })),
    subagents: ledger.subagents.map((run) => ({
      ...run,
      description: safe(run.description),
      result: safe(run.result),
    })),
    leases: unique(ledger.leases, (item) => ({ ...item, key: safe(item.key) })),
    plan: ledger.plan && { ...ledger.plan, path: safe(ledger.plan.path) },
  };
}

const safe = (text: string): string => redactSecrets(text).text;

/** Of facts that have the same key now, the newest. */
function unique<F extends Fact>(facts: readonly F[], change: (fact: F) => F): F[] {
  return [...new Map(facts.map(change).map((fact) => [fact.key, fact])).values()];
}

/** Behind the kind, and the heading where there is one: what an id is made of. */
function redactID(id: string): string {
  const kind = /^(?:model:[^:]*|[^:]*):/.exec(id)?.[0] ?? "";
  return kind + safe(id.slice(kind.length));
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
