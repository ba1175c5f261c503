import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../access/access.ts';
import { changesOf } from '../../access/authenticate.ts';
import { type Permission, permits } from '../../access/permissions.ts';
import type { Principal } from '../../access/root-key-cache.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Domain } from '../../domain/domain.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import type {
  CertificateStore,
  CheckStore,
  DashboardSession,
  DashboardStore,
  DomainStore,
  StoredCheck,
} from '../../store/store.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import { type ErrorNaming, Problem, presentProblem } from '../errors.ts';
import { findDomain } from '../find.ts';
import { findingForCustomer, forCustomer } from '../setup/session-scope.ts';
import { acceptsEvents, eventStream, formatEvent, formatRetry, type StreamTimes } from './event-stream.ts';
import { type WatchLimits, watchLimit } from './watch-limit.ts';

/** The open streams of one thread: of `domains.watchDomain`, and of the dashboard's sessions. */
export interface Watchers {
  /** Responds with the events of a domain. Rejects with a `Problem` where that cannot begin. */
  open(request: FastifyRequest, reply: FastifyReply, watch: WatchRequest): Promise<void>;
  /** Responds with a stream that ends with a session of the dashboard. Throws a `Problem` where that cannot begin. */
  openForSession(request: FastifyRequest, reply: FastifyReply, session: DashboardSession): void;
  /** Ends all streams, also those that are still to begin: clients connect again, elsewhere. */
  stop(): void;
}

interface WatchRequest {
  principal: Principal;
  permission: Permission;
  /** Name or id. */
  domain: string;
}

interface WatchersDeps extends Pick<Access, 'standingOf'> {
  /** The store itself: a cache may be behind what a client has been told elsewhere. */
  store: Pick<DomainStore, 'findDomainByName' | 'findDomainById'> &
    Pick<CheckStore, 'findCheckResult'> &
    Pick<CertificateStore, 'findCertificate'> &
    Pick<DashboardStore, 'findDashboardSession'>;
  changes: ChangeFeed | undefined;
  clock: Clock;
  log: Log;
  metrics: ApiMetrics;
  settings: ErrorNaming;
  apexNote: string;
  limits: WatchLimits & StreamTimes;
}

/** A domain, and its last diagnosis that was told. */
interface WatchedState {
  domain: Domain;
  diagnosis: StoredCheck['result'];
  /** Since when it has a certificate in use, although it is not verified, Unix ms; null: it does not. */
  readySince: number | null;
}

/** One open stream. */
interface Stream {
  /** When its credential expires, Unix ms; null: never. */
  expiresAt: number | null;
  isEnded(): boolean;
  /** Authenticates again, and sends the state unless the client has it. Rejects with `StoreUnavailable`. */
  refresh(read: ReadState): Promise<void>;
  send(text: string): void;
  end(reason: EndReason, about?: object, retryMs?: number): void;
  tick(): void;
}

/** Streams that are refreshed together share a read of a domain. */
type ReadState = (workspaceId: string, domainId: string) => Promise<WatchedState | null>;

/**
 * Why the server ends a stream. `domain_gone`: deleted, or no longer visible to this key; they are not told apart.
 * `access_ended`: the key or its workspace no longer works. `stalled`: the client does not read, and so gets no event
 * about it.
 */
type EndReason = 'domain_gone' | 'access_ended' | 'server_stopping' | 'stalled';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx and other proxies would otherwise collect events before they pass them on.
  'X-Accel-Buffering': 'no',
};

/** Interval of heartbeats, and of the checks for stalled clients, expired credentials and failed reads. */
const TICK_MS = 250;
/** A client connects again after this time. */
const RETRY_MS = 1000;
/** The clients of a process that stops connect again within this time, not all at once. */
const RETRY_SPREAD_MS = 2000;
/** Streams that are refreshed at once; those of one domain share a read. */
const AT_ONCE = 32;

/**
 * Must be created after `createAccess`: a change then reaches the caches first, so that the streams read fresh values.
 */
export function createWatchers(deps: WatchersDeps): Watchers {
  const { store, standingOf, clock, metrics, settings, apexNote, limits } = deps;
  const acquire = watchLimit(limits);
  const { streams, add } = refreshedStreams(deps);
  let isStopping = false;

  /** `release`: called at the end. `concerning`: the changes after which to refresh the stream. */
  function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    release: () => void,
    concerning: string[],
    refresh: (stream: Stream, read: ReadState) => Promise<void>,
  ): void {
    reply.hijack();
    const response = reply.raw;
    if (request.raw.socket.destroyed) {
      release();
      return;
    }
    // `close` reports a lost connection too.
    response.on('error', () => {});
    const headers: Record<string, string | number | string[] | undefined> = reply.getHeaders();
    response.writeHead(200, { ...headers, ...HEADERS });
    const events = eventStream(response, limits);
    events.send(formatRetry(RETRY_MS));
    let ended: EndReason | null = null;

    const stream: Stream = {
      expiresAt: null,
      isEnded: () => ended !== null,
      refresh: (read) => refresh(stream, read),
      send: events.send,
      end(reason, about = {}, retryMs = RETRY_MS) {
        if (ended !== null) return;
        ended = reason;
        events.end(formatRetry(retryMs) + formatEvent('end', { reason, ...about }));
      },
      tick() {
        if (events.tick()) ended ??= 'stalled';
      },
    };
    const remove = add(stream, concerning);
    response.once('close', () => {
      release();
      remove();
      metrics.watchersEnded.inc({ reason: ended ?? 'client' });
    });
    if (isStopping) stream.end('server_stopping');
  }

  return {
    async open(request, reply, { principal, permission, domain: identifier }) {
      if (!acceptsEvents(request.headers.accept)) throw new Problem('request/not_acceptable');
      const { authorization = '', 'last-event-id': known } = request.headers;
      const { workspaceId, session } = principal;
      const release = acquire(principal);
      let watched: Domain;
      try {
        watched = visible(principal, permission, await findDomain(store, workspaceId, identifier));
      } catch (error) {
        release();
        throw error;
      }
      const { id: domainId, name } = watched;
      request.domainId = domainId;
      let sent = known?.toString();
      const concerning = [
        `domain ${domainId}`,
        // It may be ready now.
        `certificate ${name}`,
        ...changesOf(authorization, principal),
      ];
      begin(request, reply, release, concerning, async (stream, read) => {
        const state = await read(workspaceId, domainId);
        try {
          // First, since the session of a set-up link ends with its domain.
          if (state === null) throw new Problem('data/domain_not_found');
          const standing = await standingOf(authorization);
          if (!standing.ok) throw new Problem(standing.code);
          stream.expiresAt = standing.expiresAt;
          const seen = visible(standing.principal, permission, state.domain);
          if (stream.isEnded()) return;
          const id = idOfState(state);
          if (id === sent) return;
          sent = id;
          // In one text: a slow client misses whole states, never a part of one. The last event has the id.
          stream.send(
            formatReady(state) +
              formatDiagnosis(state, session !== undefined) +
              formatEvent('domain', presentDomain(session ? forCustomer(seen) : seen, apexNote), id),
          );
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          const about = presentProblem(error, request.id, settings);
          stream.end(error.code === 'data/domain_not_found' ? 'domain_gone' : 'access_ended', {
            error: about.error,
            code: error.code,
          });
        }
      });
    },
    openForSession(request, reply, { id, workspaceId, subject, expiresAt }) {
      if (!acceptsEvents(request.headers.accept)) throw new Problem('request/not_acceptable');
      const release = acquire({ workspaceId, actor: subject });
      begin(request, reply, release, [`dashboard_session ${id}`], async (stream) => {
        stream.expiresAt = expiresAt;
        const isOver = (await store.findDashboardSession(id)) === null || expiresAt <= clock.now();
        if (isOver) stream.end('access_ended');
      });
    },
    stop() {
      isStopping = true;
      for (const [index, stream] of [...streams].entries())
        stream.end('server_stopping', {}, RETRY_MS + Math.round((RETRY_SPREAD_MS * index) / streams.size));
    },
  };
}

/** Open streams, refreshed after each change that concerns them, and when their credential expires. */
function refreshedStreams({ store, changes, clock, log, metrics }: WatchersDeps) {
  const streams = new Set<Stream>();
  /** Open streams by the changes that concern them. */
  const concerned = new Map<string, Set<Stream>>();
  const due = new Set<Stream>();
  const failed = new Set<Stream>();
  let isRefreshing = false;
  let timer: NodeJS.Timeout | undefined;

  changes?.subscribe((change) => {
    const names = change === null ? [] : [`${change.kind} ${change.key}`, change.kind];
    const named = names.flatMap((name) => [...(concerned.get(name) ?? [])]);
    for (const stream of change === null ? streams : named) due.add(stream);
    void refreshDue();
  });

  /** Never rejects. Refreshes of one stream follow each other, so that none gets an older state after a newer one. */
  async function refreshDue(): Promise<void> {
    if (isRefreshing) return;
    isRefreshing = true;
    while (due.size > 0) {
      const batch = [...due].slice(0, AT_ONCE);
      for (const stream of batch) due.delete(stream);
      await refresh(batch);
      // Lets other work of this thread run between reads of SQLite, which block it.
      await setImmediate();
    }
    isRefreshing = false;
  }

  async function refresh(batch: Stream[]): Promise<void> {
    const reads = new Map<string, Promise<WatchedState | null>>();
    const read: ReadState = (workspaceId, domainId) => {
      const known = reads.get(domainId) ?? readState(workspaceId, domainId);
      reads.set(domainId, known);
      return known;
    };
    const results = await Promise.allSettled(batch.map((stream) => stream.refresh(read)));
    for (const [index, stream] of batch.entries()) {
      const result = results[index];
      if (result?.status !== 'rejected') continue;
      if (failed.size === 0)
        log.warn({ err: result.reason }, 'what a stream watches cannot be read; it will be tried again');
      failed.add(stream);
    }
  }

  async function readState(workspaceId: string, domainId: string): Promise<WatchedState | null> {
    const domain = await store.findDomainById(workspaceId, domainId);
    if (domain === null) return null;
    const check = await store.findCheckResult(workspaceId, domainId);
    const isTold = check?.result?.toldAt != null;
    // No other domain that waits may have a certificate.
    const mayBeReady = domain.status === 'verifying' && domain.ownershipVerifiedAt !== null;
    const certificate = mayBeReady ? await store.findCertificate(domain.name) : null;
    const readySince = certificate?.domainId === domainId ? (certificate.issued?.issuedAt ?? null) : null;
    return { domain, diagnosis: isTold ? check.result : null, readySince };
  }

  function tick(): void {
    for (const stream of failed) due.add(stream);
    failed.clear();
    for (const stream of streams) {
      stream.tick();
      if (stream.expiresAt !== null && stream.expiresAt <= clock.now()) due.add(stream);
    }
    void refreshDue();
  }

  /** `concerning`: the changes after which to refresh it. Returns what removes it. */
  function add(stream: Stream, concerning: string[]): () => void {
    streams.add(stream);
    metrics.watchers.set(streams.size);
    for (const change of concerning) concerned.set(change, (concerned.get(change) ?? new Set()).add(stream));
    timer ??= setInterval(tick, TICK_MS).unref();
    due.add(stream);
    void refreshDue();
    return () => {
      for (const each of [streams, due, failed]) each.delete(stream);
      metrics.watchers.set(streams.size);
      for (const change of concerning) {
        concerned.get(change)?.delete(stream);
        if (concerned.get(change)?.size === 0) concerned.delete(change);
      }
      if (streams.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }

  return { streams, add };
}

/** Throws the `Problem` with which a request for the domain is refused. */
function visible({ grants }: Principal, permission: Permission, domain: Domain | null): Domain {
  if (domain !== null && permits(grants, permission, domain.environmentId)) return domain;
  throw new Problem('data/domain_not_found');
}

/** The time of the change belongs to it: after a backup was restored, a revision may come again. */
function idOfState({ domain: { id, revision, updatedAt, createdAt }, diagnosis, readySince }: WatchedState): string {
  const ready = readySince === null ? [] : [`ready${readySince}`];
  return [id, revision, updatedAt ?? createdAt, ...(diagnosis ? [diagnosis.toldAt] : []), ...ready].join('.');
}

function formatReady({ readySince }: WatchedState): string {
  return readySince === null ? '' : formatEvent('ready_to_switch', { since: readySince });
}

function formatDiagnosis({ diagnosis }: WatchedState, isForCustomer: boolean): string {
  if (diagnosis === null) return '';
  const { findings, checkedAt } = diagnosis;
  return formatEvent('diagnosis', { checkedAt, findings: isForCustomer ? findings.map(findingForCustomer) : findings });
}
