/** One session: its context, what each layer did and why, its largest items and its notes. */
import { formatCount, formatPercent, formatTokens } from "../../base/format.js";
import { formatCache, formatContext, formatWorth } from "../../status/format-figures.js";
import type { SessionPage } from "../answers.js";
import { ContextChart } from "./charts.js";
import { ContextMeter } from "./context-meter.js";
import { formatRoute, go, useAnswer, useKeys } from "./hooks.js";
import { Age, Card, Chip, Counts, Empty, Figure, Heading, Loaded, Prose, Table } from "./parts.js";
import { addressOf } from "./server.js";

type LayerAction = SessionPage["layerActions"][number];

export function SessionView({ id }: { id: string }) {
  const answer = useAnswer<SessionPage>(addressOf("session", { id }));
  useKeys({ Escape: () => go("sessions") });
  const title = answer.value?.title ?? id;
  return (
    <>
      <p class="back">
        <a href={formatRoute("sessions")}>‹ Sessions</a>
      </p>
      <Heading more={answer.value?.lastActive !== undefined && <Age at={answer.value.lastActive} />}>
        {title}
      </Heading>
      <Loaded answer={answer}>{(page) => <Page page={page} />}</Loaded>
    </>
  );
}

function Page({ page }: { page: SessionPage }) {
  const { items, notes, requests, saved, screen, totals } = page;
  const cache = totals.sent > 0 ? formatPercent(totals.cached / totals.sent) : "–";
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
        <Figure label="From the cache" value={cache} more={`of ${formatTokens(totals.sent)} tokens`} />
        <Figure
          label="Removed from context"
          value={formatTokens(totals.tokensFreed)}
          more={`at the cost of ${formatTokens(totals.cacheLost)} cached tokens`}
        />
      </dl>
      {requests.length > 0 && (
        <Card title="With and without Strata">
          <ContextChart page={page} />
        </Card>
      )}
      <LayerActions page={page} />
      {items && items.shown.length > 0 && <Items items={items} />}
      {notes !== undefined && (
        <Card title="Session notes">
          <Prose text={notes} />
        </Card>
      )}
    </>
  );
}

function LayerActions({ page: { layerActions, freed, moreLayerActions } }: { page: SessionPage }) {
  return (
    <Card title="What the layers did, and why">
      {layerActions.length === 0 && (
        <Empty>Nothing yet: the context is small, so nothing had to be removed.</Empty>
      )}
      <Counts
        rows={freed.map(({ layer, tokens }) => ({ name: layer, number: tokens, text: formatTokens(tokens) }))}
      />
      <ol class="layer-actions">
        {layerActions.map((action, at) => (
          <li key={`${action.time} ${at}`}>
            <span class="layer-action-head">
              <Chip tone="layer">{action.layer}</Chip>
              <b>{nameAction(action)}</b>
              <Age at={action.time} />
            </span>
            {action.reason !== undefined && <span class="about">{action.reason}</span>}
            <span class="fine">{formatEffect(action)}</span>
          </li>
        ))}
      </ol>
      {moreLayerActions > 0 && <p class="fine">{formatCount(moreLayerActions)} earlier entries not shown</p>}
    </Card>
  );
}

function nameAction({ event, inputs, results, tool }: LayerAction): string {
  const batch = [
    ...(results ? [`${formatCount(results)} ${results === 1 ? "result" : "results"}`] : []),
    ...(inputs ? [`${formatCount(inputs)} ${inputs === 1 ? "input" : "inputs"}`] : []),
  ].join(" and ");
  if (event === "spilled") return `moved ${tool === undefined ? "a result" : `a ${tool} result`} to a file`;
  if (event === "cleared") return `cleared ${batch === "" ? "old results" : batch}`;
  if (event === "cut") return "replaced history with notes";
  if (event === "compacted") return "OpenCode summarized history";
  if (event === "summary") return "OpenCode wrote a summary";
  if (event === "break") return "the cached prefix broke";
  if (event === "extended") return "added a note after the newest message";
  if (event === "background") return "called a model in the background";
  return event;
}

function formatEffect({ backgroundTokens, bytes, cacheLost, tokensFreed }: LayerAction): string {
  return [
    ...(tokensFreed ? [`${formatTokens(tokensFreed)} tokens freed`] : []),
    ...(bytes ? [`${formatCount(bytes)} bytes`] : []),
    ...(cacheLost ? [`${formatTokens(cacheLost)} cached tokens written again`] : []),
    ...(backgroundTokens ? [`${formatTokens(backgroundTokens)} tokens used`] : []),
  ].join(" · ");
}

function Items({ items: { more, shown } }: { items: NonNullable<SessionPage["items"]> }) {
  return (
    <Card title="Largest items in the context">
      <Table head={["Item", "Tokens", "Turn", "State"]} label="Largest items in the context, as a table">
        {shown.map(({ id, isPinned, kind, name, state, superseded, tokens, tool, turn }) => (
          <tr key={id}>
            <td class="what">
              <code>{id}</code>{" "}
              {kind === "result" || kind === "input" ? `${tool ?? kind} ${name}` : `${kind} ${name}`}
            </td>
            <td>{formatCount(tokens)}</td>
            <td>{turn}</td>
            <td>
              {[state, ...(isPinned ? ["pinned"] : []), ...(superseded ? [superseded] : [])].join(", ")}
            </td>
          </tr>
        ))}
      </Table>
      {more > 0 && <p class="fine">{formatCount(more)} smaller items not shown</p>}
    </Card>
  );
}
