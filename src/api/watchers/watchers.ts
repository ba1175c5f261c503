import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Standing } from '../../access/authenticate.ts';
import { type Permission, permits } from '../../access/permissions.ts';
import type { Principal } from '../../access/root-key-cache.ts';
import type { Sessions } from '../../access/sessions.ts';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { Domain } from '../../domain/domain.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { DomainStore } from '../../store/contract/store.ts';
import { findDomain } from '../domains/present-domain.ts';
import { type ErrorNaming, Problem, presentProblem } from '../errors.ts';
import { masked } from '../masking.ts';
import { forCustomer } from '../setup/session-scope.ts';
import { acceptsEvents } from './accepts-events.ts';
import { formatEvent, type StreamTimes } from './event-stream.ts';
import { type WatchLimits, watchLimit } from './watch-limit.ts';
import { watchDomains } from './watched-domains.ts';
import { RETRY_MS, type StateEvent, startWatcher, type Watcher } from './watcher.ts';

/** The open streams of `domains.watchDomain` in one thread. */
export interface Watchers {
  /** Responds with the events of a domain. Rejects with a `Problem` where that cannot begin. */
  open(request: FastifyRequest, reply: FastifyReply, watch: WatchRequest): Promise<void>;
  /** Ends all streams, also those that are still to begin: clients connect again, elsewhere. */
  stop(): void;
}

interface WatchRequest {
  principal: Principal;
  permission: Permission;
  /** Name or id. */
  domain: string;
}

interface WatchersDeps {
  /** The store itself: a cache may be behind what a client has been told elsewhere. */
  store: Pick<DomainStore, 'findDomainByName' | 'findDomainById'>;
  changes: ChangeFeed | undefined;
  sessions: Sessions;
  log: Log;
  metrics: Metrics;
  settings: ErrorNaming;
  apexNote: string;
  limits: WatchLimits & StreamTimes;
}

/** How often heartbeats and clients that do not read are looked for. */
const TICK_MS = 500;
/** The clients of a process that stops connect again within this time, not all at once. */
const RETRY_SPREAD_MS = 2000;

export function createWatchers(deps: WatchersDeps): Watchers {
  const { store, changes, sessions, log, metrics, settings, apexNote, limits } = deps;
  const watchers = new Set<Watcher>();
  const acquire = watchLimit(limits);
  const watched = watchDomains({ store, changes, log });
  const stateOf = stateEvents(apexNote);
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;

  function tick(): void {
    watched.retry();
    for (const watcher of watchers) watcher.tick();
  }

  function add(watcher: Watcher): void {
    watchers.add(watcher);
    metrics.watchers.set(watchers.size);
    timer ??= setInterval(tick, TICK_MS).unref();
  }

  function remove(watcher: Watcher): void {
    watchers.delete(watcher);
    metrics.watchers.set(watchers.size);
    metrics.watchersEnded.inc({ reason: watcher.reason() ?? 'client' });
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async open(request, reply, { principal, permission, domain: identifier }) {
      if (!acceptsEvents(request.headers.accept)) throw new Problem('request/not_acceptable');
      const { authorization = '', 'last-event-id': known } = request.headers;
      const held = [acquire(principal)];
      const release = () => {
        for (const each of held) each();
      };
      let watcher: Watcher | undefined;

      /** Ends the stream with what a request would be refused with now. */
      function refuse(problem: Problem): void {
        const { error } = presentProblem(problem, request.id, settings);
        watcher?.end(problem.code === 'data/domain_not_found' ? 'domain_gone' : 'access_ended', { error });
      }

      try {
        const session = await sessions.open(authorization, principal, () => {
          if (watcher === undefined) return;
          try {
            visible(session.standing(), permission, domain);
          } catch (error) {
            if (error instanceof Problem) refuse(error);
          }
        });
        held.push(session.close);
        const before = watched.changes();
        const found = await findDomain(store, principal.workspaceId, identifier);
        const domain = visible(session.standing(), permission, found);
        request.domainId = domain.id;
        reply.hijack();
        if (request.raw.socket.destroyed) return release();
        const shown = (newer: Domain) => stateOf(newer, principal.session !== undefined);
        const state = shown(domain);
        const began = startWatcher(reply.raw, reply.getHeaders(), state, known?.toString(), limits);
        watcher = began;
        add(began);
        held.push(
          watched.add(domain, before, (newer) => {
            if (newer === null) refuse(new Problem('data/domain_not_found'));
            else began.send(shown(newer));
          }),
        );
        reply.raw.once('close', () => {
          release();
          remove(began);
        });
        if (isStopping) began.end('server_stopping');
      } catch (error) {
        release();
        throw error;
      }
    },
    stop() {
      isStopping = true;
      let ended = 0;
      for (const watcher of watchers) {
        watcher.end('server_stopping', {}, RETRY_MS + Math.round((RETRY_SPREAD_MS * ended) / watchers.size));
        ended += 1;
      }
    },
  };
}

/** Throws the `Problem` with which a request for the domain is refused. */
function visible(standing: Standing, permission: Permission, domain: Domain | null): Domain {
  if (!standing.ok) throw new Problem(standing.code);
  const { grants } = standing.principal;
  return masked(domain, ({ environmentId }) => permits(grants, permission, environmentId), 'data/domain_not_found');
}

/**
 * Writes the event of a state once, however many watch it. Its id is that of the domain, its revision, and the time of the change: after a backup was restored, a
 * revision may come again.
 */
function stateEvents(apexNote: string): (domain: Domain, isForCustomer: boolean) => StateEvent {
  const events = new WeakMap<Domain, StateEvent>();
  return (full, isForCustomer) => {
    const domain = isForCustomer ? forCustomer(full) : full;
    const kept = events.get(domain);
    if (kept !== undefined) return kept;
    const id = `${domain.id}.${domain.revision}.${domain.updatedAt ?? domain.createdAt}`;
    const event = { id, text: formatEvent('domain', presentDomain(domain, apexNote), id) };
    events.set(domain, event);
    return event;
  };
}
