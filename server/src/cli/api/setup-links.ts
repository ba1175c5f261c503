import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { type ApiOptions, apiCommand, parseDuration } from '../options.ts';
import { type Column, dateTime, listing, paint, printable, show } from '../output/output.ts';
import { apiAction, connect } from './api-client.ts';

interface ShownLink {
  id: string;
  purpose: string;
  createdAt: number;
  createdBy?: string;
  expiresAt: number;
  revokedAt?: number;
  revokedBy?: string;
}

const COLUMNS: Column<ShownLink>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'For', text: ({ purpose }) => purpose },
  { title: 'State', text: stateOf },
  { title: 'Created', text: ({ createdAt }) => dateTime(createdAt) },
  { title: 'By', text: ({ createdBy = '' }) => createdBy },
];

/** Commands for the set-up links of domains. */
export function addSetupLinks(domains: Command): void {
  const create =
    'Create a link to a page that shows the owner of the domain its records and what is wrong with them, and nothing else. The page needs no sign-in.';
  apiCommand(domains, 'setup-link <domain>', create, [
    'shop.example.com',
    'shop.example.com --expires 30d',
    'shop.example.com --support --expires 1h',
  ])
    .option('--expires <time>', 'how long the link works, from 1m to 30d (default: 7d; 1d with --support)', parseLife)
    .option('--support', 'link to the read-only page of the domain in the dashboard, for someone who helps')
    .action(
      async (name: string, { expires, support, ...options }: ApiOptions & { expires?: number; support?: true }) => {
        const api = await connect(options);
        const body = {
          domain: name,
          ...(support && { purpose: 'support' }),
          ...(expires !== undefined && { expiresInSeconds: expires }),
        };
        const made = await api.call<{ linkId: string; url: string; token: string; expiresAt: number }>(
          'domains.createSetupLink',
          body,
        );
        show(options, made, ({ linkId, url, expiresAt }) =>
          [
            `Created ${support ? 'support' : 'set-up'} link ${linkId} for ${printable(name)}. It works until ${dateTime(expiresAt)}; whoever has it sees this domain.`,
            'Copy it now: it is not shown again.',
            '',
            `  ${paint('bold', printable(url))}`,
          ].join('\n'),
        );
      },
    );

  const list = 'List the set-up links of a domain, oldest first, without their tokens.';
  apiCommand(domains, 'setup-links <domain>', list, ['shop.example.com']).action(
    apiAction(
      ({ api }, domain) => api.list<ShownLink>('domains.listSetupLinks', { domain }),
      listing(COLUMNS, 'No set-up links yet.'),
    ),
  );

  const revoke = 'End a set-up link. Pages that are open with it stop working within a second.';
  apiCommand(domains, 'revoke-setup-link <id>', revoke, ['link_01kaghr5t6y7v8w9x0a1b2c3d4']).action(
    apiAction(
      async ({ api }, linkId) => {
        await api.call('domains.revokeSetupLink', { linkId });
        return { linkId, revoked: true };
      },
      ({ linkId }) => `Revoked set-up link ${printable(linkId)}.`,
    ),
  );
}

function stateOf({ expiresAt, revokedAt, revokedBy }: ShownLink): string {
  if (revokedAt !== undefined)
    return `revoked ${dateTime(revokedAt)}${revokedBy === undefined ? '' : ` by ${revokedBy}`}`;
  return `${expiresAt > systemClock.now() ? 'works until' : 'expired'} ${dateTime(expiresAt)}`;
}

/** In seconds. */
function parseLife(text: string): number {
  const seconds = parseDuration(text) / 1000;
  if (!Number.isInteger(seconds) || seconds < 60 || seconds > 30 * 86_400)
    throw new InvalidArgumentError('A link works for 1m to 30d, in whole seconds.');
  return seconds;
}
