/** The sessions, and one of them: its context, what each layer did and why, its largest items and its notes. */
import { formatCount, formatCounted, formatPercent, formatTokens } from "../../base/format.js";
import { formatCache, formatContext, formatWorth, KIND_NAMES } from "../../status/format-figures.js";
import type { ContextFigures, Kind } from "../../status/session-screen.js";
import type { SessionPage, SessionRow } from "../answers.js";
import { SizesChart } from "./charts.js";
import { findFocusedRow, formatRoute, go, useAnswer, useKeys, useShared } from "./hooks.js";
import { Age, Button, Card, Chip, Counts, Figure, List, Prose, Table, View } from "./parts.js";

const TONES: Readonly<Record<NonNullable<SessionRow["phase"]>, string>> = {
  working: "busy",
  unanswered: "warn",
  asking: "warn",
  open: "plain",
  done: "good",
};

export function SessionsView() {
  const answer = useAnswer<readonly SessionRow[]>("sessions");
  return (
    <View title="Sessions" answer={answer}>
      {(rows) => (
        <Card>
          <List rows={rows} keyOf={({ id }) => id} empty="No sessions yet.">
            {(row) => <SessionLink row={row} facts={listFacts(row)} />}
          </List>
        </Card>
      )}
    </View>
  );
}

/** A link to a session, with its context as a bar. `facts`: what else its last line says. */
export function SessionLink({ facts = [], row }: { facts?: readonly string[]; row: SessionRow }) {
  const { about, context, id, lastActive, phase, title } = row;
  const name = title ?? about ?? id;
  const line = [...(context ? [formatContext(context, " tokens")] : []), ...facts].join(" · ");
  return (
    <a class="row" data-row href={formatRoute("sessions", id)}>
      <span class="row-head">
        <b>{name}</b>
        {phase && <Chip tone={TONES[phase]}>{phase}</Chip>}
        <Age at={lastActive} />
      </span>
      {about !== undefined && about !== name && <span class="about">{about}</span>}
      {context && <ContextMeter context={context} />}
      {line !== "" && <span class="fine">{line}</span>}
    </a>
  );
}

const listFacts = ({ openTodos, requests, saved }: SessionRow): string[] => [
  ...(requests > 0 ? [formatCounted(requests, "request")] : []),
  ...(saved?.share === undefined ? [] : [`${formatPercent(saved.share)} saved`]),
  ...(openTodos > 0 ? [formatCounted(openTodos, "open todo")] : []),
];

/** Rows of a long list before the others are asked for. */
const FIRST = 8;
const ORDER: readonly Kind[] = ["system", "memory", "notes", "words", "answers", "calls", "results"];

/** A session's context as a bar: its parts, and its length without Strata. */
function ContextMeter({ context, isLarge = false }: { context: ContextFigures; isLarge?: boolean }) {
  const { kinds, now, threshold, without } = context;
  const whole = Math.max(now, without, 1);
  const percent = (tokens: number): string => `${Math.min(100, (tokens / whole) * 100)}%`;
  const parts = [
    ...ORDER.map((kind) => ({ kind: kind as string, name: KIND_NAMES[kind], tokens: kinds[kind] })),
    { kind: "without", name: "kept out", tokens: without - now },
  ].filter(({ tokens }) => tokens > 0);
  return (
    <div class={isLarge ? "meter large" : "meter"}>
      <div class="bar" role="img" aria-label={`Context ${formatContext(context, " tokens")}`}>
        {parts.map(({ kind, tokens }) => (
          <span key={kind} class={`part ${kind}`} style={{ width: percent(tokens) }} />
        ))}
        {threshold > 0 && threshold < whole && <span class="mark" style={{ left: percent(threshold) }} />}
      </div>
      {isLarge && (
        <List rows={parts} class="legend" keyOf={({ kind }) => kind}>
          {({ kind, name, tokens }) => (
            <>
              <span class={`dot ${kind}`} />
              {name} <b>{formatTokens(tokens)}</b>
            </>
          )}
        </List>
      )}
    </div>
  );
}

/* One session. */

type LayerAction = SessionPage["layerActions"][number];

export function SessionView({ id }: { id: string }) {
  const answer = useAnswer<SessionPage>(`session?${new URLSearchParams({ id })}`);
  useKeys({ Escape: () => go("sessions") });
  const { lastActive, title = id } = answer.value ?? {};
  return (
    <>
      <p class="back">
        <a href={formatRoute("sessions")}>‹ Sessions</a>
      </p>
      <View title={title} more={lastActive !== undefined && <Age at={lastActive} />} answer={answer}>
        {(page) => <Page page={page} />}
      </View>
    </>
  );
}

function Page({ page }: { page: SessionPage }) {
  const { items, notes, replacements, requests, saved, screen, tools, totals } = page;
  return (
    <>
      {screen && (
        <Card title={`Context: ${formatContext(screen.context, " tokens")}`}>
          <ContextMeter context={screen.context} isLarge />
          <p class="fine">
            {[
              formatCache(screen.cache),
              screen.context.threshold > 0 &&
                `notes replace history above ${formatTokens(screen.context.threshold)} tokens`,
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
          {[...screen.warnings, ...(screen.breaker === undefined ? [] : [screen.breaker])].map((warning) => (
            <p class="fine" key={warning}>
              <Chip tone="warn">note</Chip> {warning}
            </p>
          ))}
        </Card>
      )}
      <dl class="figures framed">
        <Figure
          label="Saved"
          value={saved.share === undefined ? "–" : formatPercent(saved.share)}
          more={formatWorth(saved)}
        />
        <Removed totals={totals} />
      </dl>
      {requests.length > 0 && (
        <Card title="With and without Strata">
          <SizesChart
            {...{ replacements, withoutName: "without (estimate)", sent: requests.map(({ sent }) => sent) }}
            without={requests.map(({ keptOut, sent }) => sent + keptOut)}
          />
        </Card>
      )}
      <div class="columns">
        {items && items.shown.length > 0 && <Items items={items} session={page.id} />}
        <LayerActions page={page} />
      </div>
      {tools && <Tools tools={tools} />}
      {notes !== undefined && (
        <Card title="Session notes">
          <Prose text={notes} />
        </Card>
      )}
    </>
  );
}

/** What came from the cache, and what left the context. */
export function Removed({ totals }: { totals: SessionPage["totals"] }) {
  const { cached, cacheLost, sent, tokensFreed } = totals;
  return (
    <>
      <Figure
        label="From the cache"
        value={sent > 0 ? formatPercent(cached / sent) : "–"}
        more={`of ${formatTokens(sent)} tokens sent`}
      />
      <Figure
        label="Removed from context"
        value={formatTokens(tokensFreed)}
        more={`at the cost of ${formatTokens(cacheLost)} cached tokens`}
      />
    </>
  );
}

function LayerActions({ page: { layerActions, freed, moreLayerActions } }: { page: SessionPage }) {
  return (
    <Card title="What the layers did, and why">
      <Counts rows={freed.map(({ layer, tokens }) => [layer, tokens])} format={formatTokens} />
      <List
        rows={layerActions}
        first={FIRST}
        class="layer-actions"
        empty="Nothing yet: the context is small, so nothing had to be removed."
        more={moreLayerActions}
        left="earlier entries not shown"
      >
        {(action) => (
          <>
            <span class="layer-action-head">
              <Chip tone="layer">{action.layer}</Chip>
              <b>{nameAction(action)}</b>
              <Age at={action.time} />
            </span>
            {action.reason !== undefined && <span class="about">{action.reason}</span>}
            <span class="fine">{formatEffect(action)}</span>
          </>
        )}
      </List>
    </Card>
  );
}

const ACTIONS: Readonly<Record<string, string>> = {
  cut: "replaced history with notes",
  compacted: "OpenCode summarized history",
  summary: "OpenCode wrote a summary",
  break: "the cached prefix broke",
  extended: "added a note after the newest message",
  background: "called a model in the background",
};

function nameAction({ event, inputs, results, tool }: LayerAction): string {
  const batch = [
    ...(results ? [formatCounted(results, "result")] : []),
    ...(inputs ? [formatCounted(inputs, "input")] : []),
  ].join(" and ");
  if (event === "spilled") return `moved ${tool === undefined ? "a result" : `a ${tool} result`} to a file`;
  if (event === "shrunk") return `shrunk ${tool === undefined ? "a result" : `a ${tool} result`}`;
  if (event === "cleared") return `cleared ${batch === "" ? "old results" : batch}`;
  return ACTIONS[event] ?? event;
}

function formatEffect({ backgroundTokens, bytes, cacheLost, tokensFreed }: LayerAction): string {
  return [
    ...(tokensFreed ? [`${formatTokens(tokensFreed)} tokens freed`] : []),
    ...(bytes ? [`${formatCount(bytes)} bytes`] : []),
    ...(cacheLost ? [`${formatTokens(cacheLost)} cached tokens written again`] : []),
    ...(backgroundTokens ? [`${formatTokens(backgroundTokens)} tokens used`] : []),
  ].join(" · ");
}

type Items = NonNullable<SessionPage["items"]>;
type Item = Items["shown"][number];
const ITEM_KEYS: Readonly<Record<string, string>> = { drop: "d", pin: "p", unpin: "p", expand: "e" };

/** A key presses the button of the row that has the focus. */
function Items({ items: { more, shown }, session }: { items: Items; session: string }) {
  const { apply } = useShared();
  const press = (key: string) => (): unknown =>
    findFocusedRow()?.querySelector<HTMLElement>(`[aria-keyshortcuts=${key}]`)?.click();
  useKeys({ d: press("d"), p: press("p"), e: press("e") });
  const steer = ({ asked, id }: Item, action: string) =>
    asked ? apply("undo", { run: asked.id }) : apply(`context ${action}`, { ids: [id], session });
  return (
    <Card
      title="Largest items in the context"
      more={<span class="fine">Changes take effect with your next message</span>}
    >
      <List rows={shown} first={FIRST} keyOf={({ id }) => id} more={more} left="smaller items not shown">
        {(item) => <ItemRow item={item} onSteer={steer} />}
      </List>
    </Card>
  );
}

function ItemRow({ item, onSteer }: { item: Item; onSteer(item: Item, action: string): void }) {
  const { asked, isPinned, not, state, steps, superseded, tokens, turn, what } = item;
  const moves = steps.filter(({ action }) => !action.endsWith("pin"));
  const prices = moves.map(({ name, price }) => `${name}: ${price}`);
  const facts = [`${formatTokens(tokens)} tokens`, `turn ${turn}`, superseded, ...prices, not?.drop];
  return (
    <div class="row entry" data-row tabIndex={-1}>
      <span class="entry-text">
        <span class="row-head">
          <b>{what}</b>
          {isPinned && <Chip>pinned</Chip>}
          {state !== "whole" && <Chip>{state}</Chip>}
          {asked && <Chip tone="busy">{asked.action} asked for</Chip>}
        </span>
        <span class="fine">{facts.filter(Boolean).join(" · ")}</span>
      </span>
      <span class="steps">
        {(asked ? [{ action: "undo", name: "Take back" }] : steps).map(({ action, name }) => (
          <Button
            key={action}
            hint={ITEM_KEYS[action]}
            name={name}
            of={what}
            onClick={() => onSteer(item, action)}
          />
        ))}
      </span>
    </div>
  );
}

function Tools({ tools: { advice, rows, tokens } }: { tools: NonNullable<SessionPage["tools"]> }) {
  return (
    <Card title={`Tools: ${formatCount(tokens)} tokens of each request`}>
      <Table head={["Tool", "Tokens", "Calls in 30 days"]} label="What the definition of each tool costs">
        {rows.map(({ calls, isLeftOut, name, tokens: own, tools: count }) => (
          <tr key={name}>
            <td class="what">{count === undefined ? name : `${name} (MCP server)`}</td>
            <td>{own === undefined ? "?" : formatCount(own)}</td>
            <td>{isLeftOut ? "left out" : formatCount(calls)}</td>
          </tr>
        ))}
      </Table>
      {advice.map((line) => (
        <p class="fine" key={line}>
          {line}
        </p>
      ))}
    </Card>
  );
}
