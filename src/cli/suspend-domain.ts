import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { DomainSuspensionSchema } from '../api/domains/suspension-operations.ts';
import { connect } from './api-client.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { type Column, dateTime, printable, show } from './output.ts';

type ShownSuspension = Static<typeof DomainSuspensionSchema>;

/** Of the commands that suspend. */
export function statusOption(): Option {
  return new Option('--status <status>', 'status of the page: 451 for legal reasons, 503 for any other')
    .choices(['451', '503'])
    .default('503');
}

interface Suspendable {
  suspension?: { status: number; suspendedAt: number } | null;
}

/** A column that says what is suspended, where anything is. */
export function withSuspensions<Row extends object>(
  columns: Column<Row>[],
  rows: readonly (Row & Suspendable)[],
): Column<Row & Suspendable>[] {
  if (rows.every(({ suspension }) => !suspension)) return columns;
  const text = ({ suspension }: Suspendable) =>
    suspension ? `${suspension.status} since ${dateTime(suspension.suspendedAt)}` : '';
  return [...columns, { title: 'Suspended', text, style: () => 'yellow' }];
}

export function addSuspend(domains: Command): void {
  const summary =
    'Serve a page in place of a site, until it is resumed. Its checks, its certificate and its status stay as they are.';
  apiCommand(domains, 'suspend <domain>', summary, [
    'nameplate domains suspend shop.example.com',
    'nameplate domains suspend shop.example.com --status 451',
  ])
    .addOption(statusOption())
    .action(async (domain: string, { status, ...options }: ApiOptions & { status: string }) => {
      const api = await connect(options);
      const body = { domain, status: Number(status) };
      show(options, await api.call<ShownSuspension>('domains.suspendDomain', body), describeSuspension);
    });
  apiCommand(domains, 'resume <domain>', 'Serve a suspended site again.', [
    'nameplate domains resume shop.example.com',
  ]).action(async (domain: string, options: ApiOptions) => {
    const api = await connect(options);
    show(options, await api.call<ShownSuspension>('domains.resumeDomain', { domain }), describeSuspension);
  });
}

function describeSuspension({ domain, suspension }: ShownSuspension): string {
  if (suspension === undefined) return `${printable(domain)} is not suspended.`;
  const by = suspension.by === 'operator' ? ' by the operator of the server, and no key can lift that' : '';
  return `${printable(domain)} is suspended${by}: visitors get a page with status ${suspension.status}.`;
}
