import type { FindingAction, FindingCode, FindingFields } from '../finding.ts';
import { isWithoutServer, type RecordObservation } from '../observation.ts';
import { type Failure, isOwnLimit } from '../reading.ts';
import { isDelegatedToTarget } from './misplaced-findings.ts';
import { type RecordView, recordAction, zoneAction } from './record-view.ts';
import { elsewhere } from './routing-findings.ts';
import { needsOwnership, type Rule, type Subject } from './subject.ts';

type NameserverCode = Extract<FindingCode, `nameserver_${string}`>;

/** The finding for each reason, and what is done about it. Loops, chains and our own limits are no fault of a nameserver. */
const CODES: Partial<Record<Failure, [code: NameserverCode, kind: FindingAction['kind']]>> = {
  timeout: ['nameserver_timeout', 'ask'],
  servfail: ['nameserver_servfail', 'ask'],
  refused: ['nameserver_refused', 'create_zone'],
  lame: ['nameserver_lame', 'create_zone'],
  malformed: ['nameserver_malformed', 'ask'],
  inconsistent: ['nameserver_timeout', 'wait'],
  no_nameserver: ['nameserver_not_found', 'change'],
  forbidden_address: ['nameserver_private', 'change'],
  unreachable: ['nameserver_unreachable', 'ask'],
  tcp_failed: ['nameserver_tcp', 'ask'],
};

const TIMEOUT = ['nameserver_timeout', 'ask'] as const;

interface Failed {
  reason: Failure;
  /** The zone of the nameservers that failed. */
  zone: string;
  /** Null: it has none. */
  server: string | null;
  /** It fails for the name of this record alone: it answers for the other one. */
  view?: RecordView;
}

/** Nameservers that failed. They block only where no other answered. */
export const nameserverFindings: Rule = (subject) => {
  const { ownership, routing, domain } = subject;
  const { failure } = routing.zone;
  const unresolved = [routing, ownership].find(({ reading }) => isUnresolved(reading));
  if (unresolved !== undefined) return subject.isProven ? [] : [resolversFailed(unresolved)];
  if (isDelegatedToTarget(routing)) return [];
  const isBlocked =
    [ownership, ...(domain.kind === 'subdomain' ? [routing] : [])].some(isUnread) && !isReadAlone(subject);
  if (failure !== null && !isWithoutServer(failure.reason))
    return isOwnLimit(failure.reason) ? [] : [unreadDelegation(routing, failure.reason, failure.server)];
  const seen = subject.observation;
  const failed = [
    ...failuresOf(seen.ownership).map((one) => ofName(one, ownership, seen.routing)),
    ...failuresOf(seen.routing).map((one) => ofName(one, routing, seen.ownership)),
  ];
  const byCode = Map.groupBy(failed, ({ zone, reason, view }) => `${reason} ${view?.name ?? zone}`);
  // One nameserver that answers alone was read; it is not enough yet.
  const isRead = [ownership, routing].every(({ reading }) => reading.kind !== 'unreadable');
  const isBlocking = isBlocked && !subject.isProven;
  return [...byCode.values()].flatMap((group) => {
    const [{ view } = {}] = group;
    if (view === undefined) return failing(group, isBlocking, isRead);
    const decides = view.role === 'ownership' || domain.kind === 'subdomain';
    return failing(group, isBlocking && isUnread(view) && decides, isRead).map((found) => ({
      ...found,
      record: view.role,
      name: view.name,
      expected: view.expected,
      action: recordAction('ask', view),
      facts: {
        ...found.facts,
        scope: 'name',
        ...(view.role === 'ownership' && !needsOwnership(subject) && { isOptional: true }),
      },
    }));
  });
};

/** `other`: of the other record. */
function ofName(failed: Failed, view: RecordView, { zone, nameservers }: RecordObservation): Failed {
  const answers = nameservers.flatMap((one) => (one.server === failed.server ? one.answers : []));
  const isAnswering = answers.some(({ kind, chain }) => kind !== 'unreadable' || chain.length > 0);
  return isAnswering && zone.apex === failed.zone ? { ...failed, view } : failed;
}

function isUnresolved(reading: RecordView['reading']): boolean {
  return reading.kind === 'unreadable' && reading.reason === 'no_resolver';
}

function resolversFailed({ name, zone }: RecordView): FindingFields {
  return {
    code: 'resolvers_unreachable',
    severity: 'warning',
    name,
    retryable: true,
    action: { kind: 'wait', at: 'zone', zone: zone.apex },
  };
}

function isUnread({ reading }: RecordView): boolean {
  // A chain that ends in another zone is that one's trouble.
  if (reading.kind === 'unreadable') return reading.chain.length === 0;
  return reading.kind === 'unconfirmed' && reading.reason === 'one_server';
}

/** The records prove the domain although one nameserver alone has answered. */
function isReadAlone({ reading }: Subject): boolean {
  return reading.ownership.kind === 'matched' && reading.routing.kind === 'matched';
}

function failuresOf({ zone, nameservers }: RecordObservation): Failed[] {
  const failed = (reason: Failure, server: string | null): Failed[] =>
    CODES[reason] === undefined ? [] : [{ reason, zone: zone.apex, server }];
  const reason = zone.failure?.reason;
  if (reason === 'no_nameserver' || reason === 'forbidden_address') {
    const names = zone.nameservers.length === 0 ? [null] : zone.nameservers.map(({ name }) => name);
    return names.flatMap((name) => failed(reason, name));
  }
  const silent = nameservers.flatMap(({ server, answers: [first] }) =>
    first.kind !== 'unreadable' || first.chain.length > 0 ? [] : failed(first.reason, first.server ?? server),
  );
  const unaddressed = zone.nameservers.flatMap(({ name, problem }) =>
    problem === undefined ? [] : failed(problem === 'no_address' ? 'no_nameserver' : 'forbidden_address', name),
  );
  return [...silent.filter(({ server }) => !unaddressed.some((one) => one.server === server)), ...unaddressed];
}

function failing(group: Failed[], isBlocking: boolean, isRead: boolean): FindingFields[] {
  const [first] = group;
  if (first === undefined) return [];
  const { reason, zone } = first;
  const [code, kind] = CODES[reason] ?? TIMEOUT;
  return [
    {
      code,
      severity: isBlocking ? 'blocking' : 'info',
      name: zone,
      nameservers: [...new Set(group.flatMap(({ server }) => server ?? []))].sort(),
      action: zoneAction(kind, zone),
      facts: { reason, scope: isBlocking && !isRead ? 'zone' : 'some' },
      retryable: true,
    },
  ];
}

/** The nameservers of the zone above did not say where the zone is. */
function unreadDelegation({ zone }: RecordView, reason: Failure, server: string | undefined): FindingFields {
  const [code] = CODES[reason] ?? TIMEOUT;
  return {
    code,
    severity: 'blocking',
    name: zone.apex,
    ...(server !== undefined && { nameservers: [server] }),
    action: zoneAction('wait', zone.apex),
    facts: { reason, scope: 'delegation' },
    retryable: true,
  };
}

/** A CNAME that leads into a zone that cannot be read, in a circle, or too far. */
export const chainFindings: Rule = (subject) => {
  const { ownership, routing, domain } = subject;
  const views = domain.kind === 'subdomain' ? [routing, ownership] : [ownership];
  return views.flatMap((view) => {
    if (subject.isProven || view.reading.kind !== 'unreadable') return [];
    const { reason, chain, server } = view.reading;
    // A value that is no host, or a target of ours, is wrong wherever it leads.
    return misshapen(subject, view, chain) ?? brokenChain(view, reason, chain, server) ?? [];
  });
};

function misshapen(subject: Subject, view: RecordView, chain: string[]): FindingFields | null {
  if (view.role !== 'routing') return null;
  const common = { severity: 'blocking', record: view.role, name: view.name, expected: view.expected } as const;
  const draft = elsewhere(
    subject,
    view,
    { kind: 'absent', reason: 'nxdomain', chain },
    { ...common, retryable: false },
  );
  return draft.code === 'cname_elsewhere' || draft.code === 'wildcard_answers' ? null : draft;
}

function brokenChain(
  view: RecordView,
  reason: Failure,
  chain: string[],
  server: string | undefined,
): FindingFields | null {
  const common = {
    severity: 'blocking',
    record: view.role,
    name: view.name,
    seen: chain,
    expected: view.expected,
    action: recordAction('change', view),
  } as const;
  if (reason === 'loop') return { ...common, code: 'cname_loop', retryable: false };
  if (reason === 'chain_too_long') return { ...common, code: 'cname_chain_too_long', retryable: false };
  if (chain.length === 0 || isUnresolved(view.reading) || isOwnLimit(reason)) return null;
  return {
    ...common,
    code: 'cname_to_broken_zone',
    ...(server !== undefined && { nameservers: [server] }),
    facts: { reason },
    retryable: true,
  };
}
