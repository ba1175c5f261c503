import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { NameplateClient, Site } from '../../client/client.ts';
import { pause } from '../../client/retry.ts';
import { Name } from '../inline.tsx';
import { Problem } from './action-button.tsx';
import { Button } from './button.tsx';
import { Command } from './command.tsx';
import { useDashboard } from './context.ts';
import { Dialog } from './dialog.tsx';
import { environmentOptions, useChoices } from './environments.ts';
import { SelectField, TextArea, TextField } from './fields.tsx';
import { LoadState } from './load-failed.tsx';
import { Badge, Table, WordBadge } from './parts.tsx';
import { BATCH, MOST_NAMES, type PastedName, pastedNames, type Result, resultOf } from './pasted-names.ts';
import { hrefOf, Link } from './route.tsx';
import { siteState } from './site-state.ts';
import { TEXT } from './text.ts';

/** Keeps the typed text until it was added. */
const DRAFT = 'nameplate.names';
/** Names beyond the rate limit are sent again after this time. */
const LATER_MS = 5_000;
const LATER: Result = { kind: 'later' };
/** Names that are looked at in one round, and the pause after it. */
const WATCHED_AT_ONCE = 20;
const WATCH_MS = 5_000;

interface Row extends PastedName {
  result?: Result;
}

interface AddDomainsProps {
  environment: string | undefined;
  onClose(): void;
  onAdded(): void;
}

/** Adds the names of a pasted list, says what became of each, and follows those that were added. */
export function AddDomains({ environment, onClose, onAdded }: AddDomainsProps) {
  const tree = useChoices();
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT) ?? '');
  const [chosen, setChosen] = useState(environment ?? '');
  const sending = useSending(onAdded);
  const { rows, isSending, send } = sending;
  const environments = environmentOptions(tree.data, chosen);
  const place = chosen || environments[0]?.[0] || '';
  const pasted = useMemo(() => pastedNames(text), [text]);
  const isTooMany = pasted.length > MOST_NAMES;
  const isReady = pasted.length > 0 && !isTooMany && place !== '';
  const type = (typed: string) => {
    setText(typed);
    sessionStorage.setItem(DRAFT, typed);
  };
  const isOver = rows.length > 0 && !isSending;
  useEffect(() => {
    const isLeft = ({ result }: Row) => result === undefined || result.kind === 'refused';
    if (isOver) type(rows.filter(isLeft).map(lineOf).join('\n'));
  }, [isOver, rows]);

  return (
    <Dialog title={TEXT.domains.adding.title} onClose={onClose} isWide>
      <LoadState {...tree} />
      {rows.length === 0 ? (
        <form
          class="adding"
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) send(place, pasted);
          }}
        >
          {tree.data && environments.length === 0 ? (
            <p>
              {TEXT.domains.adding.noEnvironment} <Link href={hrefOf(['environments'])}>{TEXT.pages.environments}</Link>
            </p>
          ) : (
            <SelectField
              label={TEXT.domains.adding.environment}
              options={environments}
              value={place}
              onChange={setChosen}
            />
          )}
          <TextArea
            label={TEXT.domains.adding.names}
            hint={TEXT.domains.adding.hint}
            error={isTooMany ? TEXT.domains.adding.tooMany(pasted.length) : undefined}
            rows={12}
            value={text}
            onChange={type}
          />
          <button type="submit" class="button" aria-disabled={isReady ? undefined : 'true'}>
            {TEXT.domains.adding.add(pasted.length)}
          </button>
        </form>
      ) : (
        <Outcomes {...sending} onRetry={(changed) => send(place, changed)} />
      )}
      <Command
        operation="domains.createDomains"
        input={{ environment: place, domains: pasted.slice(0, BATCH).map(inputOf) }}
        command={['domains', 'import', 'names.csv', '--environment', place]}
      />
    </Dialog>
  );
}

const lineOf = ({ domain, externalId }: PastedName) => (externalId === undefined ? domain : `${domain},${externalId}`);
const inputOf = ({ domain, externalId }: PastedName) => (externalId === undefined ? domain : { domain, externalId });

/** The names that were sent, each with what became of it. */
function useSending(onAdded: () => void) {
  const { client } = useDashboard();
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [phase, setPhase] = useState<'idle' | 'sending' | 'waiting'>('idle');
  const [error, setError] = useState<unknown>();
  const stopped = useRef(new AbortController());
  useEffect(() => () => stopped.current.abort(), []);
  const show = (changed: readonly Row[]) =>
    setRows((before) => [...new Map([...before, ...changed].map((row) => [row.line, row])).values()]);

  async function send(environment: string, names: readonly Row[]): Promise<void> {
    stopped.current = new AbortController();
    const { signal } = stopped.current;
    show(names);
    setError(undefined);
    setPhase('sending');
    try {
      await sendNames(client, environment, names, signal, (sent, isLimited) => {
        show(sent);
        setPhase(isLimited ? 'waiting' : 'sending');
      });
    } catch (problem) {
      if (!signal.aborted) setError(problem);
    }
    setPhase('idle');
    onAdded();
  }

  return {
    ...{ rows, error, send },
    isSending: phase !== 'idle',
    isWaiting: phase === 'waiting',
    stop: () => stopped.current.abort(),
    forget: () => setRows([]),
  };
}

/** Sends names in requests of 100, one after the other, and those beyond the rate limit again. */
async function sendNames(
  { domains }: NameplateClient,
  environment: string,
  names: readonly Row[],
  signal: AbortSignal,
  onSent: (sent: readonly Row[], isLimited: boolean) => void,
): Promise<void> {
  for (let left = names; left.length > 0; ) {
    const batch = left.slice(0, BATCH);
    const outcomes = await domains.createDomains({ environment, domains: batch.map(inputOf) }, { signal });
    const results = outcomes.map(resultOf);
    const later = batch.filter((_, at) => (results[at] ?? LATER).kind === 'later');
    left = [...left.slice(BATCH), ...later];
    const sent = batch.map((row, at): Row => ({ ...row, result: results[at] ?? LATER }));
    onSent(
      sent.filter(({ result }) => result?.kind !== 'later'),
      later.length > 0,
    );
    if (later.length > 0) await pause(LATER_MS, signal);
  }
}

function summaryOf(rows: readonly Row[]): string[] {
  const countOf = (kind: Result['kind']) => rows.filter(({ result }) => result?.kind === kind).length;
  const [added, there, refused] = (['added', 'there', 'refused'] as const).map(countOf);
  return [
    added ? TEXT.domains.adding.added(added) : '',
    there ? TEXT.domains.adding.there(there) : '',
    refused ? TEXT.domains.adding.mistakes(refused) : '',
  ].filter(Boolean);
}

type OutcomesProps = Omit<ReturnType<typeof useSending>, 'send'> & { onRetry(rows: readonly Row[]): void };

function Outcomes({ rows, isSending, isWaiting, error, onRetry, stop, forget }: OutcomesProps) {
  const done = rows.filter(({ result }) => result !== undefined).length;
  const summary = useRef<HTMLParagraphElement>(null);
  // The button that was pressed is gone.
  useEffect(() => summary.current?.focus(), []);
  const refused = rows.filter(({ result }) => result?.kind === 'refused');
  const unsent = rows.filter(({ result }) => result === undefined);
  return (
    <>
      {isSending && (
        <div class="actions">
          <progress max={rows.length} value={done} aria-label={TEXT.domains.adding.title} />
          <span class="note">{TEXT.domains.adding.progress(done, rows.length)}</span>
          <Button isSmall onClick={stop}>
            {TEXT.domains.adding.stop}
          </Button>
        </div>
      )}
      {isWaiting && <p class="note">{TEXT.domains.adding.waiting}</p>}
      <Problem error={error} />
      <div class="bar">
        <p class="summary" role="status" ref={summary} tabIndex={-1}>
          {summaryOf(rows).join(' · ')}
        </p>
        {!isSending && (
          <div class="actions">
            {unsent.length > 0 && (
              <Button kind="main" onClick={() => onRetry(unsent)}>
                {TEXT.domains.adding.again(unsent.length)}
              </Button>
            )}
            <Button onClick={forget}>{TEXT.domains.adding.more}</Button>
          </div>
        )}
      </div>
      {refused.length > 0 && <Mistakes key={isSending} rows={refused} isSending={isSending} onRetry={onRetry} />}
      <Added rows={rows} isWatching={!isSending} />
    </>
  );
}

/** The names with a mistake, each beside its line, to be corrected and sent again. */
function Mistakes({ rows, isSending, onRetry }: Pick<OutcomesProps, 'rows' | 'isSending' | 'onRetry'>) {
  const [typed, setTyped] = useState<ReadonlyMap<number, string>>(new Map());
  const changed = rows
    .filter(({ line, domain }) => typed.has(line) && typed.get(line) !== domain)
    .map(({ result, ...row }) => ({ ...row, domain: typed.get(row.line)?.trim() ?? row.domain }))
    .filter(({ domain }) => domain !== '');
  return (
    <form
      class="mistakes"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSending && changed.length > 0) onRetry(changed);
      }}
    >
      <ol>
        {rows.map(({ line, domain, result }) => (
          <li key={line}>
            <TextField
              label={TEXT.domains.adding.line(line)}
              error={result?.kind === 'refused' ? <span lang="en">{result.message}</span> : undefined}
              value={typed.get(line) ?? domain}
              onChange={(text) => setTyped((before) => new Map(before).set(line, text))}
            />
          </li>
        ))}
      </ol>
      <button type="submit" class="button" aria-disabled={isSending || changed.length === 0 ? 'true' : undefined}>
        {TEXT.domains.adding.again(changed.length)}
      </button>
    </form>
  );
}

/** The names that are there now, with what is known of each. */
function Added({ rows, isWatching }: { rows: readonly Row[]; isWatching: boolean }) {
  const { client } = useDashboard();
  const added = rows.flatMap(({ result, ...row }) =>
    result?.kind === 'added' || result?.kind === 'there' ? [{ ...row, id: result.domainId, kind: result.kind }] : [],
  );
  const [sites, setSites] = useState<ReadonlyMap<string, Site>>(new Map());
  const ids = added.map(({ id }) => id).join();
  useEffect(() => {
    if (!isWatching || ids === '') return;
    const aborted = new AbortController();
    watch(client, ids.split(','), aborted.signal, (site) =>
      setSites((before) => new Map(before).set(site.domain.id, site)),
    ).catch(() => {});
    return () => aborted.abort();
  }, [client, ids, isWatching]);
  if (added.length === 0) return null;
  return (
    <Table label={TEXT.domains.adding.outcomes} columns={TEXT.domains.adding.outcomeColumns}>
      {added.map(({ line, domain, id, kind }) => {
        const site = sites.get(id);
        return (
          <tr key={line}>
            <td>{line}</td>
            <th scope="row">
              <Link href={hrefOf(['domains', id])}>
                <Name name={site?.domain.domain ?? domain} />
              </Link>
            </th>
            <td>
              {site !== undefined && <WordBadge word={siteState(site).word} />}
              {site === undefined && kind === 'there' && <Badge tone="quiet">{TEXT.domains.adding.isThere}</Badge>}
              {site === undefined && kind === 'added' && <WordBadge word="waiting_for_records" />}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

/** Looks at the names that are not live yet, some at a time, until all are. */
async function watch(
  client: NameplateClient,
  ids: string[],
  signal: AbortSignal,
  onSite: (site: Site) => void,
): Promise<void> {
  for (let left = ids; left.length > 0; ) {
    const [now, later] = [left.slice(0, WATCHED_AT_ONCE), left.slice(WATCHED_AT_ONCE)];
    const unfinished: string[] = [];
    for (const id of now) {
      const site = await client.domains.getSite({ domain: id }, { signal }).catch(() => null);
      signal.throwIfAborted();
      if (site !== null) onSite(site);
      if (site?.live?.state !== 'live') unfinished.push(id);
    }
    left = [...later, ...unfinished];
    await pause(WATCH_MS, signal);
  }
}
