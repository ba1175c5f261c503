import type { FindingCode } from '../finding.ts';
import type { RecordObservation } from '../observation.ts';
import { type Failure, isOwnLimit } from '../reading.ts';
import type { FindingDraft } from './finding-draft.ts';
import { isDelegatedToTarget } from './misplaced-findings.ts';
import { chainOf, editRecord, listServers, parentOf, type RecordView, shown } from './record-view.ts';
import { elsewhere } from './routing-findings.ts';
import type { Rule, Subject } from './subject.ts';

type NameserverCode = Extract<FindingCode, `nameserver_${string}`>;

interface Trouble {
  /** What the nameservers do, one and several. */
  does: [one: string, several: string];
  fix: (zone: string, servers: string) => string;
}

const AT_PROVIDER = (zone: string, servers: string) =>
  `Ask the DNS provider of ${zone} why, or remove ${servers} from its nameservers, ${parentOf(zone).where}.`;

const CREATE_ZONE = (zone: string) =>
  `Create the zone ${zone} at that DNS provider, or set the nameservers of the provider that has it, ${parentOf(zone).where}.`;

const TROUBLES: Record<NameserverCode, Trouble> = {
  nameserver_timeout: {
    does: ['does not answer in time', 'do not answer in time'],
    fix: AT_PROVIDER,
  },
  nameserver_servfail: {
    does: ['answers with a failure (SERVFAIL)', 'answer with a failure (SERVFAIL)'],
    fix: (zone) =>
      `Check the zone ${zone} at its DNS provider, or ask the provider: the zone may have an error, or not be loaded.`,
  },
  nameserver_refused: {
    does: ['refuses to answer (REFUSED)', 'refuse to answer (REFUSED)'],
    fix: CREATE_ZONE,
  },
  nameserver_lame: {
    does: ['does not serve the zone (lame delegation)', 'do not serve the zone (lame delegation)'],
    fix: CREATE_ZONE,
  },
  nameserver_malformed: {
    does: ['sends responses that are not valid DNS', 'send responses that are not valid DNS'],
    fix: AT_PROVIDER,
  },
  nameserver_not_found: {
    does: ['has no IP address', 'have no IP address'],
    fix: (zone, servers) => `Correct the names of the nameservers (${servers}), ${parentOf(zone).where}.`,
  },
  nameserver_unreachable: {
    does: ['cannot be reached', 'cannot be reached'],
    fix: AT_PROVIDER,
  },
  nameserver_private: {
    does: [
      'has a private or special IP address, which is never asked',
      'have private or special IP addresses, which are never asked',
    ],
    fix: (zone) => `Give the nameservers of ${zone} public IP addresses, or use others.`,
  },
  nameserver_tcp: {
    does: ['does not answer over TCP', 'do not answer over TCP'],
    fix: (_zone, servers) => `Open TCP port 53 at ${servers}: answers that are too large for UDP are read over TCP.`,
  },
};

/** Reasons that no code of their own names. */
const OTHERS: Partial<Record<Failure, Trouble>> = {
  inconsistent: {
    does: ['names other nameservers than another one', 'name other nameservers than another one'],
    fix: () => 'Nothing has to be changed: a change of nameservers takes some minutes to reach all of the registry.',
  },
};

/** The finding for each reason. Loops and chains are no fault of a nameserver, and neither are our own limits. */
const CODES: Partial<Record<Failure, NameserverCode>> = {
  timeout: 'nameserver_timeout',
  servfail: 'nameserver_servfail',
  refused: 'nameserver_refused',
  lame: 'nameserver_lame',
  malformed: 'nameserver_malformed',
  inconsistent: 'nameserver_timeout',
  no_nameserver: 'nameserver_not_found',
  forbidden_address: 'nameserver_private',
  unreachable: 'nameserver_unreachable',
  tcp_failed: 'nameserver_tcp',
};

interface Failed {
  code: NameserverCode;
  trouble: Trouble;
  /** The zone of the nameservers that failed. */
  zone: string;
  server: string;
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
  if (failure?.kind === 'unreadable')
    return isOwnLimit(failure.reason) ? [] : [unreadDelegation(routing, failure.reason, failure.server)];
  const failed = [subject.observation.ownership, subject.observation.routing].flatMap(failuresOf);
  const byCode = Map.groupBy(failed, ({ zone, trouble }) => `${trouble.does[0]} ${zone}`);
  // One nameserver that answers alone was read; it is not enough yet.
  const isRead = [ownership, routing].every(({ reading }) => reading.kind !== 'unreadable');
  const isBlocking = isBlocked && !subject.isProven;
  return [...byCode.values()].flatMap((group) => failing(group, isBlocking, isRead));
};

function isUnresolved(reading: RecordView['reading']): boolean {
  return reading.kind === 'unreadable' && reading.reason === 'no_resolver';
}

function resolversFailed({ name }: RecordView): FindingDraft {
  return {
    code: 'resolvers_unreachable',
    severity: 'warning',
    name,
    retryable: true,
    message: () => [`The DNS resolvers of this service give no usable answer, so ${name} could not be read.`],
    fix: 'There is nothing for you to do: this service looks again by itself.',
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
  if (zone.failure?.kind === 'no_nameserver' || zone.failure?.kind === 'forbidden_address') {
    const code = CODES[zone.failure.kind] ?? 'nameserver_not_found';
    const names = zone.nameservers.length === 0 ? ['its nameservers'] : zone.nameservers.map(({ name }) => name);
    return names.map((server) => ({ code, trouble: TROUBLES[code], zone: zone.apex, server }));
  }
  const silent = nameservers.flatMap(({ server, answers: [first] }): Failed[] => {
    if (first.kind !== 'unreadable' || first.chain.length > 0) return [];
    const code = CODES[first.reason];
    if (code === undefined) return [];
    const trouble = OTHERS[first.reason] ?? TROUBLES[code];
    return [{ code, trouble, zone: zone.apex, server: first.server ?? server }];
  });
  const unaddressed = zone.nameservers.flatMap(({ name, problem }): Failed[] => {
    if (problem === undefined) return [];
    const code = problem === 'no_address' ? 'nameserver_not_found' : 'nameserver_private';
    return [{ code, trouble: TROUBLES[code], zone: zone.apex, server: name }];
  });
  return [...silent.filter(({ server }) => !unaddressed.some((one) => one.server === server)), ...unaddressed];
}

function failing(group: Failed[], isBlocking: boolean, isRead: boolean): FindingDraft[] {
  const [first] = group;
  if (first === undefined) return [];
  const { code, zone, trouble } = first;
  const nameservers = [...new Set(group.map(({ server }) => server))].sort();
  const [one, several] = trouble.does;
  const servers = listServers(nameservers);
  return [
    {
      code,
      severity: isBlocking ? 'blocking' : 'info',
      name: zone,
      nameservers,
      retryable: true,
      message: () => [
        `${isBlocking && !isRead ? `The zone ${zone} could not be read` : `Not every nameserver of ${zone} could be read`}: ${servers} ${nameservers.length > 1 ? several : one}.`,
      ],
      fix: trouble.fix(zone, servers),
    },
  ];
}

/** The nameservers of the zone above did not say where the zone is. */
function unreadDelegation({ zone }: RecordView, reason: Failure, server: string | undefined): FindingDraft {
  const code = CODES[reason] ?? 'nameserver_timeout';
  return {
    code,
    severity: 'blocking',
    name: zone.apex,
    ...(server !== undefined && { nameservers: [server] }),
    retryable: true,
    message: () => [
      `The nameservers of ${zone.apex} could not be found: ${server === undefined ? 'a nameserver of the zone above' : shown(server)} ${(OTHERS[reason] ?? TROUBLES[code]).does[0]}.`,
    ],
    fix: 'Nothing has to be changed in the records. If it lasts, ask the registrar of the domain.',
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

function misshapen(subject: Subject, view: RecordView, chain: string[]): FindingDraft | null {
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
): FindingDraft | null {
  const common = {
    severity: 'blocking',
    record: view.role,
    name: view.name,
    seen: chain,
    expected: view.expected,
    fix: editRecord(view),
  } as const;
  if (reason === 'loop') {
    return {
      ...common,
      code: 'cname_loop',
      retryable: false,
      message: (quote) => [
        `The CNAME records of ${view.name} lead in a circle.`,
        ...(chain.length === 0 ? [] : [`Each leads to the next: ${[view.name, ...chain.map(quote)].join(' → ')}.`]),
      ],
    };
  }
  if (reason === 'chain_too_long') {
    return {
      ...common,
      code: 'cname_chain_too_long',
      retryable: false,
      message: (quote) => [
        `${view.name} leads over more than 8 CNAME records${chain.length === 0 ? '' : `: ${chainOf(chain, quote)}`}.`,
      ],
    };
  }
  if (chain.length === 0 || isUnresolved(view.reading) || isOwnLimit(reason)) return null;
  const code = CODES[reason] ?? 'nameserver_timeout';
  return {
    ...common,
    code: 'cname_to_broken_zone',
    retryable: true,
    message: (quote) => [
      `${view.name} is a CNAME to ${chainOf(chain, quote)}, which could not be read: ${server === undefined ? 'a nameserver of its zone' : shown(server)} ${(OTHERS[reason] ?? TROUBLES[code]).does[0]}.`,
    ],
  };
}
