import type { Command } from 'commander';
import type { Static } from 'typebox';
import type { EventSchema } from '../../api/domains/listEvents.ts';
import { joinQuoted } from '../../domain/text.ts';
import { type ApiOptions, apiCommand, parseLimit } from '../options.ts';
import { dateTime, paint, printable, show, wrap } from '../output/output.ts';
import { connect } from './api-client.ts';

/** An event as the API returns it. */
type ShownEvent = Static<typeof EventSchema>;

const DEFAULT_LIMIT = 50;

export function addEvents(domains: Command): void {
  const summary =
    'Show what happened to a domain, newest last: checks that changed something, who did what, and changes of its certificate.';
  apiCommand(domains, 'events <domain>', summary, ['shop.example.com', 'shop.example.com --limit 500 --json'])
    .option('--limit <n>', `how many of the newest events to show (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (name: string, { limit = DEFAULT_LIMIT, ...options }: ApiOptions & { limit?: number }) => {
      const api = await connect(options);
      const newest = await api.list<ShownEvent>('domains.listEvents', { domain: name }, limit);
      show(options, newest.toReversed(), (events) =>
        events.length === 0 ? 'No events are kept of this domain.' : events.map(describeEvent).join('\n'),
      );
    });
}

const TIME_WIDTH = dateTime(0).length;

/** `2026-11-20 20:14  domain.retried by key_…`, and below it what changed. */
export function describeEvent({ at, type, actor, data }: ShownEvent): string {
  const who = actor === undefined ? '' : ` by ${printable(actor)}`;
  const lines = [`${dateTime(at)}  ${paint('bold', type)}${who}`];
  const details = eventDetails(type, data);
  const indent = TIME_WIDTH + 2;
  if (details !== '') lines.push(' '.repeat(indent) + wrap(printable(details), indent));
  return lines.join('\n');
}

const RECORDS = { routing: 'CNAME (or ALIAS) record', ownership: 'TXT record' } as const;

const REDIRECT_ENDS: Record<string, string> = {
  destination_deleted: ', which was deleted',
  destination_failed: ', which is no longer verified',
  destination_superseded: ', which another workspace has proved to be its own',
};

export type EventDetails = Pick<
  ShownEvent['data'],
  'record' | 'seen' | 'findings' | 'certificate' | 'redirect' | 'move' | 'deletion' | 'suspension' | 'verificationError'
>;

/** Describes the change in a sentence or two; empty where the type of the event says it all. */
export function eventDetails(type: string, data: EventDetails): string {
  const { record, seen, findings = [], certificate, redirect, move, deletion, suspension, verificationError } = data;
  if (record !== undefined) {
    if (type === 'record.seen') return `The ${RECORDS[record]} was found with the right value.`;
    if (seen === undefined) return `The ${RECORDS[record]} is gone.`;
    const found = seen.length === 0 ? 'nothing was found' : `${joinQuoted(seen, 4)} was found instead`;
    return `The ${RECORDS[record]} is gone: ${found}.`;
  }
  if (type === 'diagnosis.changed') {
    const mistakes = findings.filter(({ severity }) => severity === 'blocking');
    if (mistakes.length === 0) return 'Nothing in its DNS has to be corrected.';
    return mistakes
      .flatMap(({ message, fix }) => [message, fix])
      .filter((text) => text !== '')
      .join(' ');
  }
  if (certificate !== undefined) {
    const until = certificate.notAfter === undefined ? '' : `Valid until ${dateTime(certificate.notAfter)}.`;
    return certificate.message ?? until;
  }
  if (redirect !== undefined) {
    const { to, status, reason } = redirect;
    if (type === 'redirect.set') return `It redirects to ${to} (${status}).`;
    return `It no longer redirects to ${to}${REDIRECT_ENDS[reason ?? ''] ?? ''}.`;
  }
  if (move !== undefined) return `From the environment ${move.from} to ${move.to}.`;
  if (deletion !== undefined) return `Another domain of its name took its place: ${deletion.by}.`;
  if (suspension !== undefined && type === 'domain.suspended')
    return `Visitors get a page with status ${suspension.status} in place of the site.`;
  const explains = type === 'domain.failed' || type === 'domain.superseded' || type === 'domain.drifted';
  return explains ? (verificationError ?? '') : '';
}
